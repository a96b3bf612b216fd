"""One order: what is stated of it, how near it is to the ballots, in words, and on a page.

`consensus.py` is what was released; `comparison.py` is for whoever holds the ballots; `words.py`
and `page.py` say and draw both; `released_order.py` is the document of a release.
Begin with `consensus.py`.
"""
