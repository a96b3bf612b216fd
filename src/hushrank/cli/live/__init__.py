"""Commands about live collections: `serve.py`, `collector.py` beside it, and `demo.py`.

Begin with `serve.py`. All three need the extra `collector`.
"""
