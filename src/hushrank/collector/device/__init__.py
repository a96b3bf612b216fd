"""A person's device in Python: it joins, answers once, keeps that, and sends the same bytes again.

`device.py` is the device; `terms.py` refuses what was not announced; `repeating.py` sends earlier
answers again; `memory.py` is the file in which it keeps what `kept.py` names; `ledger.py` adds up
what a person has spent; `connection.py` speaks HTTP; `words.py` says reports in English. A browser
has the same rules: client/device.js. Begin with `device.py`, or with docs/embedding.md.
May import: announcement, refusals and what is below the collector; nothing of its server.
"""
