"""What measures: `python -m benchmarks` runs all of it."""
