"""`hushrank audit`: the command, and how its findings are shown. Begin with `command.py`."""
