"""P-SAMPLE: one order from the exponential mechanism over all orders, drawn exactly.

`p_sample.py` states the law and goes from one way of trying to the next. `proposals.py` keeps or
refuses an order by an exact coin, so that the law never depends on how orders are proposed:
`by_insertion.py` for easy inputs, `by_sets.py` for up to 22 items, `by_core.py` for both at once.
Begin with `p_sample.py`, then `proposals.py`.
May import: aggregators, and what is below. Theory: docs/theory/exact-sampling.md.
"""
