"""Group users whose records are alike.

`clustering.py` chooses the method and returns the clusters, `record_space.py` makes points of
records, `linkage.py` merges the nearest clusters, `k_means.py` splits them, for any number of
users. Begin with `clustering.py`.
May import: publishing/classifiers.py, and what is below.
"""
