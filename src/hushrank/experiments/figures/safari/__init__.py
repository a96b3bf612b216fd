"""Figures of Yang et al. (ICDE 2019), SAFARI: the error of synthetic rankings and of answers.

Begin with `figure_1.py`.   May import: as all figures.
"""
