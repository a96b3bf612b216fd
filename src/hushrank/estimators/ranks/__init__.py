"""The most likely model of ranks and precedences where all orders are summed up exactly.

`fit.py` finds its coefficients by Newton's steps on what `point.py` says of a model,
`estimates.py` the rank shares and precedences with their standard errors, and `unstated.py` how
far these may be off when nobody knows what people would say of items that they left out.
Begin with `fit.py`. May import: the likelihoods of the room above, `partial/`, and what is below.
"""
