"""The words and messages that hub, agent and client share: a leaf package, versioned."""

PROTOCOL_VERSION = 1
"""Goes up when a message changes so that an older reader would misread it."""
