"""What the assumptions are, in words and units that people know. The keys stay what a person types."""

from __future__ import annotations

from rackrent.i18n import N_

ASSUMPTION_NAMES = {
    "administration_hours": N_("hours of care per own machine and month"),
    "administration_hours_cloud": N_("hours of care a month for rented machines"),
    "administration_hours_first_month": N_("hours to set up an own machine"),
    "assembly_hours": N_("hours to put a machine together"),
    "circuit_and_outlet": N_("dollars for an electric circuit, once"),
    "cooling_capital": N_("dollars for cooling, once per 5 kW"),
    "dedicated_line": N_("dollars a month for a server room's network line"),
    "demand_spread": N_("demand, as a multiple of what is stated"),
    "disposal": N_("dollars to wipe and dispose of a machine"),
    "electricity_spread": N_("electricity price, as a multiple of today's"),
    "embodied_co2_desktop": N_("kg of CO2 from making a desktop without its cards"),
    "embodied_co2_gpu": N_("kg of CO2 from making a card"),
    "embodied_co2_server": N_("kg of CO2 from making a server"),
    "exit_hours": N_("hours to move away from a provider"),
    "hardware_life_years": N_("years that rented hardware works"),
    "hardware_price_spread": N_("price of hardware, as a multiple of the known one"),
    "hourly_rate": N_("dollars for an hour of people's time"),
    "idle_share_of_rating": N_("power of an idle server, as a share of its rating"),
    "idle_share_of_tdp": N_("power of an idle card, as a share of its rating"),
    "idle_waste": N_("share of rented hours that stand idle"),
    "idle_watts_machine": N_("watts of an idle desktop without its cards"),
    "lead_time_parts": N_("weeks until parts arrive"),
    "lead_time_server": N_("weeks until a server arrives"),
    "load_share_of_tdp": N_("power of a busy card, as a share of its rating"),
    "multi_gpu_efficiency": N_("speed of several cards on one run, as a share of their sum"),
    "multi_gpu_efficiency_direct": N_(
        "speed of several cards that reach each other directly, as a share of their sum"
    ),
    "multi_node_efficiency": N_("speed of a run over several machines, as a share of one machine's"),
    "office_space": N_("dollars a month for the place of an own machine"),
    "performance_variance_cloud": N_("share of speed lost to neighbours in the cloud"),
    "power_supply_efficiency": N_("share of the power that gets through the power supply"),
    "price_change_per_year": N_("change of rents and resale prices a year"),
    "remote_hands": N_("dollars a month for help in the colocation"),
    "repair_share": N_("repairs a year, as a share of the hardware's price"),
    "resale_rest_share": N_("resale of a machine without its cards after 3 years, as a share of its price"),
    "resale_selling_cost": N_("cost of selling, as a share of the price fetched"),
    "sessions_per_month": N_("starts of a rented machine a month"),
    "shipping_share": N_("shipping, as a share of the hardware's price"),
    "spot_interruptions": N_("chance that a spot machine is taken away in a month"),
    "startup_minutes": N_("minutes paid at each start"),
    "static_address": N_("dollars a month for a static address"),
}
"""Every key of the table `assumptions` to its meaning with its unit; a test holds the two together."""
