"""What every request passes before it reaches anybody: begin with `gate.py`."""
