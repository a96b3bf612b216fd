"""From what an organiser typed to a draft, and back.

`typed.py` reads the fields of the form and of a draft alike; `checks.py` makes a draft of them, or
says which field is wrong; `options.py` knows which options of protocols the form has.
Begin with `typed.py`.
"""
