"""Files that are not on this machine: in stores that fsspec knows, and on the web.

`addresses.py` tells which addresses are of one file, and what of an address may be shown;
`stores.py` finds and opens what they name, and says in plain words what a store did not do.
Begin with `addresses.py`.   May import: errors.
"""
