"""What users did with items, and what is known of the users: the input of `publish`.

`activity.py` is the type `Activity`, scores of users for items; `log.py` has one record an
activity, where order and repetition count. `profiles.py` holds the users' attributes,
`attribute.py` one of them, `bins.py` groups its numbers; `private_items.py` makes attributes of
items, `splits.py` holds activity out. `planted.py` and `transactions.py` invent activity.
`reading.py` says how activity was read. `activity_files.py`, `activity_lines.py` and
`profile_files.py` read and write. Begin with `activity.py`.
May import: files, errors, arrays.
"""
