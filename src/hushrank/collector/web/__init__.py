"""The collector on HTTP: a JSON interface for devices, pages for people, numbers for operators.

Imports `service` and what lies below it; nothing imports `web` but `serve` and the command line.
Begin with `app.py` (what is put together), then `api/` (what devices and backends call), `guards/`
(what every request passes), `sessions.py` (how an organiser signs in) and `operations/` (logs,
metrics, health). `pages_*.py` are the pages; what they look like is in `templates/` and `static/`.
"""
