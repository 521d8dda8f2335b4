"""The decision: options side by side for the same work."""
