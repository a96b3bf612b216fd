"""Protocols that learn one order, on which people may agree.

`pairs.py` and `ldp_kwiksort.py` ask each person a few pairs (`query_counts.py`: how many),
`subset_order.py` for her whole order; `one_order.py` asks both ways, as `order_design.py` chooses
before anybody is asked. `error_bounds.py` bounds what LDP-KwikSort gets wrong.
Begin with `pairs.py`.
May import: the room above but for what lists all protocols, and what is below; no distributions.
"""
