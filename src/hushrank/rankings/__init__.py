"""Rankings of items by people: what they are, how they are numbered, and the files they come in.

`profile.py` is the type `Rankings`: ranks (people, items), 0 = best, with names and multiplicities.
`competition.py` says how ties and unranked items are written in ranks, `coding.py` numbers orders,
`distances.py` compares them, `marginals.py` counts pairs and places. All else reads or writes:
`files.py` chooses between `formats/`, which say themselves what they mean, `cast_votes/`, exports
of election systems, and `forms/`, the several ways in which a table may hold ballots;
`agreement.py` sees to it that no one ballot tells which;
`written_tables.py` and `rank_columns.py` write.
`reading.py` says how they were read, and only these count ranks from 1. Begin with `profile.py`.
May import: files, errors, arrays.
"""
