"""A machine whose parts fit: a checker, and an optimiser whose every answer the checker passes."""
