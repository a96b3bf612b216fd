"""Release what users did so far, each protected user under the record of another.

`protected_users.py` finds who protects what, and clusters their records; `privrank.py`,
`user_level.py` and `baselines.py` plan the exchange of records, each by its method, and
`withhold.py` whose are withheld, `microaggregate.py` whose are pooled (`believed.py`: what some
show of others); `release.py` draws it, and says how much it leaks in one form for all. Begin with
`privrank.py`.
May import: cluster_channel, record_channel, baselines, leakage, clusters, distances, activities,
and what is below.
"""
