"""What a person can ask of a plan."""

from __future__ import annotations

from dataclasses import dataclass

from rackrent.errors import BadInput
from rackrent.i18n import gettext as _
from rackrent.workload.model import Workload


@dataclass(frozen=True)
class PlanRequest:
    """What a person can ask of a plan; None: no limit, or as the files say.

    `months` looked ahead; limits in USD, kW and machines owned; `gpu` for hours that do not say theirs; `gang`, the
    largest job; `task` and `precision` decide how fast other GPUs count; `country` and `site` where machines stand.
    `interruptible` is the share of each hour's work that survives an interruption, with a checkpoint that takes
    `checkpoint_minutes`; nothing may be interrupted unless it is said. `yours` is a workload whose `have` lists the
    machines there are, and whose `own`, `people` and `assumptions` say how machines are counted. `doubts` also makes
    the plan of least expected regret and runs the rules that do not know the future: some seconds more.
    """

    months: int = 36
    upfront_usd: float | None = None
    monthly_usd: float | None = None
    kw: float | None = None
    machines: int | None = None
    gpu: str | None = None
    gang: int | None = None
    task: str = "generic"
    precision: str = "fp16"
    country: str = "USA"
    site: str = "server_room"
    growth_per_year: float = 0.0
    interruptible: float = 0.0
    checkpoint_minutes: float = 5.0
    yours: Workload | None = None
    doubts: bool = True

    def __post_init__(self) -> None:
        if not 1 <= self.months <= 120:
            raise BadInput(_("A plan looks 1 to 120 months ahead, not {months}.").format(months=self.months))
        for name in ("upfront_usd", "monthly_usd", "kw", "machines"):
            value = getattr(self, name)
            if value is not None and not value >= 0:
                raise BadInput(_("The limit {name} must be 0 or more.").format(name=name))
        if self.gang is not None and not 1 <= self.gang <= 4096:
            raise BadInput(_("The largest job must need 1 to 4096 GPUs, not {gang}.").format(gang=self.gang))
        if not -0.99 <= self.growth_per_year <= 4:
            raise BadInput(_("Growth a year must be between -0.99 and 4."))
        if not 0 <= self.interruptible <= 1:
            raise BadInput(
                _(
                    "The share of the work that survives an interruption must be from 0 to 1, not {share:g}."
                ).format(share=self.interruptible)
            )

    @property
    def limited(self) -> bool:
        """Whether any limit is set."""
        return (self.upfront_usd, self.monthly_usd, self.kw, self.machines) != (None, None, None, None)
