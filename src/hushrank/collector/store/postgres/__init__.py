"""The store in a PostgreSQL database: for several server processes at once.

`store.py` is the store; `connections.py` opens the database; `people.py` and `answers.py` do what
many callers of a process ask for at the same time, in one transaction. Begin with `store.py`.
Needs asyncpg; nothing else of the package imports this room but `opening.py`, when it is asked to.
"""
