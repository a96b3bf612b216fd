"""Cast vote records of election systems that are no tables: marks, and who they are for.

`dominion.py`, `common_data.py` (NIST SP 1500-103) and `hart.py` read one form each into a table
with a column for each place of each contest in which candidates are ranked, which `contests.py`
puts together. Begin with `exports.py`, which tells the forms. May import: `files/`.
"""
