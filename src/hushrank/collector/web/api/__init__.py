"""What devices and backends call: JSON over `/v1`. Begin with `endpoints.py`, the table of all."""
