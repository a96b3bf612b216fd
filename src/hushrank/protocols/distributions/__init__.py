"""Protocols that learn how the rankings of people are distributed.

`whole_ranking.py` asks for all at once, `safari.py` first for what belongs together. Ours ask each
person one tiny question (`question_kinds.py`), mixed before anybody is asked (`question_mix.py`, by
the table in `mixes/`): `max_entropy.py`, and `popular_orders.py`, which also finds exact orders.
Begin with `whole_ranking.py`, then `max_entropy.py`.
May import: the room above but for what lists all protocols, and what is below; not `orders/`.
"""
