"""The tables of the catalog: one typed schema each, with the meaning and unit of every column.

Every table carries the provenance columns. A row is valid on day D when
`valid_from <= D < valid_to` (an empty `valid_to` is open). Null means unknown, never zero.
Data files are CSV (`data/<table>.csv`): a sceptic can read and diff them.
"""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

TERMS = ("own", "on_demand", "reserved_1y", "reserved_3y", "spot", "interruptible", "monthly")
"""Closed list of rental terms (`own` only for machines)."""
KINDS = (
    "own_build",
    "own_prebuilt",
    "own_existing",
    "colocation",
    "bare_metal",
    "cloud",
    "marketplace",
    "exchange",
    "campus",
)
"""Closed list of ways to get compute."""
PRICE_KINDS = ("list", "quote", "observed_typical", "observed_minimum")
CONFIDENCES = ("high", "medium", "low")
PART_TYPES = ("gpu", "cpu", "cpu_cooler", "motherboard", "memory", "storage", "power_supply", "case", "fan")
"""Closed list of the kinds of parts of a machine."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its type, what it means (with its unit), and whether null is allowed."""

    name: str
    dtype: pl.DataType | type[pl.DataType]
    meaning: str
    nullable: bool = True
    one_of: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """A table: its name, what one row is, and its columns."""

    name: str
    row: str
    columns: tuple[Column, ...]

    @property
    def dtypes(self) -> dict[str, pl.DataType | type[pl.DataType]]:
        """Column name to Polars type, in file order."""
        return {c.name: c.dtype for c in self.columns}


def _c(
    name: str,
    dtype: pl.DataType | type[pl.DataType],
    meaning: str,
    *,
    required: bool = False,
    one_of: tuple[str, ...] | None = None,
) -> Column:
    return Column(name, dtype, meaning, not required, one_of)


PROVENANCE = (
    _c("source", pl.String, "id of a row in `sources`", required=True),
    _c(
        "observed_on",
        pl.Date,
        "day the source showed the figure (first of the month or year if no day is known)",
        required=True,
    ),
    _c(
        "confidence",
        pl.String,
        "high: read from the publisher; medium: second hand; low: memory or judgement",
        required=True,
        one_of=CONFIDENCES,
    ),
    _c("valid_from", pl.Date, "first day the row holds", required=True),
    _c("valid_to", pl.Date, "first day it no longer holds; null while it does"),
    _c("note", pl.String, "what a reader should know, other readings among it"),
)


def _table(name: str, row: str, *columns: Column, provenance: bool = True) -> Table:
    return Table(name, row, columns + (PROVENANCE if provenance else ()))


SOURCES = _table(
    "sources",
    "a publication that rows cite",
    _c("id", pl.String, "short id used in `source` columns", required=True),
    _c("citation", pl.String, "what and where: address or title, commit or page", required=True),
    _c("licence", pl.String, "terms of the source; 'facts' where only figures were taken"),
    _c("attribution", pl.String, "notice that the licence asks for, copied into NOTICE"),
    provenance=False,
)

OFFERS = _table(
    "offers",
    "one way to rent one machine type in one place on one term",
    _c("provider", pl.String, "name as in `providers`", required=True),
    _c(
        "kind",
        pl.String,
        "kind of option it makes",
        required=True,
        one_of=("cloud", "marketplace", "bare_metal", "exchange", "campus"),
    ),
    _c("instance_type", pl.String, "the provider's name of the machine", required=True),
    _c(
        "region",
        pl.String,
        "the provider's region, or 'global' where one price holds everywhere",
        required=True,
    ),
    _c("country", pl.String, "ISO 3166 alpha-3 code of the region; null if it spans several or is unknown"),
    _c("gpu", pl.String, "canonical GPU name as in `gpus`", required=True),
    _c(
        "gpu_count",
        pl.Float64,
        "GPUs in the machine; a fraction where one GPU is shared; null if the source does not say",
    ),
    _c("gpu_memory_gb", pl.Float64, "nominal memory of one GPU (of the share, for a fraction), GB"),
    _c("vcpus", pl.Float64, "virtual CPUs"),
    _c("ram_gb", pl.Float64, "memory of the machine, GB"),
    _c("disk_gb", pl.Float64, "local disk, GB"),
    _c("network_gbps", pl.Float64, "network, Gbit/s"),
    _c("term", pl.String, "rental term", required=True, one_of=TERMS[1:]),
    _c(
        "amount",
        pl.Float64,
        "price of the WHOLE machine in `currency` per `per`, excluding what is paid up front; null if unknown",
    ),
    _c("currency", pl.String, "ISO 4217 code; null if the source does not say (the price is then unknown)"),
    _c("per", pl.String, "what the amount buys", required=True, one_of=("machine_hour", "machine_month")),
    _c("upfront", pl.Float64, "paid at the start of each term, in `currency`, for the whole machine"),
    _c(
        "minimum_months",
        pl.Float64,
        "shortest time that must be paid, months (12 and 36 for reservations); 0 if none",
    ),
    _c(
        "payment",
        pl.String,
        "how a commitment is paid",
        one_of=("no_upfront", "partial_upfront", "all_upfront"),
    ),
    _c("price_kind", pl.String, "what the figure is", required=True, one_of=PRICE_KINDS),
    _c(
        "condition",
        pl.String,
        "state of the hardware or of its sale",
        required=True,
        one_of=("new", "used", "discontinued"),
    ),
    _c(
        "incomplete",
        pl.String,
        "what the price leaves out (for example 'vcpu and ram'): such rows never rank; null if complete",
    ),
    _c(
        "storage_usd_gb_month", pl.Float64, "price of attached storage if the row states it, USD per GB-month"
    ),
)

