"""Self-contained HTML pages and the pictures in them.

`page.py` has the parts of a page and `svg.py` those of a picture. Files named `*_page.py` are whole
pages, about one order, one collection or one release: who leads, how sure, what was protected and
what to write under the picture come first, details after. `order_drawing.py` and `charts.py` draw
for pages, `heat_table.py` shades tables; `*plots.py` draw PNG and PDF with matplotlib, and
`notebook.py` shows a result where it is computed. A page with exact statistics of raw data warns
that it must not be published. Begin with `page.py`.
May import: evaluation and what is below; not planning.
"""
