"""How far apart two places are, on a sphere.

Places are compared by the square of the chord between them, which grows with the distance along the surface and needs no
trigonometry for each offer; kilometres are for people.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import asin, cos, radians, sin, sqrt

EARTH_KM = 6371.0088
"""Mean radius of the Earth (IUGG)."""

Point = tuple[float, float]
"""Degrees north, degrees east."""
Vector = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Near:
    """Where one wants to be near: one point, or a country with places in it; all of the country is at distance 0."""

    points: tuple[Point, ...]
    country: str | None = None

    @property
    def vectors(self) -> list[Vector]:
        """Return the points as vectors."""
        return [vector(*point) for point in self.points]


def vector(latitude: float, longitude: float) -> Vector:
    """Return the point of the unit sphere at these degrees."""
    north, east = radians(latitude), radians(longitude)
    return cos(north) * cos(east), cos(north) * sin(east), sin(north)


def chord2(a: Vector, b: Vector) -> float:
    """Return the square of the chord between two points of the unit sphere, 0 to 4."""
    x, y, z = a[0] - b[0], a[1] - b[1], a[2] - b[2]
    return x * x + y * y + z * z


def least_chord2(place: Vector, country: str, near: Near, vectors: Iterable[Vector]) -> float:
    """Return the square of the chord from a place in a country to the nearest of `near`, whose `vectors` these are."""
    return 0.0 if country == near.country else min(chord2(place, v) for v in vectors)


def km(squared_chord: float) -> float:
    """Return the distance along the surface.

    >>> round(km(chord2(vector(52.52, 13.405), vector(48.8566, 2.3522))))     # Berlin to Paris
    877
    """
    return 2 * EARTH_KM * asin(min(1.0, sqrt(squared_chord) / 2))
