"""From counts of pairs to one order that agrees with people best, with or without noise.

`pairwise.py` says what all work on; `borda.py`, `kwiksort.py` and `bradley_terry.py` are quick,
`exact/` is Kemeny. `private/` is for a curator, `from_reports/` for pairs that people reported with
noise; `uncertainty/` says how sure an order is. Begin with `pairwise.py`, then `borda.py`.
May import: estimators and what is below, neither surveys nor publishing.
"""
