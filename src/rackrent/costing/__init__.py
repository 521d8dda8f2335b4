"""Cash flows of one way of getting compute, and the arithmetic under them.

What is exported here is pure arithmetic: arrays in, arrays out, scalars broadcast.
"""

from rackrent.costing.egress import EgressTier, egress_cost
from rackrent.costing.energy import TimeOfUse, co2_kg, energy_kwh, energy_usd, wall_watts
from rackrent.costing.finance import (
    annuity,
    book_value,
    commitment_cost,
    commitment_flows,
    declining_balance,
    depreciation_from_values,
    monthly_rate,
    npv,
    straight_line,
)
from rackrent.costing.interruption import (
    ObservedFailures,
    daly_interval_hours,
    interruption_overhead,
    interruption_waste,
    monthly_probability_to_rate,
    young_interval_hours,
)
from rackrent.costing.lending import (
    Drawn,
    LendingIncome,
    ask_floor_usd,
    energy_floor_usd,
    lending_income,
    payouts,
)
from rackrent.costing.payback import break_even_month, break_even_utilisation
from rackrent.costing.resale import Resale, gpu_resale_usd

__all__ = [
    "Drawn",
    "EgressTier",
    "LendingIncome",
    "ObservedFailures",
    "Resale",
    "TimeOfUse",
    "annuity",
    "ask_floor_usd",
    "book_value",
    "break_even_month",
    "break_even_utilisation",
    "co2_kg",
    "commitment_cost",
    "commitment_flows",
    "daly_interval_hours",
    "declining_balance",
    "depreciation_from_values",
    "egress_cost",
    "energy_floor_usd",
    "energy_kwh",
    "energy_usd",
    "gpu_resale_usd",
    "interruption_overhead",
    "interruption_waste",
    "lending_income",
    "monthly_probability_to_rate",
    "monthly_rate",
    "npv",
    "payouts",
    "straight_line",
    "wall_watts",
    "young_interval_hours",
]
