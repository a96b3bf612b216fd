"""Figures of Hay, Elagina, Miklau (SDM 2017): private orders by a trusted curator.

Begin with `figure_2.py`.   May import: as all figures.
"""
