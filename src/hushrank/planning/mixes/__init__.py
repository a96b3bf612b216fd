"""Which mix of questions is best to ask: by its expected loss, from numbers alone.

`predicted_loss.py` says what a mix is expected to lose where people prefer little; `tabulate.py`
(`python -m hushrank.planning.mixes.tabulate`) writes the table that
`protocols/distributions/mixes` reads. Begin with `predicted_loss.py`.
"""
