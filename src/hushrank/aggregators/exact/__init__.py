"""Kemeny's order, or a proven gap to it.

`kemeny.py` splits the items into groups that can be ordered apart. A small group is ordered by
`subset_program.py`, a dynamic program over sets of items; a large one by `linear_ordering.py`, an
integer program. Begin with `kemeny.py`. May import: aggregators, and what is below.
"""
