"""The market: pure rules, stores that keep what they decide, the service that joins them, a simulator that tries them."""
