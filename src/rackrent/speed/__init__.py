"""How fast a GPU does the work: measured where it was measured, else from its datasheet."""

from rackrent.speed.relative import OwnRate, Speed, relative_speed, scaling

__all__ = ["OwnRate", "Speed", "relative_speed", "scaling"]
