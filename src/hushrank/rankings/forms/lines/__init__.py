"""Which lines of a table are no ballots: headers and titles above them, sums below, counts before.

`headings.py` reads headers; `first_line.py` tells whether a table has one, where no caller says so;
`sums.py` reads what stands below, `counted.py` lines of a count and a ballot. Begin with
`headings.py`.
"""
