"""What a user wants done, one file or room a verb: `collect`, `aggregate`, `publish`, `plan`, ...

A workflow checks what it is given, calls the rooms below, and returns a result of `results/` that
holds nothing computed from raw data; the comparison with the truth is a second call. What
`judge.py` returns is such a comparison, for the owner of the data. No workflow prints. The command
line, the façade in `hushrank/__init__.py` and whatever else serves users call workflows.
`arguments.py`, `progress.py` and `seeds.py` are shared. Begin reading at `collect.py`.
"""
