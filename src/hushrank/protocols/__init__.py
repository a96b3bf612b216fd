"""What to ask next, and what the answers mean: generators of surveys.

A protocol yields a survey, receives its tallies, and in the end returns what it learnt; it reads no
file, draws no noise, and equal tallies give equal results. `registry.py` lists all of them by name,
with their options, and `learnt/` holds what they return. Those in `distributions/` learn how
rankings are distributed, those in `orders/` one order that people may agree on; both may ask each
person at an epsilon of her own (`personal_budgets.py`).
Begin with `distributions/whole_ranking.py`, the plainest, then `distributions/safari.py`.
May import: surveys, aggregators and what is below; no engine.
"""
