"""The best order from pairs that people reported with noise.

`pair_estimates.py` says what the reports tell of each pair, `block_reports.py` what reported orders
of a few items do, `pair_scores.py` learns one number for
each item, `pair_orders.py` makes orders of them, and `cross_validation.py` chooses among these by
how well they foretell reports they did not see. Begin with `pair_orders.py`. May import:
aggregators, and what is below.
"""
