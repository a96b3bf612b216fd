"""How far records, groups of users, and single activities are from one another.

`kendall.py` is Kendall's tau with ties, of all pairs of rows, for which `ranked_rows.py` puts
scores in levels and `pair_counts.py` counts pairs of items; `group_distances.py` has further
distances of centroids, `activity_cost.py` what one activity costs in place of another. Begin with
`kendall.py`.
May import: arrays, errors, and nothing of this package's other rooms.
"""
