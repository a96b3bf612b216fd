"""Say what to expect before anybody is asked: `plan.py`.

`advise.py` turns it into words for a goal, `advise_publishing.py` says which budgets of `publish`
are worth trying. Begin with `plan.py`. May import: what every workflow may, and what they share.
"""
