"""What every protocol of `collect` returns, so that nobody need ask which protocol it was.

`learnt.py` says the words to which all answer, `models.py` holds what answers with a distribution
of rankings, `orders.py` what answers with one order, and `fit_words.py` says how well the
maximum-entropy model fits. Begin with `learnt.py`.
May import: the protocols, but for what lists all of them, and what they may.
"""
