"""The channel between clusters of users that leaks least within a budget: PrivRank, certified.

`solve.py` returns it with the proof of its gap, or raises an error. `problem.py` states the
problem, `certificate.py` the lower bound, `candidates.py` which channels may be the answer,
`arcs.py` what may be released as what; `interior_point/` solves, `mirror_descent.py` rescues,
`repair.py` makes flows keep every rule, `bounded_ratio.py` bounds likelihood ratios as well. Begin
with the page, then `problem.py` and `certificate.py`.
May import: leakage, publishing/channel.py, and what is below.
Theory: docs/theory/cluster-channel.md
"""
