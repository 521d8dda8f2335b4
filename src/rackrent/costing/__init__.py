"""Cash flows of one way of getting compute."""
