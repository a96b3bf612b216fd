"""What to ask next, and what the answers mean: generators of surveys.

A protocol yields a survey, receives its tallies, and in the end returns what it learnt; it reads no
file, draws no noise, and equal tallies give equal results. `registry.py` lists all of them by name,
with their options, and `learnt.py` the words that their results share. Each of the others is one
protocol, or a choice that one makes before anybody is asked (`question_mix.py`,
`order_design.py`, `query_counts.py`, `personal_budgets.py`). Begin with `whole_ranking.py`, the
plainest, then `safari.py`.
May import: surveys, aggregators and what is below; no engine.
"""
