"""How measurements are drawn: `panels.py` turns a result into a picture, as its views want it.

`curves.py` draws curves with error bars, `dots.py` a line of text a method; `views.py` and
`treatments.py` make the rows of panels that several figures have. Begin with `panels.py`.
May import: `experiment.py` and `populations.py` of the frame, and `reports`.
"""
