"""One file a figure, in a room for each paper: which measurements, of whom, shown how.

A file ends with an `Experiment`, which `experiments/registry.py` lists. The rooms do not know each
other. Begin with `safari/figure_1.py`.
May import: what the figures measure (`on_rankings/`, `on_activity/`), pictures and the frame.
"""
