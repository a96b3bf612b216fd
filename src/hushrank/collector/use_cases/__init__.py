"""What can be done with live surveys.

`drafting.py` before people come, `running.py` from the opening to the results, `answering.py` by
people's devices; all stand on `shelf.py`, which holds surveys and what is known of their rounds.
`service.py` beside this folder puts them together. Begin with `records.py`.
"""
