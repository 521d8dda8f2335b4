"""How fast a GPU does the work."""
