"""Spreadsheets of Excel and OpenDocument as tables.

`sheets.py` reads one sheet, by python-calamine; of packed files it reads the copy that `parts.py`
makes of them, which holds nothing of which the cells were not counted. Begin with `sheets.py`.
May import: columns and encodings of the room above, and errors.
"""
