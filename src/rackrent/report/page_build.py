"""From a comparison to the page that reports it."""

from __future__ import annotations

from rackrent.comparison.result import Comparison
from rackrent.i18n import gettext as _
from rackrent.i18n import language
from rackrent.money import currency
from rackrent.report.charts_figure import shown_options
from rackrent.report.page import Page
from rackrent.report.page_annex import annex
from rackrent.report.page_details import details
from rackrent.report.page_summary import summary


def page_of(comparison: Comparison) -> Page:
    """Return the report of `comparison` in the language in use. Pure: the same comparison, the same page."""
    setting, shown = comparison.setting, shown_options(comparison)
    subtitle = _("Prices as known on {day}, {months} months, {hours:,.0f} GPU-hours of work a month").format(
        day=setting.catalog.as_of.isoformat(), months=setting.horizon, hours=float(setting.work.mean())
    )
    if setting.reference_gpu is not None:
        subtitle = _("{line} on {gpu}").format(line=subtitle, gpu=setting.reference_gpu)
    foot = _("Made by rackrent from prices of {day}.").format(day=setting.catalog.as_of.isoformat())
    shown_currency = currency()
    if shown_currency is not None:
        foot = _("{foot} Amounts are in {code} ({note}); formulas and sources in US dollars.").format(
            foot=foot, code=shown_currency.code, note=shown_currency.note
        )
    return Page(
        title=setting.workload.name,
        subtitle=subtitle,
        language=language().replace("_", "-"),
        summary=summary(comparison, shown),
        details=details(comparison, shown),
        annex=annex(comparison, shown),
        foot=foot,
    )
