"""Prices over time, and what looks wrong in them."""

from __future__ import annotations

from rackrent.app.ids import pick
from rackrent.catalog.catalog import Catalog
from rackrent.catalog.check import findings
from rackrent.catalog.history import gpu_runs, offer_runs
from rackrent.catalog.judge import judged, offer_id
from rackrent.catalog.names import members, resolve_gpu
from rackrent.catalog.outlook import outlook
from rackrent.report.price_history import Checked, History


def price_history(catalog: Catalog, name: str, term: str = "on_demand") -> History:
    """Return the prices of the GPU or offer (an id, or a part of only one id) that `name` means. Raises BadInput.

    Offers that have left the market are found too.
    """
    if "/" in name:
        rows = catalog.all_rows("offers").lazy().select(offer_id().alias("id")).unique().sort("id").collect()
        found = pick(name, rows["id"].to_list())
        return History(catalog, found, False, None, offer_runs(catalog, found), None)
    known = catalog.all_rows("gpus")["gpu"].unique(maintain_order=True).to_list()
    card = resolve_gpu(name, known)
    names = members(card, known)
    return History(catalog, card, True, term, gpu_runs(catalog, names, term), outlook(catalog, names))


def check_prices(catalog: Catalog) -> Checked:
    """Return what looks wrong in the prices of the day of the catalog."""
    offers = judged(catalog)
    newest = offers.filter(offers["observed_on"] <= catalog.as_of)["observed_on"].max()
    return Checked(catalog, offers.height, newest, findings(catalog))  # type: ignore[arg-type]
