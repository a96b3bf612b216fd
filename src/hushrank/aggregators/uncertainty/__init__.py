"""How sure an order is, from what was estimated or released alone.

`posterior.py` says what noisy scores or margins leave open: which of two items leads, which rank an
item has; `shrinkage.py` makes it of estimates with known noise, by a hierarchical normal model.
Begin with `posterior.py`.
May import: aggregators, and what is below.
"""
