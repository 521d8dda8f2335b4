"""What exists and what it costs."""
