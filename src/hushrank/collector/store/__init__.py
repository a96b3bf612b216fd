"""Where a live collection keeps what it must not lose: one interface, SQLite and PostgreSQL.

`store.py` says what a store can do and what it holds; `opening.py` opens one by its address;
`checks.py` is what both demand of arguments, `batches.py` how many callers share one commit.
Blobs are opaque here: the rooms above decide what they say. Both implementations pass one suite of
random operations against a model. A store imports `files`, `errors` and nothing else of this
package. Begin reading at `store.py`.
"""
