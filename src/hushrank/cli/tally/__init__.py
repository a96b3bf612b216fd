"""`hushrank tally` and `hushrank conclude`: parse, count or conclude once, print and write.

Begin with `command.py`.
"""
