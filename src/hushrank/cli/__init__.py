"""The command line: a command parses, calls one workflow, and prints what it returns.

`main.py` names the commands, `manners.py` says what all have in common; a folder or a file is one
command, of which `command.py` parses and `show.py` prints; those about a running collector stand in
`live/`. All of them take words by `input/` and answer by `output/`. Begin with `main.py`.
May import: everything. Nothing imports it.
"""
