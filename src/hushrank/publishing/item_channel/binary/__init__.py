"""The item channel for two private values: one interval of posteriors for each class of items.

`solve.py` cools the smoothed dual (`dual.py` poses it, `newton.py` maximises it) and looks for a
channel without leakage; `options.py` and `derivatives.py` are the kernels; `rounding.py` turns a
dual point into a channel; `warm_start.py` keeps the dual for the next one. Begin with `solve.py`.
May import: item_channel, but not general. Theory: docs/theory/item-channel.md
"""
