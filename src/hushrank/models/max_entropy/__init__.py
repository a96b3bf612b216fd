"""The maximum-entropy family of rankings, and its sums over all orders by sets of items.

`rank_features.py` and `pair_features.py` say which features of an order the coefficients multiply;
`rank_potentials.py` is the model that coefficients give. `subset_passes.py` sums over all orders in
two passes over the sets of items, `subset_tangents.py` differentiates them, `subset_pairs.py` adds
joint ranks of two items, `subset_draws.py` draws. Of more items than sets allow,
`sampled_potentials.py` takes draws, by `swap_moves.py` and `tempered_draws.py`; their features are
fewer. Begin with
`rank_potentials.py`.
May import: models, and what is below. Theory: docs/theory/max-entropy.md.
"""
