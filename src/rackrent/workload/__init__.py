"""What must be computed."""
