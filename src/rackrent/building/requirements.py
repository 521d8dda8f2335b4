"""What a person wants of the machine they build: one definition for the command line, Python and files."""

from __future__ import annotations

import calendar
import datetime
import re
from typing import Annotated, Literal, get_args

from pydantic import Field, ValidationError, field_validator, model_validator

from rackrent.errors import BadInput, nearest
from rackrent.i18n import gettext as _
from rackrent.workload.base import Model
from rackrent.workload.complaint import BOUNDS, TYPES, choices
from rackrent.workload.source import shown

NOT_CUDA = re.compile(r"^(Radeon|RX |Arc |MI\d)")
Objective = Literal["most_work", "cheapest", "work_per_dollar"]
Task = Literal["generic", "training", "inference"]
TASKS: tuple[Task, ...] = get_args(Task)
Wish = Annotated[int, Field(ge=0, le=10)]


class BuildRequirements(Model):
    """Requirements of a build. What is left out is not asked for.

    A wish is a weight from 0 to 10: a part that lacks what is wished counts as ten dollars dearer for each point, so that
    a wish decides between parts of about one price and never breaks a rule.
    """

    gpus: Annotated[int, Field(ge=1, le=7, description="GPUs to begin with")] = 1
    grow_to: Annotated[
        int | None, Field(ge=1, le=7, description="GPUs of the same kind that must fit later")
    ] = None
    budget: Annotated[
        float | None, Field(gt=0, le=10_000_000, description="most to spend, USD before tax")
    ] = None
    date: Annotated[
        str | None, Field(description="build at the prices of this day, or of the end of a month (2018-09)")
    ] = None
    objective: Annotated[
        Objective | None,
        Field(description="what is best; left out: most_work with a budget, else work_per_dollar"),
    ] = None
    gpu: Annotated[str | None, Field(description="use this GPU")] = None
    gpu_memory: Annotated[
        float | None, Field(gt=0, le=2000, description="memory of one GPU at least, GB")
    ] = None
    ram: Annotated[float, Field(gt=0, le=10_000, description="memory at least, GB")] = 64.0
    disk: Annotated[float, Field(gt=0, le=100_000, description="disk at least, GB")] = 1000.0
    sata: Annotated[bool, Field(description="accept a SATA drive in place of NVMe")] = False
    adapters: Annotated[
        bool, Field(description="accept adapters for 12V-2x6 cards on a supply without such leads")
    ] = False
    cuda: Annotated[bool, Field(description="only cards that run CUDA")] = True
    discontinued: Annotated[bool, Field(description="accept parts no longer made")] = False
    unpriced: Annotated[
        bool, Field(description="accept parts whose price is unknown; the total is then 'at least'")
    ] = False
    without: Annotated[
        list[str],
        Field(default_factory=list, max_length=50, description="leave out parts whose name holds this"),
    ]
    brand: Annotated[list[str], Field(default_factory=list, max_length=20, description="brand that is liked")]
    quiet: Annotated[Wish, Field(description="wish: quiet (0 to 10)")] = 0
    small: Annotated[Wish, Field(description="wish: a small case (0 to 10)")] = 0
    looks: Annotated[Wish, Field(description="wish: glass and light (0 to 10)")] = 0
    ecc: Annotated[Wish, Field(description="wish: memory that corrects errors (0 to 10)")] = 0
    task: Annotated[Task, Field(description="work that speed is judged on")] = "generic"
    precision: Annotated[
        Literal["fp32", "fp16", "bf16", "fp8"], Field(description="precision of the work")
    ] = "fp16"
    country: Annotated[
        str, Field(pattern=r"^[A-Z]{3}$", description="country: circuit, electricity, tax (ISO alpha-3)")
    ] = "USA"
    region: Annotated[str | None, Field(description="state or province")] = None
    sales_tax: Annotated[
        float | None, Field(ge=0, le=0.5, description="your tax on it as a share; left out: the country's")
    ] = None
    prices: Annotated[
        str | None, Field(description="file of your own prices: CSV with name, price and date")
    ] = None
    utilisation: Annotated[float, Field(ge=0, le=1, description="share of the year at full load")] = 1.0

    @field_validator("date")
    @classmethod
    def _a_day_or_month(cls, value: str | None) -> str | None:
        if value is not None:
            last_day(value)
        return value

    @model_validator(mode="after")
    def _no_contradiction(self) -> BuildRequirements:
        if self.grow_to is not None and self.grow_to < self.gpus:
            raise ValueError(
                _("grow_to is {m}, fewer than gpus ({n}): a machine grows to as many or more").format(
                    m=self.grow_to, n=self.gpus
                )
            )
        if self.small and self.most > 4:
            raise ValueError(_("small and {n} GPUs contradict each other: leave one out").format(n=self.most))
        if not all(word.strip() for word in (*self.without, *self.brand)):
            raise ValueError(_("without and brand take words, and one is empty"))
        if self.gpu is not None and any(word.casefold() in self.gpu.casefold() for word in self.without):
            raise ValueError(_("gpu asks for {gpu}, which without leaves out").format(gpu=self.gpu))
        return self

    def resolved(self, gpu: str) -> BuildRequirements:
        """Return the requirements with the GPU by its canonical name. Raises BadInput where it cannot run what is asked."""
        if self.cuda and not_cuda(gpu):
            raise BadInput(
                _(
                    "gpu and cuda contradict each other: {gpu} does not run CUDA; give --no-cuda with it"
                ).format(gpu=gpu)
            )
        return self.model_copy(update={"gpu": gpu})

    @property
    def most(self) -> int:
        """GPUs in the end."""
        return self.grow_to or self.gpus

    @property
    def aim(self) -> Objective:
        """The objective, by its default if none is given."""
        return self.objective or ("most_work" if self.budget is not None else "work_per_dollar")

    @property
    def as_of(self) -> datetime.date | None:
        """The day whose prices are used, if one is asked for."""
        return None if self.date is None else last_day(self.date)


