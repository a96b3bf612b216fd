"""hushrank aggregate: parse, aggregate once, print and write. Begin with `command.py`."""
