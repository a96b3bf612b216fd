"""What a person may be asked: each question maps a ranking to one of k categories, without noise.

`question.py` says what a question is; every other file is one question. A few answer for others:
`stated.py` asks one of partial rankings, `hashed.py` asks for a hash of the answer, and
`whole_order.py` answers by a row of numbers. Begin with `question.py`, then `relative_order.py`.
May import: samplers and what is below, neither mechanisms nor models.
"""
