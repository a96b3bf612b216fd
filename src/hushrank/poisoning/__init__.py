"""Forged reports: what one of them weighs, and whether reports can all come from honest devices.

`forgery.py` says before a survey what somebody who forges reports can do; `suspicion.py` tests the
tallies of one, by `answers.py`, each answer for itself, `sums.py`, over many questions, and
`dealing.py`, whether questions were picked. Begin with `forgery.py`.
Theory: docs/theory/forged-reports.md.
May import: surveys and what is below; no protocol.
"""
