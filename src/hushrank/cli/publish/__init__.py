"""`hushrank publish historical` and `hushrank publish online`; begin at `command.py`."""
