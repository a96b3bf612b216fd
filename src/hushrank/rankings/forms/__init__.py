"""How tables of ballots look, and how each look is read.

`asked.py` is what a caller says; `headings.py` reads headers of several rows, `columns.py` tells
ballots from what stands beside them, `sums.py` from rows that sum them up, `ordinals.py` reads
places in words. `layout.py` decides which form a table has, and `places.py`, `ranks.py`, `lists.py`
and `long.py` read one form each; `tables.py` puts this together. `blt.py` reads files that are no
tables, and `cleaning.py` makes ballots of what all of these found. Begin with `tables.py`.
"""
