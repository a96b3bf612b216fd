"""From tallies to shares, likelihoods and fits: what reports say, whoever asked for them.

`shares.py` inverts a channel. `likelihood.py` says how likely reports are under a model
(`cell_weights.py`), `prior_scale.py` how far from uniform the model may be. The rooms find the
most likely model and say how sure it is: `ranks/` where all orders are summed up exactly, `chains/`
of more items, by draws; `partial/` says how likely partial rankings are, and `popular/` adds exact
orders that many people hold. `goodness_of_fit.py` asks whether the model is right at all.
Begin with `shares.py`, then `ranks/fit.py`.
May import: questions, mechanisms, models, and what is below. Theory: docs/theory/max-entropy.md.
"""
