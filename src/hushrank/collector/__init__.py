"""The live collection: an organiser asks, people's own devices answer, nothing raw arrives here.

`service.py` holds every use case and is all that `web/` calls; `life.py` says what may happen when;
`rounds.py` drives the same protocols as the local engine, over stored tallies; `store/` keeps
everything; `device/` is a person's side. Begin with `service.py`, or with docs/collecting-live.md.
May import: workflows and what is below.
"""
