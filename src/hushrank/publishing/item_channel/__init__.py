"""Channels between items: what is released in place of one activity, for one user and one budget.

`solve.py` returns the channel that tells least of a private value within a budget of distortion,
with a certificate. `problem.py` states the problem and the bound, `solution.py` what is said of a
channel, `channel.py` the channel in whole words; `binary/` solves it for two private values,
`general/` for any number, and neither knows the other. `learning_error.py` says what a population
learnt from a sample of users lacks. Begin with the page, then `problem.py`.
May import: publishing/distances, activities, and what is below. Theory: docs/theory/item-channel.md
"""
