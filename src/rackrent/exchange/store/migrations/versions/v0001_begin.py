"""All tables, and the triggers of the ledger and the settlements."""

from __future__ import annotations

from rackrent.exchange.store.migrations import run_file

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make them."""
    run_file("v0001_tables")
    run_file("v0001_triggers")
