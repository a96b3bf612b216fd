"""Release what users did: all at once (`historical.py`), or as it happens (`online.py`).

`rehearse.py` finds the budget for what attackers may learn, `posterior_file.py` writes what the
channel says about each released record. `files.py` releases activity of many files by pieces, and
`shards.py` begins streams of many users. Begin with `historical.py`.
May import: what every workflow may, and what they share.
"""
