"""What was released about a person, and what several releases cost together.

`spend.py` is the record of one release: epsilon, delta, of whom, in whose hands; `composition.py`
adds records up, `rounding.py` makes floats of the sums; `shuffling.py` says what reports cost
behind a shuffler. Everything that is released carries its records. Begin with `spend.py`.
May import: files, errors, arrays. Theory: docs/theory/many-answers.md.
"""
