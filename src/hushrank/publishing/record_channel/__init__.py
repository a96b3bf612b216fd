"""The channel between records of users that leaks least of what classifiers see: our own method.

`channel.py` returns it for a budget, and draws from it; `problem.py` solves it at a price of
distance, with its lower bound; `beliefs.py` learns what a record says of its user, `candidates.py`
finds which records may be released for whose, `kernels.py` are the inner loops,
`dependent_rounding.py` draws so that each record appears as often as settled. `withholding.py`
releases the own record or none, `microaggregation.py` one for many users. Begin with the page, then
`channel.py`.
May import: publishing/classifiers.py, randomness, and what is below.
Theory: docs/theory/record-channel.md
"""
