"""Activity that does not fit one process: records in pieces, and scores on a disk in books of rows.

`records.py` reads the records of a piece of Parquet, by names that all pieces agree on; `shelf.py`
sorts them by user into files that hold the rows of a sparse matrix. What is here runs in tasks, and
a task that runs twice comes to the same: nothing is drawn. Begin with `records.py`.
May import: activities, files, and what is below.
"""
