"""Mehrotra's interior-point method for channels, in time that many clusters allow.

`steps.py` is the method, `iterate.py` what is solved, where it starts and where it stands,
`columns.py` how each released cluster answers to its potentials, `newton_system.py` the linear
algebra. Begin with `steps.py`, with the page beside it.
May import: arcs, certificate and problem of the room above it, leakage, and what is below.
Theory: docs/theory/cluster-channel.md
"""
