"""Formats of rankings that say themselves what they mean, so that nothing need be asked.

`preflib.py` reads and writes PrefLib's files of orders (`preflib_header.py`, `preflib_body.py`),
`order_files.py` those of the SUSHI data, `score_matrix.py` files of one score for each item.
Begin with `preflib.py`. May import: the types of the room above, and what is below.
"""
