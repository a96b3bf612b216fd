"""Noise that a trusted curator adds to counts before anything is released.

`noise.py` says what such a mechanism is, and checks what all of them take: `laplace.py`,
`gaussian.py`, `geometric.py` (for millions of cells) and `k_norm.py` (for centred scores).
Begin with `noise.py`, then `laplace.py`. May import: the room above, samplers and what is below.
Theory: docs/theory/curators-noise.md; of `k_norm.py`, docs/theory/exact-sampling.md.
"""
