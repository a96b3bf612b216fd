"""Modules as browsers get them: without comments, indents, empty lines and blanks around signs.

Names stay, and the other lines, so that whoever looks at what their browser runs can read it.
"""

import re

_BLOCKS = re.compile(r"^[ \t]*/\*\*(?:(?!\*/).)*\*/[ \t]*\n", re.MULTILINE | re.DOTALL)
_TYPES = re.compile(r"/\*\* @(?:(?!\*/).)*\*/ ?")
_LINES = re.compile(r"^[ \t]*//.*\n", re.MULTILINE)
_ENDS = re.compile(r"(?<=[;,{}]) // .*$", re.MULTILINE)
_BLANKS = re.compile(
    r"""(?P<text>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`"""
    r"""|/\*(?:(?!\*/).)*\*/)"""
    r"""|(?P<end>\n)\s+"""
    r"""|[ ]?(?P<sign>[-+!]==?|[=<>?:,{}();*%&|]+)[ ]?"""
)
"""With what stays of them: texts as they are, ends of lines and signs alone."""


def compact(script: bytes) -> bytes:
    """Leave out types, indents, blanks, empty lines, and comments that lines are or end with.

    Only for scripts that are the same programs then, which a test makes sure of: without such parts
    inside of patterns. Licences, which begin with `/*!`, stay, and so do texts.
    """
    code = script.decode()
    for left_out in (_BLOCKS, _TYPES, _LINES, _ENDS):
        code = left_out.sub("", code)
    return _BLANKS.sub(lambda found: found[str(found.lastgroup)], code).encode()
