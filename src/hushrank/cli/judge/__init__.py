"""`hushrank attack` and `hushrank evaluate`: parse, judge a release once, print and write.

Begin with `attack.py`, and `attack_show.py` beside it; `show.py` is for both.
"""
