"""Recommenders, and how well they rank what users did but did not show.

`average_precision.py` is the measure; `bayesian_ranking.py` and `linear_items.py` recommend items
to users, and `tensor_factorisation.py` recommends them in a context. Begin with
`average_precision.py`.
May import: nothing of the project but arrays and errors.
"""
