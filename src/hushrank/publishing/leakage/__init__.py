"""How much a released group says of a private value.

`information.py` has mutual information and likelihood ratios of joint probabilities; `measures.py`
the same of a channel, in bits; `estimates.py` corrects for what chance alone shows in a sample of
users. Begin with `measures.py`.
May import: publishing/channel.py, and what is below.
"""
