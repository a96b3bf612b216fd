"""`hushrank collect`: the command, and how its result is shown. Begin with `command.py`."""
