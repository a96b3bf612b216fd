"""The store in one SQLite file: for one server process, and commands beside it.

`store.py` is the store; `connections.py` opens the file; `writer.py` is the one thread that
writes, many callers' work in one commit; `people.py` and `answers.py` do that work;
`deletion.py` deletes a survey in slices. Begin with `store.py`.
"""
