"""The composition root: the one place that wires parts together."""
