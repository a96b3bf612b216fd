"""How the committed table of predictions is made: by simulated collections.

`simulate_table.py` (`python -m hushrank.planning.simulation.simulate_table`) writes it, from single
collections of `trials.py` among `people.py` of the reference populations.
Begin with `simulate_table.py`.
"""
