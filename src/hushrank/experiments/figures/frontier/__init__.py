"""Figures of our own: every protocol on the same people, against epsilon and their number.

Begin with `epsilon.py`.   May import: as all figures.
"""