GPUS = _table(
    "gpus",
    "one GPU product (or family where the market does not say which form factor)",
    _c("gpu", pl.String, "canonical name", required=True),
    _c("vendor", pl.String, "maker"),
    _c("segment", pl.String, "where it is sold", one_of=("datacenter", "workstation", "consumer")),
    _c("architecture", pl.String, "architecture"),
    _c("launch_date", pl.Date, "day of launch; the GPU is absent from the catalog of earlier days"),
    _c("memory_gb", pl.Float64, "nominal memory, GB"),
    _c("memory_bandwidth_gbs", pl.Float64, "memory bandwidth, GB/s"),
    _c("fp32_tflops", pl.Float64, "FP32 rate without tensor cores, TFLOP/s"),
    _c("fp16_tflops", pl.Float64, "FP16 rate without tensor cores, TFLOP/s"),
    _c("fp16_tensor_tflops", pl.Float64, "FP16 tensor rate, dense, FP32 accumulate, TFLOP/s"),
    _c("bf16_tensor_tflops", pl.Float64, "BF16 tensor rate, dense, TFLOP/s"),
    _c("fp8_tensor_tflops", pl.Float64, "FP8 tensor rate, dense, TFLOP/s"),
    _c("tdp_w", pl.Float64, "rated board power, W"),
    _c("idle_w", pl.Float64, "measured idle power of the card, W"),
    _c("noise_load_dba", pl.Float64, "noise under load, dBA"),
    _c("slot_width", pl.Float64, "slots it covers"),
    _c("length_mm", pl.Float64, "length, mm"),
    _c("power_connectors", pl.String, "power connectors"),
    _c("cooler", pl.String, "cooling", one_of=("blower", "open_air", "passive", "liquid")),
    _c("nvlink_gbs", pl.Float64, "NVLink bandwidth, both directions, GB/s"),
    _c("pcie_gen", pl.Float64, "PCIe generation"),
    _c("pcie_lanes", pl.Float64, "PCIe lanes"),
    _c("launch_price_usd", pl.Float64, "price at launch, USD before tax"),
    _c("dies", pl.Float64, "GPU dies that the operating system sees as separate GPUs (2 for the K80 board)"),
)

SYSTEMS = _table(
    "systems",
    "a machine one can buy (a published parts list or prebuilt) or a rate for hosting one",
    _c("system", pl.String, "short unique id, lower case with dashes", required=True),
    _c("kind", pl.String, "what it is", required=True, one_of=("own_build", "own_prebuilt", "colocation")),
    _c("vendor", pl.String, "seller, or who published the parts list"),
    _c("product", pl.String, "name", required=True),
    _c("gpu", pl.String, "canonical GPU name; null for colocation rates"),
    _c("gpu_count", pl.Float64, "GPUs"),
    _c("gpu_memory_gb", pl.Float64, "memory of one GPU, GB"),
    _c("cpu", pl.String, "processor"),
    _c("cpu_cores", pl.Float64, "cores"),
    _c("ram_gb", pl.Float64, "memory, GB"),
    _c("disk_gb", pl.Float64, "disk, GB"),
    _c(
        "amount",
        pl.Float64,
        "price before tax (a machine), or per kW of power and month (colocation); null if unknown",
    ),
    _c("amount_low", pl.Float64, "lower end where the price is a range"),
    _c("amount_high", pl.Float64, "upper end where the price is a range"),
    _c("currency", pl.String, "ISO 4217 code"),
    _c(
        "gpu_amount",
        pl.Float64,
        "part of the price that is the GPUs (it keeps value on its own curve), same currency",
    ),
    _c("price_kind", pl.String, "what the figure is", required=True, one_of=PRICE_KINDS),
    _c("power_kw", pl.Float64, "rated or stated power of the whole machine, kW"),
    _c("form", pl.String, "where it can stand", one_of=("desktop", "workstation", "rack")),
    _c("condition", pl.String, "state of the hardware", one_of=("new", "used", "discontinued")),
    _c("country", pl.String, "where the rate or price holds, ISO alpha-3; null if anywhere"),
)

