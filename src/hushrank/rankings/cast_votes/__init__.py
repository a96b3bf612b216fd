"""Cast vote records of election systems that are no tables: `dominion.py`. May import: `files/`."""
