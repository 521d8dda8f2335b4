"""rackrent: own deep-learning compute, rent it, or lend it out? Arithmetic that anyone can check."""

__version__ = "0.1.0"
