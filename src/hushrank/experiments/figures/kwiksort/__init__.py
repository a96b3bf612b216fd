"""Figures of Yan, Li, Liu (arXiv 2019), LDP-KwikSort: orders from local reports on pairs.

`pair_orders.py` is ours: which order to make of the same reports. `data_sets.py` has the people
whom the paper asks. Begin with `figures_3_and_4.py`.   May import: as all figures.
"""
