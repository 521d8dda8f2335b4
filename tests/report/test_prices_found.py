"""The list of offers that a search found."""

from __future__ import annotations

import io
from datetime import date

from rackrent.app.prices import search_prices
from rackrent.catalog.catalog import Catalog
from rackrent.catalog.query import OfferQuery
from rackrent.report.prices import print_found


def test_prices_a_month_for_other_minimum_terms_are_told_apart():
    """Two prices of one machine stood below each other and nothing said why they differ."""
    wanted = OfferQuery(gpu=("L4",), provider=("RunPod",), term=("monthly",))
    out = io.StringIO()
    print_found(search_prices(Catalog(date(2026, 12, 1)), wanted), out=out, width=140)
    assert "by the month, at least 3 months" in out.getvalue()
    assert "by the month, at least 6 months" in out.getvalue()
