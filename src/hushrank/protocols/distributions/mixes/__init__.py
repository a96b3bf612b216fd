"""The table of the mixes to ask, by numbers of items and people and epsilon: `table.py`."""
