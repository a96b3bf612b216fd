"""Tables and lines in files of any format, knowing nothing of what they say.

`tables.py` reads and writes tables with one record a row, by the names of their columns, which
`columns.py` holds as texts. They come from `csv_tables.py`, `spreadsheets/`, `json_tables.py`,
`data_frames.py` and `arrow_tables.py`: only the last imports pyarrow, which is an extra.
`encodings.py` and `delimiters.py` tell what a text is. `disk.py` names the file in every error, and
replaces a file as a whole; `names.py` makes names of items distinct, and `dealing.py` deals rows
into parts. Begin with `tables.py`.
May import: errors, arrays.
"""
