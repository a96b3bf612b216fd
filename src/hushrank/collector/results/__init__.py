"""What an organiser gets of a closed survey: tables, a document, pictures and one page, as files.

All of it is made from a `Collection`, and so from reports alone. Begin with `files.py`.
May import: what is below the collector's service.
"""

from hushrank.collector.results.document import public_document as public_document
