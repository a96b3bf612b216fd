"""Learn what a population prefers without learning what anyone prefers."""

__version__ = "0.1.0"
