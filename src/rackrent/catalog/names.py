"""Canonical GPU names: one name for each product, whatever a price list or a benchmark calls it.

A name states what its source states and no more. "A100 SXM 80GB" is a product; "A100 80GB" is the family of
that memory where nobody said which form factor; "A100" where the memory is not said either.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from rackrent.errors import BadInput, nearest
from rackrent.i18n import gettext as _

_FORMED = {
    "V100": (16, 32),
    "P100": (12, 16),
    "A100": (40, 80),
    "A800": (40, 80),
    "H100": (64, 80, 94, 96),
    "H800": (80,),
    "H200": (141,),
}
"""GPUs sold in several form factors, with their memory sizes in GB."""
_USUAL_MEMORY = {"P100": 16, "A800": 80, "H100": 80, "H800": 80, "H200": 141}
_TWO_DIES = {"K80": 12, "M60": 8}
"""Boards of two GPUs, with the memory of one, GB."""
_BY_MEMORY = {
    "GTX 1060": (6, (3, 6)),
    "RTX 3050": (8, (6, 8)),
    "RTX 3060": (12, (8, 12)),
    "RTX 3080": (10, (10, 12)),
    "RTX 4060 Ti": (None, (8, 16)),
    "RTX 5060 Ti": (None, (8, 16)),
    "RTX A2000": (6, (6, 12)),
    "GH200": (96, (80, 96, 144)),
    "RTX PRO 5000 Blackwell": (48, (48, 72)),
}
"""Products that share a name and differ in memory: the size the bare name stands for (None: unsaid), all sizes."""
_BARE = {
    ("RTX 3060", 12),
    ("RTX 3080", 10),
    ("RTX 3050", 8),
    ("RTX A2000", 6),
    ("RTX PRO 5000 Blackwell", 48),
}
_SIZES = (
    2,
    3,
    4,
    6,
    8,
    10,
    11,
    12,
    16,
    20,
    24,
    28,
    32,
    40,
    48,
    64,
    72,
    80,
    94,
    96,
    128,
    141,
    180,
    186,
    192,
    256,
    288,
)
_MODIFIED = {"RTX 4090": 48, "RTX 4080": 32, "RTX 2080 Ti": 22, "RTX 3080": 20}
"""Cards with more memory than their maker put on them, GB."""

_INSTANCES = (
    (r"^(ml\.)?p2\.", "K80 (one die)"),
    (r"^(ml\.)?p3\.|\bAWS P3\b", "V100 SXM2 16GB"),
    (r"^(ml\.)?p3dn\.", "V100 SXM2 32GB"),
    (r"^(ml\.)?p4d\.", "A100 SXM 40GB"),
    (r"^(ml\.)?p4de\.", "A100 SXM 80GB"),
    (r"^(ml\.)?p5\.", "H100 SXM 80GB"),
    (r"^(ml\.)?p5en?\.", "H200 SXM 141GB"),
    (r"^(ml\.)?p6-b200\.", "B200"),
    (r"^(ml\.)?p6-b300\.", "B300"),
    (r"^(ml\.)?g3s?\.", "M60 (one die)"),
    (r"^(ml\.)?g4dn\.", "T4"),
    (r"^(ml\.)?g4ad\.", "Radeon Pro V520"),
    (r"^(ml\.)?g5\.", "A10G"),
    (r"^(ml\.)?g5g\.", "T4G"),
    (r"^(ml\.)?g6f?\.", "L4"),
    (r"^(ml\.)?g6e\.", "L40S"),
    (r"^(ml\.)?g7e\.", "RTX PRO 6000 Blackwell Server"),
    (r"^Standard_NC\d+r?(_Promo)?$", "K80 (one die)"),
    (r"^Standard_NC\d+r?s_v3$", "V100 PCIe 16GB"),
    (r"^Standard_ND40rs_v2$", "V100 SXM2 32GB"),
    (r"^Standard_NC\d+ads_A100_v4$", "A100 PCIe 80GB"),
    (r"^Standard_ND96asr(_A100)?_v4$", "A100 SXM 40GB"),
    (r"^Standard_ND96amsr?_A100_v4$", "A100 SXM 80GB"),
    (r"^Standard_NC\d+adi?s_H100_v5$", "H100 NVL 94GB"),
    (r"^Standard_ND96is.*_H100_v5$", "H100 SXM 80GB"),
    (r"^Standard_ND96isr?_H200_v5$", "H200 SXM 141GB"),
    (r"^Standard_NV(12|24|48)s_v3$", "M60 (one die)"),
    (r"^a2-(high|mega)gpu-", "A100 SXM 40GB"),
    (r"^a2-ultragpu-", "A100 SXM 80GB"),
    (r"^a3-(high|mega|edge)gpu-", "H100 SXM 80GB"),
    (r"^a3-ultragpu-", "H200 SXM 141GB"),
    (r"^g4-standard-", "RTX PRO 6000 Blackwell Server"),
    (r"^BM\.GPU4\.8$|^BM\.GPU\.A4\.8$", "A100 SXM 40GB"),
    (r"^BM\.GPU\.A100-v2\.8$", "A100 SXM 80GB"),
    (r"^BM\.GPU\.H100\.8$", "H100 SXM 80GB"),
)
"""Instance types whose GPU their provider documents. Used only where the row's own name agrees on the family."""

