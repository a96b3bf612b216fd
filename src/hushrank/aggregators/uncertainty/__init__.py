"""How sure an order is: from what was estimated or released alone, or from raw ballots.

`drawn_ranks.py` is the one belief that everything said of an order is counted in; `posterior.py`
draws it from noisy scores or margins, which `shrinkage.py` makes of estimates with known noise, of
many margins at once by `margin_fit.py`;
`resampled.py` draws it from ballots as a sample of a population. Begin with `drawn_ranks.py`.
May import: what is below, and the plain methods of aggregators.
"""
