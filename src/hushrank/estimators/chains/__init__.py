"""The most likely model of many items, whose orders are too many to sum up: by draws from it.

`point.py` knows a model by Markov chains over orders, `search.py` follows the likelihood with
them, from where orders are equally likely (`uniform_orders.py`, exactly); `fit.py` is all of it,
and `estimates.py` its rank shares and precedences with their standard errors, Monte Carlo's too.
Begin with `fit.py`. May import: the likelihoods of the room above, `ranks/`, and what is below.
"""
