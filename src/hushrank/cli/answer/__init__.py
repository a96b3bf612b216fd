"""`hushrank answer`: the command, what it shows, and how it asks for an order.

Begin with `command.py`.
"""