_PRODUCTS = (
    (r"\bTPU\b.*\bTRILLIUM\b|\bTPU V6E\b", "TPU v6e"),
    (r"\bGB300\b", "GB300"),
    (r"\bGB200\b", "GB200"),
    (r"\bGB10\b", "GB10"),
    (r"\bGH200\b", "GH200"),
    (r"\bB300\b", "B300"),
    (r"\bB200\b", "B200"),
    (r"\bRTX (PRO 6000|6000 PRO|PRO A6000)\b.*\b(SE|SERVER|BSE)\b", "RTX PRO 6000 Blackwell Server"),
    (r"\bRTX (PRO 6000|6000 PRO)\b.*\bMAX Q\b", "RTX PRO 6000 Blackwell Max-Q"),
    (r"\bRTX (PRO 6000|6000 PRO)\b", "RTX PRO 6000 Blackwell"),
    (r"\bRTX PRO (5000|4500|4000|2000)\b", "RTX PRO {} Blackwell"),
    (r"\bRTX (2000|4000|4500|5000|5880|6000) (SFF )?ADA\b", "RTX {} {}Ada"),
    (r"\b(?:RTX )?A(2000|4000|4500|5000|5500|6000)\b", "RTX A{}"),
    (r"\b(?:QUADRO )?RTX (4000|5000|6000|8000)\b", "Quadro RTX {}"),
    (r"\bMI(\d{2,3}[AX]?)\b", "MI{}"),
    (r"\bRX (\d{4}) ?(XTX|XT|GRE)?\b", "RX {} {}"),
    (r"\bAI PRO R(\d{4})\b", "Radeon AI PRO R{}"),
    (r"\bPRO (W\d{4})\b", "Radeon PRO {}"),
    (r"\b(?:PRO )?(V[5-7]\d0)\b", "Radeon Pro {}"),
    (r"\bARC PRO B60 DUAL\b", "Arc Pro B60 Dual"),
    (r"\bARC (PRO )?([AB]\d{2,3})\b", "Arc {}{}"),
    (r"\bTITAN X PASCAL\b", "Titan X Pascal"),
    (r"\bTITAN XP\b", "Titan Xp"),
    (r"\bTITAN X\b", "GTX Titan X"),
    (r"\bTITAN (V|RTX)\b", "Titan {}"),
    (r"\b(V100S)\b", "V100S PCIe 32GB"),
    (r"\b(V100|P100|A100|A800|H100|H800|H200|K80|M60)\b", "{}"),
    (r"\b(L40S|L40|L20|L4|T4G|T4|A10G|A10|A16|A2|A30|A40|P40|P4|M40|H20)\b", "{}"),
)