def not_cuda(gpu: str) -> bool:
    """Whether a GPU is of a maker whose cards do not run CUDA."""
    return NOT_CUDA.search(gpu) is not None


def last_day(text: str) -> datetime.date:
    """Read a day, or a month as its last day. Raises ValueError.

    >>> last_day("2018-09")
    datetime.date(2018, 9, 30)
    """
    try:
        if len(text) == 7:
            year, month = int(text[:4]), int(text[5:])
            return datetime.date(year, month, calendar.monthrange(year, month)[1])
        return datetime.date.fromisoformat(text)
    except (ValueError, IndexError):
        raise ValueError(_("must be a day such as 2018-09-15 or a month such as 2018-09")) from None


def complaint(error: ValidationError) -> str:
    """Return the first thing that is wrong with requirements, and what would be right, in one sentence."""
    detail = error.errors(include_url=False)[0]
    kind, value, context = detail["type"], detail["input"], detail.get("ctx", {})
    name = str(detail["loc"][0]) if detail["loc"] else ""
    fields = BuildRequirements.model_fields
    if kind == "extra_forbidden":
        close = ", ".join(nearest(name, list(fields)) or fields)
        return _("unknown field {name}; did you mean {close}?").format(name=shown(name), close=close)
    if kind == "value_error":
        said = str(context["error"])
        return f"{name}: {said}" if name else said
    if kind == "literal_error":
        words = choices(fields[name].annotation)
        close = ", ".join(nearest(str(value), words) or words)
        return _("{path} is {value}; did you mean {close}?").format(
            path=name, value=shown(value), close=close
        )
    if kind == "string_pattern_mismatch":
        return _(
            "{path} is {value}; it must be a three-letter country code (ISO 3166) such as USA or DEU"
        ).format(path=name, value=shown(value))
    if kind in BOUNDS:
        key, message = BOUNDS[kind]
        return _(message).format(path=name, value=shown(value), bound=f"{context[key]:,.12g}")
    return _(TYPES.get(kind, "{path} cannot be {value}")).format(path=name, value=shown(value))
