"""From tallies to shares, likelihoods and fits: what reports say, whoever asked for them.

`shares.py` inverts a channel. `likelihood.py` says how likely reports are under a model
(`cell_weights.py`), `rank_fit.py` finds the most likely model, `prior_scale.py` judges how far from
uniform it may be, `rank_estimates.py` how sure it is; of many items the same by draws:
`chain_fit.py`. `partial_likelihood.py` and what it imports do so for partial rankings;
`popular_orders.py` finds orders behind hashed reports (`hashed_reports.py`), `orders_in_reports.py`
behind ordinary ones (`rest_and_orders.py`). Begin with `shares.py`, then `rank_fit.py`.
May import: questions, mechanisms, models, and what is below. Theory: docs/theory/max-entropy.md.
"""