_GEFORCE = re.compile(
    r"\b(?:(GTX|RTX|GT) )?(\d{3,4})(?: (TI))?(?: (SUPER))?(?: (D))?(?: (MAX Q|LAPTOP|MOBILE))?\b"
)
_GEFORCE_NUMBERS = {
    "GTX": re.compile(r"(?:9[5-8]0|10[3-8]0|16[3-6]0)$"),
    "RTX": re.compile(r"(?:20[5-8]0|30[5-9]0|40[5-9]0|50[5-9]0)$"),
}


_WRITTEN_AS_ONE = (
    (r"\b(RTX|GTX|GT|RX)(?=A?\d)", r"\1 "),
    (r"\bRTX ?PRO(?=\d)", "RTX PRO "),
    (r"\b(RTX PRO \d{4}) ?S\b", r"\1 SERVER"),
    (r"(?<=\d)(TI|SUPER|ADA)\b", r" \1"),
    (r"(?<=\d)TISUPER\b", " TI SUPER"),
    (r"\b([2-5]0\d0)S( TI)?\b", r"\1\2 SUPER"),
    (r"\b([2-5]0\d0)D\b", r"\1 D"),
    (r"\b([AH]\d00)(NVL|PCIE|SXM\d?)\b", r"\1 \2"),
)
"""How feeds and markets write a name without its spaces, or shorten it ("RTXPRO6000", "RTX_4070S_Ti"): how it is meant."""

_BESIDE = frozenset(
    {
        "NVIDIA", "GEFORCE", "TESLA", "QUADRO", "AMD", "RADEON", "INSTINCT", "INTEL", "RTX", "GTX", "GENERATION",
        "BLACKWELL", "GPU", "GPUS", "GRAPHICS", "CARD", "BOARD", "MODE", "EDITION", "FOUNDERS", "FE", "HGX", "DGX",
        "NVLINK", "HALF", "FULL", "1", "ONE", "DIE", "HIGH", "FREQ", "MOD", "MODIFIED", "MOBILE", "LAPTOP", "SE", "BSE",
        "SERVER", "WORKSTATION", "TENSOR", "CORE", "OAM", "SXM", "SXM2", "SXM3", "SXM4", "SXM5", "PCIE", "NVL", "V6E",
    }
)  # fmt: skip
"""Words that people write beside the name of a GPU, or in another form than it has there."""
_MEASURE = r"\d+(\.\d+)?GB|HBM\d?E?|GDDR\dX?"


def canonical_gpu(name: str, memory_gb: float | None = None, hint: str | None = None) -> str | None:
    """Return the canonical name of a GPU, or None where the text names no single GPU we know.

    `memory_gb` is the memory of one GPU as the source gives it; `hint` is the instance type or other text of
    the row, used for the form factor and memory where the name leaves them out.

    >>> canonical_gpu("Tesla V100-SXM2-16GB"), canonical_gpu("A100-80GB"), canonical_gpu("RTX4060 Ti", 16)
    ('V100 SXM2 16GB', 'A100 80GB', 'RTX 4060 Ti 16GB')
    >>> canonical_gpu("H100 SXM", hint="NVIDIA H100 PCIe")
    'H100 PCIe 80GB'
    """
    if name.casefold().startswith("unverified"):
        return None
    text = _clean(name)
    product = _product(text)
    told = _of_instance(name) or _of_instance(hint or "")
    if product is None:
        return told if _of_instance(name) else None
    if len({p for part in re.split(r",|\+| and ", name) if (p := _product(_clean(part)))}) > 1:
        return None
    if told is not None and told.split()[0] == product.split()[0] and product in _FORMED | _TWO_DIES:
        return told
    return _with_variant(product, text, memory_gb, _clean(hint or ""))


