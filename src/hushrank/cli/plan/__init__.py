"""`hushrank plan`: the command, and how its tables and sentences are shown.

Begin with `command.py`.
"""
