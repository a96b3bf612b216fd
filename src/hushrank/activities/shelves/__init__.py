"""Activity that does not fit one process: records in pieces, and scores on a disk in books of rows.

`records.py` names who and what is in a piece of Parquet; `places.py` reads its records as numbers
of names that all pieces agree on; `shelf.py` sorts them by user into files that hold the rows of a
sparse matrix. What is here runs in tasks, and a task that runs twice comes to the same: nothing is
drawn. Begin with `records.py`. May import: activities, files, and what is below.
"""
