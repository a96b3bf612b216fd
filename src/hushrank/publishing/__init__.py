"""Publish what users did so that chosen private values are hard to infer from it.

One sentence has three solvers: a channel that leaks least of a private value within a budget of
distortion. `cluster_channel/` solves it between clusters of users (PrivRank), `record_channel/`
between the records of users (ours), `item_channel/` between items, one activity at a time.
`historical/` releases what users did so far by the first two, `online/` a stream by the third, and
`baselines.py` has what they are compared with. Below stand `leakage/` and `clusters/`, and below
these `distances/`, `classifiers.py` and `channel.py`, whose draws have exactly the stated law.
Begin with `historical/privrank.py`, or with a solver's page in docs/theory.
May import: activities, accounting, randomness, and what is below. None of this is differential
privacy.
"""
