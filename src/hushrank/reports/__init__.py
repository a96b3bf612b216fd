"""Self-contained HTML pages and the pictures in them.

`page.py` has the parts of a page. Files named `*_page.py` are whole pages, about one order, one
collection or one release; `*plots.py` and `*_pictures.py` draw what stands in them; `notebook.py`
shows a result where it is computed. A page with exact statistics of raw data warns that it must not
be published. Begin with `page.py`.
May import: evaluation and what is below; not planning.
"""
