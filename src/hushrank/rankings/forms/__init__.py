"""How tables of ballots look, and how each look is read.

`asked.py` is what a caller says; `lines/` tells which lines are no ballots, `columns.py` ballots
from what stands beside them; `ordinals.py` reads places in words. `layouts/` tells which form a
table has; `places.py`, `ranks.py`, `lists.py` and `long.py` read one form each, as `readers.py`
asks them to; `tables.py` puts this together. `blt.py` reads files that are no tables, and
`cleaning.py` makes ballots of what was `found.py`. Begin with `tables.py`.
"""
