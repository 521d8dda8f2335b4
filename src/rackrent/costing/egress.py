"""What data out to the internet costs: tiers by volume a month, with a free allowance inside the first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rackrent.errors import BadInput
from rackrent.i18n import gettext as _

if TYPE_CHECKING:
    from rackrent.catalog.catalog import Catalog


class Tier(Protocol):
    """One tier: `usd_per_gb` (None if unknown) for the volume from `from_gb` to `to_gb` (None: no end), GB a month."""

    @property
    def from_gb(self) -> float: ...
    @property
    def to_gb(self) -> float | None: ...
    @property
    def usd_per_gb(self) -> float | None: ...


class EgressTier(NamedTuple):
    """A tier written by hand; see `Tier`."""

    from_gb: float
    to_gb: float | None
    usd_per_gb: float | None


def egress_cost(
    provider: str | Sequence[Tier],
    gb: ArrayLike,
    *,
    free_gb: float | None = None,
    region: str | None = None,
    catalog: Catalog | None = None,
) -> NDArray[np.float64] | None:
    """Return the cost of `gb` of data out in one month, USD; None if a price that it needs is unknown.

    `provider` is a sequence of tiers, or a name in the catalog (default: the one shipped; `region` default: the
    provider's default tiers). `free_gb` a month are not billed: given here, else the tiers' own `free_gb`; an
    allowance that nobody states is taken to be none, which can only overstate the cost.
    Volume counts from 0 and the first `free_gb` of it are not billed, so the allowance comes off the first
    tiers. Volume past the end of the last tier, or in no tier at all, has no price: None. Raises BadInput where
    `gb` is negative or no number, or the tiers leave a gap or overlap.

    >>> aws = [EgressTier(0, 10_240, 0.09), EgressTier(10_240, 51_200, 0.085), EgressTier(51_200, None, None)]
    >>> [round(float(egress_cost(aws, tb * 1_024)), 2) for tb in (10, 50)]
    [921.6, 4403.2]
    >>> egress_cost(aws, 51_201) is None
    True
    """
    tiers = _catalog_tiers(provider, region, catalog) if isinstance(provider, str) else provider
    ordered = sorted(tiers, key=lambda tier: tier.from_gb)
    if free_gb is None:
        free_gb = max((getattr(tier, "free_gb", None) or 0.0 for tier in ordered), default=0.0)
    volume = np.asarray(gb, dtype=np.float64)
    if not np.all(np.isfinite(volume) & (volume >= 0)):
        raise BadInput(_("A volume of data out must be 0 GB or more."))
    usd = np.zeros_like(volume)
    end: float = free_gb
    for place, tier in enumerate(ordered):
        if tier.from_gb > end if place == 0 else tier.from_gb != end:
            raise BadInput(
                _(
                    "The data-out tier from {start} GB must start where the one before it ends, at {end} GB."
                ).format(start=tier.from_gb, end=end)
            )
        end = np.inf if tier.to_gb is None else tier.to_gb
        billed = np.maximum(np.minimum(volume, end) - max(tier.from_gb, free_gb), 0.0)
        if tier.usd_per_gb is not None:
            usd = usd + billed * tier.usd_per_gb
        elif np.any(billed > 0):
            return None
    return None if np.any(volume > max(end, free_gb)) else usd


def _catalog_tiers(provider: str, region: str | None, catalog: Catalog | None) -> Sequence[Tier]:
    from rackrent.catalog.catalog import load
    from rackrent.catalog.providers import egress_tiers

    tiers: Sequence[Tier] = egress_tiers(catalog or load(), provider, region)
    return tiers
