"""What an operator sees, without anything about single people: logs, metrics, health.

Begin with `logs.py`.
"""
