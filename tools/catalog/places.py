"""Tables about places: electricity, carbon, PUE, taxes, policies."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from datetime import date, timedelta
from itertools import pairwise
from pathlib import Path

from tools.catalog.common import Row, Sources, day, number, read_facts

ISO3 = {
    "Albania": "ALB", "Andorra": "AND", "Argentina": "ARG", "Australia": "AUS", "Austria": "AUT", "Belgium": "BEL",
    "Bermuda": "BMU", "Bosnia and Herz.": "BIH", "Bosnia and Herzegovina": "BIH", "Brazil": "BRA",
    "Bulgaria": "BGR", "Canada": "CAN", "Chile": "CHL", "China": "CHN", "Colombia": "COL", "Croatia": "HRV",
    "Cyprus": "CYP", "Czech Rep.": "CZE", "Czech Republic": "CZE", "Denmark": "DNK", "Egypt": "EGY",
    "Estonia": "EST", "Finland": "FIN", "France": "FRA", "Georgia": "GEO", "Germany": "DEU", "Greece": "GRC",
    "Hong Kong": "HKG", "Hungary": "HUN", "Iceland": "ISL", "India": "IND", "Indonesia": "IDN", "Iran": "IRN",
    "Ireland": "IRL", "Israel": "ISR", "Italy": "ITA", "Japan": "JPN", "Kenya": "KEN", "Kosovo": "XKX",
    "Latvia": "LVA", "Liechtenstein": "LIE", "Lithuania": "LTU", "Luxembourg": "LUX", "Malaysia": "MYS",
    "Malta": "MLT", "Mexico": "MEX", "Moldova": "MDA", "Monaco": "MCO", "Montenegro": "MNE", "Morocco": "MAR",
    "Netherlands": "NLD", "New Zealand": "NZL", "Nigeria": "NGA", "North Macedonia": "MKD", "Norway": "NOR",
    "Philippines": "PHL", "Poland": "POL", "Portugal": "PRT", "Romania": "ROU", "Saudi Arabia": "SAU",
    "Serbia": "SRB", "Singapore": "SGP", "Slovakia": "SVK", "Slovenia": "SVN", "South Africa": "ZAF",
    "South Korea": "KOR", "Spain": "ESP", "Sweden": "SWE", "Switzerland": "CHE", "Taiwan": "TWN",
    "Thailand": "THA", "Turkey": "TUR", "UK": "GBR", "US": "USA", "Ukraine": "UKR",
    "United Arab Emirates": "ARE", "United Arab Emirates (Dubai)": "ARE", "United Kingdom": "GBR",
    "United States": "USA", "Vietnam": "VNM",
}  # fmt: skip
NOT_COUNTRIES = {"EU27", "Euro area", "World average (households)", "Northern Ireland", "EU", "home", "world"}
CONVERTIBLE = {"USD", "EUR", "GBP", "AUD", "CAD", "CHF", "CNY", "HKD", "INR", "JPY", "KRW", "SGD", "TWD"}
"""Currencies for which `fx` has rates."""
CUSTOMERS = {
    "household": "household", "residential": "household", "commercial": "business", "business": "business",
    "non-household": "business", "industrial": "industrial", "large industrial": "industrial",
    "industrial (Eskom Megaflex)": "industrial",
}  # fmt: skip
LOWEST_PRICE = 0.01
"""At or below this a price per kWh (any currency) is not a price: four rows of the facts, one of them real but useless here."""


def build(facts: Path, sources: Sources) -> dict[str, list[Row]]:
    """Return the rows of `electricity`, `carbon`, `pue`, `taxes` and `policies`."""
    return {
        "electricity": _electricity(facts, sources),
        "carbon": _carbon(facts, sources),
        "pue": _pue(facts, sources),
        **_policies(facts, sources),
    }


def _electricity(facts: Path, sources: Sources) -> list[Row]:
    rows = [row for fact in read_facts(facts / "electricity_prices.csv") if (row := _price(fact, sources))]
    rows += _us_means(rows)
    series: dict[tuple[str, str | None, str], list[Row]] = defaultdict(list)
    for row in rows:
        series[row["country"], row["region"], row["customer"]].append(row)
    return [row for readings in series.values() for row in _in_time(readings)]


def _price(fact: Row, sources: Sources) -> Row | None:
    amount, currency = number(fact["price_local"]), fact["currency"]
    if fact["country"] in NOT_COUNTRIES or amount is None or amount <= LOWEST_PRICE:
        return None
    if fact["band"] and "band IG" in fact["band"]:
        return None  # 150,000 MWh a year: two hundred times a large machine room
    note = fact["band"] or ""
    if currency not in CONVERTIBLE:
        if (in_usd := number(fact["price_usd_kwh"])) is None:
            return None
        note = f"{note} {amount:g} {currency} as converted by the source".strip()
        amount, currency = in_usd, "USD"
    if fact["country"] == "United Arab Emirates (Dubai)":
        note += "; Dubai"
    eurostat = "Eurostat" in (fact["source"] or "")
    basis = ("incl" if fact["customer"] == "household" else "excl") if eurostat else _basis(fact)
    observed = day(fact["period"])
    assert observed
    return {
        "country": ISO3[fact["country"]], "region": fact["region"], "customer": CUSTOMERS[fact["customer"]],
        "amount": amount, "currency": currency, "tax_basis": basis, "source": _electricity_source(fact, sources),
        "observed_on": observed, "confidence": fact["confidence"], "valid_from": observed, "note": note or None,
    }  # fmt: skip


def _basis(fact: Row) -> str:
    if fact["country"] == "United States" and fact["region"]:
        return "excl"  # average revenue per kWh sold: sales tax passed on to states is outside it
    if fact["customer"] == "household":
        return "incl"
    return "unknown"


def _electricity_source(fact: Row, sources: Sources) -> str:
    text = fact["source"]
    if "Eurostat" in text:
        return sources.cite(
            "eurostat-nrg-pc",
            "Eurostat nrg_pc_204 and nrg_pc_205, 2019-S2 to 2024-S2, via Qery-Data/Energy@2d8be9d0",
            "CC BY 4.0 reuse",
            "Electricity prices: Eurostat (nrg_pc_204, nrg_pc_205), reuse under CC BY 4.0.",
        )
    if "Annual" in text:
        return sources.cite(
            "eia-annual-2023", "US EIA, Electric Power Annual, prices of 2023 by state", "public domain"
        )
    if "Monthly" in text:
        return sources.cite(
            "eia-monthly-2025", "US EIA, Electric Power Monthly, table 5.6.A, 2025-06-25", "public domain"
        )
    if "Clean Energy Wire" in text:
        return sources.cite(
            "verivox-2025",
            "Clean Energy Wire 2025-06-23: Verivox analysis of GlobalPetrolPrices, 2025-Q1",
            "facts",
        )
    if "GlobalPetrolPrices 2023" in text:
        return sources.cite("petrolprices-2023", "GlobalPetrolPrices 2023, second hand", "facts")
    return sources.cite("business-tariffs-2025", "business tariffs of 2025, second hand", "facts")


def _us_means(rows: list[Row]) -> Iterable[Row]:
    """A national price where the facts have none: the plain mean of the states."""
    national = {row["customer"] for row in rows if row["country"] == "USA" and row["region"] is None}
    for customer in ("household", "business", "industrial"):
        states = [
            row["amount"]
            for row in rows
            if row["country"] == "USA" and row["customer"] == customer and row["source"] == "eia-annual-2023"
        ]
        if customer not in national:
            yield {
                "country": "USA", "region": None, "customer": customer, "amount": round(sum(states) / len(states), 4),
                "currency": "USD", "tax_basis": "excl", "source": "eia-annual-2023", "observed_on": date(2023, 1, 1),
                "confidence": "low", "valid_from": date(2023, 1, 1),
                "note": f"plain mean of {len(states)} states, not weighted by sales",
            }  # fmt: skip


def _in_time(readings: list[Row]) -> list[Row]:
    """One reading after another; a second-hand one is dropped where an official one is about as new."""
    official = [r for r in readings if r["confidence"] == "high"]
    kept = []
    for row in sorted(readings, key=lambda r: (r["valid_from"], r["confidence"] == "high", -r["amount"])):
        better = [o for o in official if o["valid_from"] >= row["valid_from"] - timedelta(days=366)]
        if row["confidence"] != "high" and better:
            better[-1]["note"] = (
                f"{better[-1]['note'] or ''}; {row['amount']:g} {row['currency']} in {row['observed_on']:%Y-%m} "
                f"by {row['source']}"
            ).lstrip("; ")
        elif kept and kept[-1]["valid_from"] == row["valid_from"]:
            kept[-1] = row
        else:
            kept.append(row)
    for row, following in pairwise(kept):
        row["valid_to"] = following["valid_from"]
    return kept


CARBON_SOURCES = {
    "country": ("carbon-owid-ember", "gCO2e/kWh over the life cycle, OWID/Ember, as packaged in codecarbon 3.3.2"),
    "us_state": ("carbon-egrid-2023", "CO2e of generation, EPA eGRID2023 total output rate, as packaged in codecarbon 3.3.2"),
    "cn_province": ("carbon-mee-2025-47", "CO2 only, not life cycle, China MEE announcement 2025 No. 47, as packaged in codecarbon 3.3.2"),
    "cloud_region": ("carbon-google-regions", "grid intensity of Google Cloud regions, as packaged in codecarbon 3.3.2"),
    "nordic_zone": ("carbon-nordic-2025", "Nordic bidding zones, basis not stated, as packaged in codecarbon 3.3.2"),
}  # fmt: skip


def _carbon(facts: Path, sources: Sources) -> list[Row]:
    rows = []
    for fact in read_facts(facts / "grid_carbon.csv"):
        grams = number(fact["gco2_per_kwh"])
        if not grams or fact["code"] == "usa":  # a life cycle of 0 g is no figure; "usa" repeats the country
            continue
        id, citation = CARBON_SOURCES[fact["level"]]
        source = sources.cite(
            id, citation, "MIT; OWID and Ember CC BY 4.0; EPA public domain",
            "Carbon intensity: Our World in Data and Ember (CC BY 4.0), US EPA eGRID, China MEE, Google; packaged by codecarbon (MIT).",
        )  # fmt: skip
        observed = day(fact["year"]) or date(2024, 1, 1)
        rows.append({
            "level": "zone" if fact["level"] == "nordic_zone" else fact["level"],
            "code": fact["code"].replace("me-cenrtal1", "me-central1"), "name": fact["name"].title() if fact["level"] == "us_state" else fact["name"],
            "g_per_kwh": grams, "source": source, "observed_on": observed, "confidence": fact["confidence"],
            "valid_from": observed, "note": citation.split(", ")[0] if fact["year"] else "year of the figure not stated",
        })  # fmt: skip
    return rows


def _pue(facts: Path, sources: Sources) -> list[Row]:
    sites = {  # facility in the facts: (site, source, note)
        "Uptime Institute survey, industry average": ("industry_average", "uptime-survey", "Uptime Institute survey, as reported"),
        "AWS global": ("AWS", "dcd-pue-2023", "best site 1.04; newest design 1.08"),
        "Google fleet": ("Google", "dcd-pue-2023", "best site 1.06"),
        "Microsoft global average": ("Microsoft", "dcd-pue-2023", "newest facilities 1.12"),
        "Oracle as low as": ("Oracle", "dcd-pue-2023", "'as low as': the best case, not a mean"),
        "Equinix global average": ("colocation", "equinix-pue", "Equinix, global average"),
    }  # fmt: skip
    cited = {
        "uptime-survey": "Uptime Institute global surveys 2022-2024, as reported by Statista and upsite.com",
        "dcd-pue-2023": "datacenterdynamics.com: AWS global data centers achieved PUE of 1.15 in 2023 (and its comparison)",
        "equinix-pue": "Equinix global average PUE 2022 and 2023, as reported by Statista",
    }
    rows: list[Row] = []
    for fact in read_facts(facts / "pue.csv"):
        if fact["facility"] in sites:
            site, id, note = sites[fact["facility"]]
            observed = day(fact["year"])
            source = sources.cite(id, cited[id], "facts")
            rows.append({
                "site": site, "pue": number(fact["pue"]), "source": source, "observed_on": observed,
                "confidence": "low" if site == "Oracle" else fact["confidence"], "valid_from": observed, "note": note,
            })  # fmt: skip
    judged = sources.cite("judgement", "our own judgement", "ours")
    for site, pue, note in (
        ("home", 1.0, "no air conditioning: the heat leaves by itself"),
        ("home_air_conditioned", 1.33, "1 + 1/COP with a coefficient of performance of 3"),
        ("office", 1.0, "no air conditioning of its own"),
        ("office_air_conditioned", 1.33, "1 + 1/COP with a coefficient of performance of 3"),
        ("server_room", 1.56, "small rooms are not surveyed: the industry average of 2024 is used"),
    ):
        rows.append({
            "site": site, "pue": pue, "source": judged, "observed_on": date(2026, 11, 30), "confidence": "low",
            "valid_from": date(2000, 1, 1), "note": note,
        })  # fmt: skip
    return rows


POLICY_TEXTS = {  # item in the facts: (topic, place, item, our words)
    "GeForce/Titan driver licence: section on data centres": (
        "licence", "world", "geforce_datacentre",
        "The GeForce and Titan driver licence since the end of 2017 does not cover data centres (the word is not defined). Read the current text.",
    ),
    "GeForce/Titan driver licence: who may use it": (
        "licence", "world", "geforce_rent_out",
        "The GeForce driver licence covers hardware you own, used inside your own organisation. Renting the cards to others is outside that grant; ask a lawyer.",
    ),
    "equipment threshold (2 CFR 200.1)": (
        "grant", "USA", "equipment_threshold",
        "From this price on a machine with over a year of life is equipment (was 5,000 before 2024-10); an institution may set a lower level.",
    ),
    "de minimis indirect cost rate (2 CFR 200.414)": (
        "grant", "USA", "de_minimis_rate", "Indirect-cost rate without a negotiated one, on modified total direct cost (was 10 % before 2024-10).",
    ),
    "unused supplies kept without refund (200.314)": (
        "grant", "USA", "supplies_kept", "Unused supplies up to this value may be kept; computers below the equipment threshold are supplies.",
    ),
    "MTDC leaves out equipment": (
        "grant", "USA", "equipment_no_overhead", "Bought equipment bears no indirect cost; cloud services do, unless the institution exempts them.",
    ),
    "title and disposition (200.313)": (
        "grant", "USA", "title", "Equipment worth less than the threshold today needs no further duty.",
    ),
    "program income and rates for outside users (200.313(c))": (
        "grant", "USA", "program_income", "Equipment bought with an award must not undercut private firms while the government has an interest: matters when a lab sells GPU hours.",
    ),
    "Horizon Europe equipment": (
        "grant", "EU", "depreciation_only", "Only depreciation for the time and share of use counts, unless the call pays the full cost.",
    ),
    "UKRI equipment threshold": ("grant", "GBR", "equipment_threshold", "Above this price with VAT a business case is needed and a part of the cost is paid."),
    "NSFC equipment": ("grant", "CHN", "equipment", "Bought from the equipment budget line; buying general machines is limited."),
    "ISP terms": ("hosting", "world", "isp_terms", "Most consumer lines forbid servers or commercial use and cap upload. Read your contract."),
    "household insurance": ("hosting", "world", "insurance", "Business equipment and paid hosting are usually excluded or capped. Ask the insurer."),
    "rental income": ("hosting", "world", "income_tax", "Income from renting a machine out is taxable."),
    "advanced GPUs to China and others": ("export", "world", "advanced_gpus", "US export rules limit the fastest GPUs to some countries; they change often."),
}  # fmt: skip


def _policies(facts: Path, sources: Sources) -> dict[str, list[Row]]:
    taxes: list[Row] = []
    policies: list[Row] = []
    for fact in read_facts(facts / "policies.csv"):
        observed = day(fact["date"])
        assert observed
        base = {"observed_on": observed, "confidence": fact["confidence"], "note": fact["note"]}
        if fact["topic"] == "vat":
            if fact["place"] in NOT_COUNTRIES:
                continue
            taxes.append({
                **base, "country": ISO3[fact["place"]], "rate": round((number(fact["value"]) or 0) / 100, 4),
                "source": _policy_source(fact, sources), "valid_from": observed,
            })  # fmt: skip
        elif fact["topic"] == "home circuit":
            policies.append(
                {
                    **base,
                    **_circuit(fact),
                    "source": _policy_source(fact, sources),
                    "valid_from": date(2000, 1, 1),
                }
            )
        elif fact["item"] in POLICY_TEXTS:
            topic, place, item, text = POLICY_TEXTS[fact["item"]]
            link = next(iter(re.findall(r"https?://[^\s)]+", fact["source"])), None)
            policies.append({
                **base, "topic": topic, "place": place, "item": item, "text": text, "value": number(fact["value"]),
                "unit": fact["unit"] if number(fact["value"]) is not None else None, "link": link,
                "source": _policy_source(fact, sources), "valid_from": observed,
            })  # fmt: skip
    return {"taxes": taxes, "policies": policies}


def _circuit(fact: Row) -> Row:
    """A home circuit; where the facts give the plug's rating, 80 % of it is taken for days on end."""
    watts = number(fact["value"])
    assert watts
    plug_rating = "80% of it" in fact["note"]
    return {
        "topic": "home_circuit", "place": ISO3[fact["place"]], "item": fact["item"],
        "text": "80 % of what the circuit carries, for days on end",
        "value": round(watts * (0.8 if plug_rating else 1.0) / 1000, 3), "unit": "kW",
    }  # fmt: skip


def _policy_source(fact: Row, sources: Sources) -> str:
    text = fact["source"]
    if "eu-vat-rates-data" in text:
        return sources.cite(
            "eu-vat-rates-2026-09", "eu-vat-rates-data 2026.9.29 (European Commission TEDB and others)", "MIT"
        )
    if "memory" in text:
        return sources.cite("memory", "entered by hand from memory, not re-read", "ours")
    if "deeptalk" in text:
        return sources.cite(
            "geforce-licence-2018",
            "NVIDIA GeForce driver licence of 2018-01 as quoted on deeptalk.lambdalabs.com",
            "facts",
        )
    if "geforce-license" in text:
        return sources.cite("geforce-licence", "https://nvidia.com/en-sg/drivers/geforce-license", "facts")
    if "vast" in text:
        return sources.cite(
            "vast-host-taxes", "docs.vast.ai, host guide to taxes (vast-ai/docs@c624622)", "facts"
        )
    return sources.cite(
        "cfr-200-2024", "2 CFR 200 as revised from 2024-10-01, summary at squaremeals.org", "facts"
    )
