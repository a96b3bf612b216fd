"""The forms that a table of ballots may have, and which of them a table has.

`layout.py` is what a form says; `marks.py`, `of_places.py`, `of_items.py` and `of_lists.py` find
one each, `turned.py` what is none. Begin with `telling.py`, which asks them in turn.
"""