def typed_gpu(name: str) -> str | None:
    """Return the canonical name of a GPU as a person types it; None where a word of it is not understood.

    A price list may say more than the name. A person who types "GTX 1080 Tj" has mistyped it, and a "GTX 1080" is
    another card.

    >>> typed_gpu("rtx3090"), typed_gpu("Tesla V100-SXM2-16GB"), typed_gpu("GTX 1080 Tj")
    ('RTX 3090', 'V100 SXM2 16GB', None)
    """
    canonical = canonical_gpu(name)
    if canonical is None or _of_instance(name):
        return canonical
    said, joined = {*_clean(canonical).split(), *_BESIDE}, _clean(canonical).replace(" ", "")
    for word in _clean(name).split():
        written_as_one = len(word) > 4 and word in joined
        if word not in said and not written_as_one and not re.fullmatch(_MEASURE, word):
            return None
    return canonical


def resolve_gpu(name: str, known: Iterable[str]) -> str:
    """Return the name in `known` that a person means by `name`; raise BadInput with the nearest one otherwise."""
    names = list(known)
    folded = {n.casefold(): n for n in names}
    if exact := folded.get(name.strip().casefold()):
        return exact
    canonical = typed_gpu(name)
    if canonical in names:
        return canonical
    for shorter in (nearest(canonical, names) if canonical else []) + nearest(name, names):
        raise BadInput(
            _("Unknown GPU {name!r}; did you mean {nearest!r}?").format(name=name, nearest=shorter)
        )
    raise BadInput(_("Unknown GPU {name!r}; `rackrent prices search` lists the names.").format(name=name))


def members(name: str, known: Iterable[str]) -> list[str]:
    """Return the names in `known` that are `name` or a more exact form of it, in the order of `known`.

    >>> members("A100 80GB", ["A100 40GB", "A100 80GB", "A100 SXM 80GB", "A100 PCIe 80GB"])
    ['A100 80GB', 'A100 SXM 80GB', 'A100 PCIe 80GB']
    """
    family = _parts(name)
    return [k for k in known if k == name or _covers(family, _parts(k))]


def nominal_memory_gb(gpu: str, reported: float | None, unit: str = "MiB") -> float | None:
    """Return the memory a GPU is sold with, GB, from what a driver or a price feed reports.

    `unit` is what the column says ("MiB", "GiB", "GB"). A figure that is out of range in its unit (80 "MiB",
    24,576 "GB") is read in the unit that makes it a GPU memory. Null stays null.

    >>> [nominal_memory_gb("L4", m, "MiB") for m in (22_888, 23_034, 24_576)], nominal_memory_gb("H100", 80, "MiB")
    ([24.0, 24.0, 24.0], 80.0)
    """
    if reported is None or reported <= 0:
        return None
    size = reported / 1024 if unit.casefold() in ("mib", "mb") else reported
    if size < 0.5:
        size = reported
    elif size > 2_000:
        size = reported / 1024
    stated = _memory(_clean(gpu), _SIZES)
    sizes = (stated,) if stated else _SIZES
    near = min(sizes, key=lambda s: abs(s - size))
    return float(near) if abs(near - size) <= 0.08 * near else float(round(size, 2))


def _clean(name: str) -> str:
    text = re.sub(r"[^A-Z0-9./]+", " ", name.upper())
    for written, meant in _WRITTEN_AS_ONE:
        text = re.sub(written, meant, text)
    return re.sub(r"\b(\d+(?:\.\d+)?) ?(?:GB|GIB|G)\b", r"\1GB", text).strip()


def _product(text: str) -> str | None:
    for pattern, template in _PRODUCTS:
        if m := re.search(pattern, text):
            groups = [g.strip() if g else "" for g in m.groups()]
            if "SFF" in groups:
                return f"RTX {groups[0]} SFF Ada"
            if template.startswith("Arc {}"):
                return f"Arc {'Pro ' if groups[0] else ''}{groups[1]}"
            return template.format(*groups).strip().replace("  ", " ")
    for m in _GEFORCE.finditer(text):
        line = m[1] or next((k for k, v in _GEFORCE_NUMBERS.items() if v.match(m[2])), None)
        if line in _GEFORCE_NUMBERS and _GEFORCE_NUMBERS[line].match(m[2]):
            words = [line, m[2], "Ti" if m[3] else "", "Super" if m[4] else "", "D" if m[5] else ""]
            mobile = {"MAX Q": "Max-Q", None: ""}.get(m[6], "Laptop")
            return " ".join(w for w in [*words, mobile] if w)
    return None