PARTS = _table(
    "parts",
    "one part of a published list",
    _c("system", pl.String, "id in `systems`", required=True),
    _c(
        "part_type",
        pl.String,
        "gpu, cpu, cpu_cooler, motherboard, memory, storage, power_supply, case",
        required=True,
    ),
    _c("name", pl.String, "name as sold", required=True),
    _c("quantity", pl.Float64, "how many", required=True),
    _c("amount", pl.Float64, "price of one before tax; null if unknown (the build then costs 'at least')"),
    _c("currency", pl.String, "ISO 4217 code"),
)

COMPONENTS = _table(
    "components",
    "one part one could build a machine of, at its price of one time",
    _c("part_type", pl.String, "kind of part", required=True, one_of=PART_TYPES),
    _c("name", pl.String, "maker and name as sold", required=True),
    _c("amount", pl.Float64, "price of one (of one kit) before tax; null if unknown"),
    _c("currency", pl.String, "ISO 4217 code; null where the price is unknown"),
    _c(
        "condition",
        pl.String,
        "whether it is still made",
        required=True,
        one_of=("new", "used", "discontinued"),
    ),
    _c("gpu", pl.String, "GPU card: canonical name as in `gpus`"),
    _c(
        "sockets",
        pl.String,
        "sockets of the processor or board, or those a cooler is made for, separated by ';'",
    ),
    _c("platforms", pl.String, "chipset family of a board, or those a processor works on, separated by ';'"),
    _c("form_factors", pl.String, "size of a board, or those a case says it takes, separated by ';'"),
    _c(
        "full_tower",
        pl.Boolean,
        "case: whether it is a full tower or a rack case (its list of board sizes may be short)",
    ),
    _c("tdp_w", pl.Float64, "rated power of a processor or card, or what a cooler is rated for, W"),
    _c("cores", pl.Float64, "cores of a processor"),
    _c("cpu_lanes", pl.Float64, "PCIe lanes of a processor that are free beside the link to the chipset"),
    _c("pcie_gen", pl.Float64, "PCIe generation of a processor or board"),
    _c(
        "slots",
        pl.String,
        "board: PCIe slots as position:lanes, from the processor down; 2:16/8 is 8 when another card is in, "
        "7:4c hangs on the chipset, 5:8@44 needs a processor of 44 lanes, ? is an unknown position",
    ),
    _c(
        "pcie_switch", pl.Boolean, "board: whether PCIe switches widen the slots beyond the processor's lanes"
    ),
    _c("dual_slot_cards", pl.Float64, "board: cards two positions wide it takes, as a source states"),
    _c("m2_slots", pl.Float64, "board: M.2 slots"),
    _c("memory_type", pl.String, "DDR4 or DDR5, of a board or kit"),
    _c("registered", pl.Boolean, "whether a board needs, or a kit is, registered memory (with ECC)"),
    _c("memory_slots", pl.Float64, "board: memory slots"),
    _c("memory_max_gb", pl.Float64, "board: most memory, GB"),
    _c("capacity_gb", pl.Float64, "capacity of a kit or drive, GB"),
    _c("modules", pl.Float64, "modules in a kit"),
    _c("interface", pl.String, "drive: how it is connected", one_of=("nvme", "sata", "hdd", "u2")),
    _c("read_mbs", pl.Float64, "drive: sequential reading, MB/s"),
    _c("psu_w", pl.Float64, "power supply: rated output, W"),
    _c("efficiency", pl.String, "power supply: 80 PLUS class", one_of=("gold", "platinum", "titanium")),
    _c("leads_8pin", pl.Float64, "power supply: 6+2-pin PCIe leads"),
    _c("leads_16pin", pl.Float64, "power supply: 12V-2x6 (12VHPWR) leads"),
    _c("atx3", pl.Boolean, "power supply: whether it follows ATX 3.0 or later (room for transient peaks)"),
    _c("length_mm", pl.Float64, "length of a card or power supply, mm"),
    _c("width_slots", pl.Float64, "card: positions it covers"),
    _c("cooler", pl.String, "card: how it is cooled", one_of=("blower", "open_air", "passive", "liquid")),
    _c(
        "connectors",
        pl.String,
        "card: power connectors as 2x8, 1x6+1x8, 1x16 (12V-2x6) or 1xeps; none where the slot suffices",
    ),
    _c("expansion_slots", pl.Float64, "case: brackets for cards"),
    _c("max_gpu_mm", pl.Float64, "case: longest card, mm"),
    _c("max_cooler_mm", pl.Float64, "case: tallest processor cooler, mm"),
    _c("max_radiator_mm", pl.Float64, "case: largest radiator, mm"),
    _c("height_mm", pl.Float64, "processor cooler: height, mm"),
    _c("radiator_mm", pl.Float64, "processor cooler: radiator, mm; null for air"),
)

