"""Tables and lines in files of any format, knowing nothing of what they say.

`tables.py` reads and writes tables with one record a row, by the names of their columns, and stands
on `table_files.py`, CSV and Parquet as columns of texts, `spreadsheets.py` and `json_tables.py`.
`encodings.py` and `delimiters.py` tell what a text is. `disk.py` names the file in every error, and
replaces a file as a whole; `names.py` makes names of items distinct. Begin with `tables.py`.
May import: errors, arrays.
"""
