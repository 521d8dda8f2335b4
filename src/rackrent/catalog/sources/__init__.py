"""Where prices come from: one module a source behind one protocol; each fails alone."""
