"""How a number is hidden: on a person's device, or by a curator. Knows no rankings.

`local.py` says what a local mechanism is, and what a tally; `word_rates.py` its two probabilities
in whole words, from which the loss is computed. `randomized_response.py`, `unary_encoding.py`,
`local_hashing.py` (behind `hash_family.py`) and `harmony.py` hide a category, `named_member.py` one
of several, `subset_order.py` a whole order (by `spearman_law.py`); `thresholded_laplace.py` is a
coin. `fitting.py` says which categories one report supports, without a list of all. What a curator
adds to counts stands in `curator/`. Begin with `local.py`, then `randomized_response.py`.
May import: samplers and what is below, neither questions nor models. Theory:
docs/theory/local-mechanisms.md.
"""