BENCHMARKS = _table(
    "benchmarks",
    "a measured rate of one GPU type on one task",
    _c("suite", pl.String, "benchmark suite; rates compare only within one suite", required=True),
    _c("task", pl.String, "training or inference", required=True),
    _c("model", pl.String, "network trained or served", required=True),
    _c("precision", pl.String, "fp32, fp16, tf32, bf16, fp8, fp4 or mixed", required=True),
    _c("gpu", pl.String, "canonical GPU name", required=True),
    _c("gpu_count", pl.Float64, "GPUs used", required=True),
    _c(
        "rate",
        pl.Float64,
        "work per second of the whole system (or the ratio the source gives)",
        required=True,
    ),
    _c("unit", pl.String, "unit of the rate", required=True),
    _c("system_w", pl.Float64, "measured power of the system, W"),
)

ELECTRICITY = _table(
    "electricity",
    "an average electricity price of one place and customer class",
    _c("country", pl.String, "ISO alpha-3", required=True),
    _c("region", pl.String, "state or province; null for the country"),
    _c("customer", pl.String, "who pays it", required=True, one_of=("household", "business", "industrial")),
    _c("amount", pl.Float64, "price per kWh in `currency`", required=True),
    _c("currency", pl.String, "ISO 4217 code", required=True),
    _c(
        "tax_basis",
        pl.String,
        "whether VAT and levies are in it",
        required=True,
        one_of=("incl", "excl", "unknown"),
    ),
)

CARBON = _table(
    "carbon",
    "carbon intensity of electricity in one place",
    _c(
        "level",
        pl.String,
        "size of the place",
        required=True,
        one_of=("country", "us_state", "cloud_region", "cn_province", "zone"),
    ),
    _c("code", pl.String, "ISO alpha-3, state, region or zone code", required=True),
    _c("name", pl.String, "name of the place"),
    _c("g_per_kwh", pl.Float64, "grams of CO2 (equivalent, see note) per kWh", required=True),
)

PUE = _table(
    "pue",
    "power usage effectiveness of a kind of site: energy in / energy to the machines",
    _c(
        "site",
        pl.String,
        "home, home_air_conditioned, office, colocation, or an operator's name",
        required=True,
    ),
    _c("pue", pl.Float64, "PUE, at least 1", required=True),
)

RESALE = _table(
    "resale",
    "share of launch price that used hardware fetched, by age counted from launch",
    _c("segment", pl.String, "what it was measured on: consumer_gpu, datacenter_gpu, rest", required=True),
    _c("age_years", pl.Float64, "age since launch, years", required=True),
    _c("ratio", pl.Float64, "median ratio to launch price", required=True),
    _c("ratio_low", pl.Float64, "lower quartile (our default)", required=True),
    _c("ratio_high", pl.Float64, "upper quartile", required=True),
    _c("points", pl.Float64, "observations behind it"),
)

ASSUMPTIONS = _table(
    "assumptions",
    "a secondary figure nobody publishes: named, visible, overridable",
    _c("key", pl.String, "name, used to override it", required=True),
    _c("low", pl.Float64, "low", required=True),
    _c("likely", pl.Float64, "likely: what is used", required=True),
    _c("high", pl.Float64, "high", required=True),
    _c("unit", pl.String, "unit", required=True),
    _c("applies_to", pl.String, "what it is about", required=True),
    _c("basis", pl.String, "why we think so", required=True),
)

