"""One round of a collection: what is asked, through which mechanism, at what price, of whom.

`survey.py` is the type; `sampled_survey.py` asks each person one question; `assignment.py` draws
who answers which; `shares.py` turns the tallies into shares; `shuffled.py` says how well the
reports of a round hide each other. The files named `wire*.py` are the
JSON that devices see, which alone know every question and every mechanism. Begin with `survey.py`.
May import: estimators and what is below, neither aggregators nor publishing.
"""
