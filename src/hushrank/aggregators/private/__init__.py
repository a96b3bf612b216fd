"""One order that a trusted curator releases, with what it costs each person.

`order.py` is what is released. Each other file is one family of methods: `borda.py`,
`quicksort.py`, `kemeny.py`, `histogram.py`, and `auto.py`, which looks first and then chooses;
`exponential/` draws P-SAMPLE exactly. `sample_size.py` says how many people a method needs,
`posterior.py` what a release leaves open. Begin with `order.py`, then `borda.py`.
May import: aggregators, and what is below. Theory: docs/theory/exact-sampling.md.
"""