PROVIDERS = _table(
    "providers",
    "one provider and its rules",
    _c("provider", pl.String, "name as in `offers`", required=True),
    _c("jurisdiction", pl.String, "where the company sits, ISO alpha-3 or EU"),
    _c("billing_s", pl.Float64, "billing granularity, seconds"),
    _c("minimum_s", pl.Float64, "minimum charge of a run, seconds"),
    _c(
        "stopped",
        pl.String,
        "what a stopped machine costs",
        one_of=("disk", "full", "nothing", "cannot_stop"),
    ),
    _c("stopped_disk_factor", pl.Float64, "disk rate while stopped / while running"),
    _c("storage_usd_gb_month", pl.Float64, "attached storage, USD per GB-month"),
    _c("spot_notice_s", pl.Float64, "warning before a spot machine is taken, seconds"),
    _c("hosts", pl.String, "who owns the machines", one_of=("own", "leased", "third_party", "mixed")),
    _c("isolation", pl.String, "what separates tenants", one_of=("bare_metal", "vm", "container", "mixed")),
    _c("certificates", pl.String, "certificates with evidence, separated by ';'; null if none is evidenced"),
    _c("baa", pl.String, "HIPAA agreement", one_of=("offered", "not_offered", "unknown")),
    _c("baa_covers_gpu", pl.String, "whether it covers the GPU service", one_of=("yes", "no", "unknown")),
    _c("dpa", pl.String, "GDPR processing agreement", one_of=("offered", "not_offered", "unknown")),
    _c("quota", pl.String, "limits a new customer meets"),
    _c(
        "field_evidence",
        pl.String,
        "per field: where it was read, or 'memory' (then unknown for certificates)",
    ),
)

EGRESS = _table(
    "egress",
    "one tier of one provider's price for data out to the internet",
    _c("provider", pl.String, "name as in `providers`", required=True),
    _c("region", pl.String, "region or zone it holds in", required=True),
    _c(
        "from_gb",
        pl.Float64,
        "tier starts at this volume a month, counted from 0 with the free allowance inside, GB",
        required=True,
    ),
    _c("to_gb", pl.Float64, "tier ends here, GB; null for the last"),
    _c("usd_per_gb", pl.Float64, "price, USD per GB; null if unknown"),
    _c("free_gb", pl.Float64, "allowance a month that is not billed, GB (0 if none)"),
    _c("default", pl.Boolean, "whether this is the tier table used when no region is named", required=True),
)

FX = _table(
    "fx",
    "mean exchange rate of a month",
    _c("month", pl.Date, "first day of the month", required=True),
    _c("currency", pl.String, "ISO 4217 code", required=True),
    _c("usd_per_unit", pl.Float64, "US dollars for one unit", required=True),
)

TAXES = _table(
    "taxes",
    "the standard VAT or sales tax of a country",
    _c("country", pl.String, "ISO alpha-3", required=True),
    _c("rate", pl.Float64, "standard rate as a share (0.19)", required=True),
)

POLICIES = _table(
    "policies",
    "a rule of a licence, grant, home circuit or the like",
    _c("topic", pl.String, "licence, grant, home_circuit, hosting, export", required=True),
    _c("place", pl.String, "ISO alpha-3, or 'world'", required=True),
    _c("item", pl.String, "what it is about", required=True),
    _c("text", pl.String, "the rule in our words"),
    _c("value", pl.Float64, "figure, where it has one"),
    _c("unit", pl.String, "unit of the figure"),
    _c("link", pl.String, "where to read it"),
)

POINTS = _table(
    "points",
    "a place in a country, to tell how far it is: one for each of its time zones",
    _c("country", pl.String, "ISO 3166 alpha-2", required=True),
    _c("zone", pl.String, "name of the time zone", required=True),
    _c("latitude", pl.Float64, "degrees north", required=True),
    _c("longitude", pl.Float64, "degrees east", required=True),
)

TABLES = {
    t.name: t
    for t in (
        SOURCES, OFFERS, GPUS, SYSTEMS, PARTS, COMPONENTS, BENCHMARKS, ELECTRICITY, CARBON, PUE, RESALE,
        ASSUMPTIONS, PROVIDERS, EGRESS, FX, TAXES, POLICIES, POINTS,
    )
}  # fmt: skip
