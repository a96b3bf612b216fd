"""What an organiser sees, and what the public sees of results.

`routes.py` is the table of addresses. `form/` turns what was typed into a draft, or says beside
each field what is wrong; `words.py` speaks the organiser's language; everything else is a page, or
what a page is made of. Templates are in `templates/organiser/`. Calls the service alone.
Begin with `routes.py`.
"""
