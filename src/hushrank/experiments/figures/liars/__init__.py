"""How far liars get, by which attack, against which protocol and which defence.

Begin with `attacks.py`.
"""
