"""The item channel for any number of private values: cells of items that become finer.

`solve.py` cools the smoothed dual of the cells (`dual.py`, `curvature.py`: the kernels; `newton.py`
maximises it), raises the potentials of single items (`certifying_potentials.py`), and turns the
chances of cells into a channel of items (`rounding.py`, `mirror_descent.py`).
Begin with `solve.py`.
May import: item_channel, but not binary. Theory: docs/theory/item-channel.md
"""
