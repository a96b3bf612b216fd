"""What figures about rankings measure: collections, orders, and how far both are from the truth.

`collection.py` is for SAFARI's figures, `central.py` for Hay's, `local.py` for those of Yan et al.,
`frontier.py` and `frontier_methods.py` for ours; `electorate.py` has the exact optimum that orders
are judged by. Begin with `electorate.py`.
May import: the frame of the experiments, planning and what is below; no picture, no figure.
"""
