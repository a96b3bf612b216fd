"""What commands are told, and what they read: the same way in all of them.

`options.py` holds the options that several commands share, `engines.py` what becomes of those
about engines; `reading.py` reads ballots and activity and says how. `missing.py` tells what a
command was not told, and `extras.py` what is not installed. Begin with `options.py`.
"""
