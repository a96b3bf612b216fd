"""From random words to outcomes whose probabilities are exact; knows nothing of privacy.

`word_probabilities.py` rounds a probability to whole numbers of 64-bit words; `bit_slicing.py`
draws 64 coins at once, `shuffles.py` orders from a fixed number of words, `permutohedron.py`
lattice points of a polytope. Coins of e^-x: in `geometric_numbers.py` those that geometric numbers
of any size are made of, in `coins_from_tape.py` the same for kernels, and in `certified_coin.py`
times a rational factor. Begin with `word_probabilities.py`.
May import: randomness, rankings, accounting, and what is below. Theory:
docs/theory/exact-sampling.md.
"""
