"""The command line: a command parses, calls one workflow, and prints what it returns.

`main.py` names the commands; a folder or a file is one command, of which `command.py` parses and
`show.py` prints. `options.py` and `console.py` are shared. Begin with `main.py`.
May import: everything. Nothing imports it.
"""
