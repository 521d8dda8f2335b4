"""Compare: every candidate costed for the same work, ranked, and judged in words."""

from __future__ import annotations

from rackrent.catalog.assumptions import check_overrides
from rackrent.catalog.catalog import Catalog
from rackrent.comparison.breakeven import Sides
from rackrent.comparison.candidates import candidates
from rackrent.comparison.evaluate import evaluate
from rackrent.comparison.lending import check_lending
from rackrent.comparison.market import price_market
from rackrent.comparison.option import Option
from rackrent.comparison.ranking import Ranking, rank
from rackrent.comparison.rented import offers_of
from rackrent.comparison.result import Comparison
from rackrent.comparison.verdict import Verdict, verdict
from rackrent.costing.setting import Setting
from rackrent.errors import BadInput, nearest
from rackrent.i18n import gettext as _
from rackrent.workload.model import Workload

HEADLINES = 5


def compare_workload(workload: Workload, catalog: Catalog) -> Comparison:
    """Return the comparison of every option in `catalog` for `workload`. Pure: the same inputs, the same bytes.

    Raises BadInput where the workload names a GPU or an assumption that does not exist.
    """
    check_overrides(catalog, workload.assumptions)
    check_lending(workload, catalog)
    _check_providers(workload, catalog)
    _check_country(workload.location.country, catalog)
    setting = Setting(workload, catalog)
    ranking = rank_options(setting)
    best = ranking[0] if ranking.feasible_count else None
    on_budget = ranking.best_on_budget()
    rival = ranking.first(owned=not best.owned) if best is not None else None
    if best is None:
        words = Verdict(_("No option can do this work as it is put."))
    else:
        words = verdict(best, on_budget, rival, Sides(ranking), setting)
    return Comparison(
        setting, ranking, headlines(ranking), best, on_budget, words, tuple(_warnings(setting, best, rival))
    )


def _check_country(country: str, catalog: Catalog) -> None:
    """Raise BadInput for a country that no table knows."""
    rows = catalog.all_rows("carbon")
    known = set(rows.filter(rows["level"] == "country")["code"]) | set(
        catalog.all_rows("electricity")["country"]
    )
    if country not in known:
        text = _("location.country: no country {country} is known{hint}")
        raise BadInput(text.format(country=country, hint=_hint(country, known)))


def _check_providers(workload: Workload, catalog: Catalog) -> None:
    """Raise BadInput for a provider that is named in a choice and exists nowhere."""
    known = set(catalog.all_rows("providers")["provider"]) | set(catalog.all_rows("offers")["provider"])
    known |= {q.provider for q in workload.quotes} | {c.name for c in workload.campus}
    folded = {name.casefold() for name in known}
    named = [("consider.providers", n) for n in workload.consider.providers]
    named += [("consider.exclude_providers", n) for n in workload.consider.exclude_providers]
    named += [("credits.provider", c.provider) for c in workload.credits]
    named += [("requirements.signed_agreements", n) for n in workload.requirements.signed_agreements]
    for field, name in named:
        if name.casefold() not in folded:
            text = _("{field}: no provider {name} is known{hint}")
            raise BadInput(text.format(field=field, name=repr(name), hint=_hint(name, known)))


def _hint(name: str, known: set[str]) -> str:
    near = nearest(name, known, count=2)
    return _("; did you mean {near}?").format(near=_(" or ").join(near)) if near else ""


def rank_options(setting: Setting) -> Ranking:
    """Return every option for the setting's workload, costed and ranked."""
    workload, catalog = setting.workload, setting.catalog
    options = [evaluate(c, setting) for c in candidates(catalog, workload)]
    # Credits change a bill from month to month: the offers of those who gave them are costed one by one.
    credited = frozenset(c.provider.lower() for c in workload.credits)
    options += [evaluate(c, setting) for c in offers_of(catalog, workload, credited)]
    return rank(setting, options, price_market(setting, without=credited))


def headlines(ranking: Ranking, count: int = HEADLINES) -> tuple[Option, ...]:
    """Return the best option of each kind, then of each kind and term, at most `count`, cheapest first."""
    chosen: set[int] = set()
    labels = [ranking.kind_and_term(i) for i in range(ranking.feasible_count)]
    for words in (1, 2):
        seen = {labels[i][:words] for i in chosen}
        for index, label in enumerate(labels):
            if len(chosen) < count and label[:words] not in seen:
                seen.add(label[:words])
                chosen.add(index)
    return tuple(ranking[i] for i in sorted(chosen))


def _warnings(setting: Setting, best: Option | None, rival: Option | None) -> list[str]:
    """What a reader should mind: about the question, then about the two options the verdict speaks of."""
    w, warnings = setting.workload, []
    if w.demand.reference_gpu is None:
        warnings.append(
            _("demand.reference_gpu is not given: an hour counts the same on every GPU, fast or slow")
        )
    if not w.tax.recoverable and w.tax.rate is None and not setting.tax.value:
        warnings.append(
            _("no sales tax or VAT is added: none is known for {country} (set tax.rate)").format(
                country=w.location.country
            )
        )
    spoken_of = [o for o in (best, rival) if o is not None]
    if late := _known_later(spoken_of, setting):
        warnings.append(
            _("figures known only after {day} are used from: {tables}").format(
                day=setting.catalog.as_of.isoformat(), tables=", ".join(late)
            )
        )
    for option in spoken_of:
        own = list(option.warnings)
        if option.speed is not None and option.speed.basis == "datasheet":
            own.append(
                _("the speed of {gpu} is read from its datasheet, not measured").format(gpu=option.gpu)
            )
        warnings += [_("{option}: {warning}").format(option=option.name, warning=text) for text in own]
    return warnings


def _known_later(options: list[Option], setting: Setting) -> list[str]:
    """Tables from which the options rest on figures of a later day (what a GPU is does not change with time)."""
    timeless = ("assumptions", "workload", "gpus")
    facts = (f for o in options for s in o.streams for f in s.facts if f.table not in timeless)
    return sorted(
        {f.table for f in facts if f.observed_on is not None and f.observed_on > setting.catalog.as_of}
    )
