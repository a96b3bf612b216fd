"""How commands talk to people, and write for machines.

`talk.py` decides what is said where, `bars.py` how long work is shown, `console.py` makes tables
and documents. Begin with `talk.py`.
"""
