"""A stream of activities: each is released as it happens, and a crash loses or repeats none.

`publisher.py` releases activities through each user's own channel, which it makes anew by the
public rules of `rules.py`. `user.py` is what is kept of a user, `state.py` the file that holds it,
`documents.py` the bytes in that file, `setup.py` what a stream is begun with, `journal.py` how far
a run has read and written. Begin with `publisher.py`.
May import: item_channel, distances, activities, files, and what is below.
Theory: docs/theory/item-channel.md
"""
