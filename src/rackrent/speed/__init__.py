"""How fast a GPU does the work: measured where it was measured, else from its datasheet."""

from rackrent.speed.relative import Speed, relative_speed, scaling

__all__ = ["Speed", "relative_speed", "scaling"]
