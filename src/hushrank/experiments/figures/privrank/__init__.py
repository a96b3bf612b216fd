"""Figures of Yang, Qu, Cudré-Mauroux (PrivRank): privacy and utility of published activity.

Begin with `figure_6.py`, the trade-off of the two.   May import: as all figures.
"""