def _with_variant(product: str, text: str, memory_gb: float | None, hint: str) -> str:
    if product in _FORMED:
        return _formed(product, text, memory_gb, hint)
    if product in _TWO_DIES:
        half = memory_gb is not None and round(memory_gb) == _TWO_DIES[product]
        return f"{product} (one die)" if half or re.search(r"\b(HALF|1 DIE|ONE DIE)\b", text) else product
    stated = _memory(text, _SIZES) or memory_gb
    if stated is not None and _MODIFIED.get(product) == round(stated):
        return f"{product} {round(stated)}GB (modified)"
    if product in _BY_MEMORY:
        usual, sizes = _BY_MEMORY[product]
        size = _snap(stated, sizes) or usual
        return product if size is None or (product, size) in _BARE else f"{product} {size}GB"
    if product == "Arc Pro B60 Dual":
        return "Arc Pro B60 Dual 48GB"
    return product


def _formed(product: str, text: str, memory_gb: float | None, hint: str) -> str:
    sizes = _FORMED[product]
    form = _form(product, hint) or _form(product, text)
    size = (
        _memory(text, sizes) or _snap(memory_gb, sizes) or _memory(hint, sizes) or _USUAL_MEMORY.get(product)
    )
    if product == "H100" and (form == "NVL" or size == 94):
        form, size = "NVL", 94
    if size is None:
        return product
    return " ".join(w for w in (product, form, f"{size}GB") if w)


def _form(product: str, text: str) -> str | None:
    if product not in text and not re.search(r"\b[DH]GX\b", text):
        return None
    if re.search(r"\bNVL\b", text) and product in ("H100", "H200"):
        return "NVL"
    if re.search(r"\bPCIE\b", text):
        return "PCIe"
    old = product in ("V100", "P100")
    if m := re.search(r"\bSXM([2345]?)\b", text):
        return ("SXM3" if m[1] == "3" else "SXM2") if old else "SXM"
    station = re.search(r"\bSTATION\b", text) and old
    if re.search(r"\b(HGX|DGX|HBM3)\b", text) and not station:
        return "SXM2" if old else "SXM"
    if old and re.search(r"\bNVLINK\b", text):
        return "SXM2"
    return None


def _memory(text: str, sizes: tuple[int, ...]) -> int | None:
    """The first memory size in `text` that is one of `sizes` (or just under it)."""
    for m in re.finditer(r"\b(\d+(?:\.\d+)?)GB\b", text):
        if size := _snap(float(m[1]), sizes):
            return size
    return None


def _snap(memory_gb: float | None, sizes: tuple[int, ...]) -> int | None:
    if memory_gb is None:
        return None
    near = min(sizes, key=lambda s: abs(s - memory_gb))
    return near if abs(near - memory_gb) <= 0.07 * near else None


def _of_instance(text: str) -> str | None:
    return next((gpu for pattern, gpu in _INSTANCES if re.search(pattern, text)), None)


def _parts(name: str) -> tuple[str, str | None, str | None]:
    """Split a canonical name into product, form factor and memory."""
    m = re.fullmatch(r"(.+?)(?: (SXM\d?|PCIe|NVL))?(?: (\d+GB))?", name)
    assert m is not None
    return m[1], m[2], m[3]


def _covers(family: tuple[str, str | None, str | None], one: tuple[str, str | None, str | None]) -> bool:
    return family[0] == one[0] and all(f is None or f == o for f, o in zip(family[1:], one[1:], strict=True))
