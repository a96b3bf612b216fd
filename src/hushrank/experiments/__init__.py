"""The papers' figures and our own, measured again: for reading and repeating, not for use.

`experiment.py` says what an experiment is: measurements, repeated from seeds of their own, and how
they are shown. `populations.py` says who is asked, `running.py` repeats and sums up, `files.py`
writes the table, the picture and what repeats them, `registry.py` has all experiments by name.
`figures/` has one file a figure; `on_rankings/` and `on_activity/` have what they measure,
`pictures/` how it is drawn. Begin with `experiment.py`, then `figures/safari/figure_1.py`.
May import: planning, reports and what is below; no command and no workflow.
"""
