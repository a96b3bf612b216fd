"""Distributions over rankings: their probabilities, marginals and draws.

`ranking_model.py` says what a model is. `mallows.py`, `plackett_luce.py`, `mixture.py` and
`tabulated.py` describe populations; `riffle.py` over a hierarchy (`hierarchy.py`) is SAFARI's,
`popular_orders.py` a few orders beside a background, `max_entropy/` the exponential family of the
one-round protocol. `herding.py` draws rows that follow given marginals closely. Begin with
`ranking_model.py`, then `mallows.py`.
May import: samplers and what is below, neither questions nor mechanisms.
"""
