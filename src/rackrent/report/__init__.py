"""Results made readable."""
