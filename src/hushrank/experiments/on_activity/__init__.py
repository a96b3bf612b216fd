"""What figures about activity measure: releases, attacks on them, and how well they recommend.

`platforms.py` has users with their profiles and who of them protects what. Files come in pairs:
`*_methods.py` say how activity is published, `*_measurements.py` judge it: whole records
(`publishing_`), single activities (`stream_`, from the history in `streams.py`), and channels that
were learnt in several ways (`learning_`). Begin with `publishing_measurements.py`.
May import: the frame of the experiments, planning and what is below; no picture, no figure.
"""
