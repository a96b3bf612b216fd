"""What the verbs return, each apart from its comparison with the truth, and how results are shown.

A result answers to the same words whichever verb returned it: docs/python.md lists them. It holds
nothing computed from raw data; `compared_with` returns what does. Begin reading at `collection.py`.
"""
