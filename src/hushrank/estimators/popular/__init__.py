"""Which exact orders many people hold, beyond what a smooth model of all the others foretells.

`in_hashed_reports.py` tests `candidate_orders.py` against reports of whole orders behind hash
functions (`hash_supports.py`), `in_ordinary_reports.py` finds them in reports of ranks and
precedences (`rest_and_orders.py`: both fitted as one). `estimates.py` says what ranks are then, and
`unseen.py` which orders too few people hold to be found. Begin with `in_hashed_reports.py`.
May import: the other rooms here, and what is below.
"""
