"""How good what was learnt is, and how private what was released is.

`metrics.py` says how far an order or synthetic rankings are from what people said.
`attackers.py` lets 24 attackers guess a private value from released activity: the strongest
counts; four of them (`joint_attackers.py`) infer some users' values from others'.
`recommendation/` has the recommenders that released activity must still serve. All of it is
computed from raw data and must not be published. Begin with `metrics.py`.
May import: protocols, engines and what is below.
"""
