"""How likely reports are whose people ranked only some of the items.

`likelihood.py` adds up what `stated_terms.py` says of answers that a ranking may leave open;
`ballot_lengths.py` and `seen_pairs.py` judge from the reports how many items people rank, and how
many rank both items of a pair. Begin with `likelihood.py`.
May import: the likelihoods of the room above, and what is below.
"""
