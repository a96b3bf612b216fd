"""What to expect of every protocol of `collect`, foretold before anybody is asked.

`plan.py` makes a plan, `recommendation.py` says what to take. `predictions.py` goes between the
points of a committed table (`table.jsonl`, read by `table.py`, smoothed and interpolated by the
files of those names), along what questions are predicted to lose (`losses.py`); `asking.py` knows
what each protocol asks, `populations.py` of whom. `simulation/` makes the table, at the points of
`grid.py`, and `mixes/` says which questions are best to ask. `goals.py` answers by formulas alone.
Begin with `plan.py`; docs/planning.md says how well it agrees.
May import: evaluation and what is below; neither reports nor workflows.
"""
