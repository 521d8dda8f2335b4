"""What must never happen cannot be written by any program: SQL that knows nothing of our code is refused by the database."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from exchange_values import allocation, lease, machine, settlement, transfer
from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError

from rackrent.exchange.model import Account, Allocation, Settlement, Transfer
from rackrent.exchange.store.sql import SqlStore

WRITTEN = [
    machine(), lease("l"), allocation("open"), allocation("closed", gpu="other", to_ms=9), settlement(1, 0, 1000),
    settlement(2, 1000, 2000), transfer("t", amount=100), transfer("u", "wallet:p", "hold:l", 40, reverses="x"),
]  # fmt: skip

NEVER = {
    "a GPU in a second open allocation": (
        "INSERT INTO allocation (id, lease, gpu, machine, from_ms) VALUES ('second', 'k', 'g', 'm', 5)"
    ),
    "a closed allocation opened beside another": "UPDATE allocation SET gpu = 'g', to_ms = NULL WHERE id = 'closed'",
    "an allocation that ends before it begins": "UPDATE allocation SET from_ms = 10 WHERE id = 'closed'",
    "a negative balance": "UPDATE account SET balance_micro_usd = -1 WHERE id = 'wallet:p'",
    "money from nowhere": "UPDATE account SET balance_micro_usd = 1000 WHERE id = 'wallet:p'",
    "an account made rich": "INSERT INTO account (id, balance_micro_usd) VALUES ('wallet:q', 1000)",
    "an account gone": "DELETE FROM account WHERE id = 'wallet:p'",
    "a transfer of what is not there": (
        "INSERT INTO transfer (id, kind, debit, credit, amount_micro_usd, at_ms) "
        "VALUES ('v', 'use', 'wallet:p', 'earned:h', 61, 0)"
    ),
    "a transfer of less than nothing": (
        "INSERT INTO transfer (id, kind, debit, credit, amount_micro_usd, at_ms) "
        "VALUES ('v', 'use', 'wallet:p', 'earned:h', -5, 0)"
    ),
    "a transfer from an account to itself": (
        "INSERT INTO transfer (id, kind, debit, credit, amount_micro_usd, at_ms) "
        "VALUES ('v', 'use', 'wallet:p', 'wallet:p', 5, 0)"
    ),
    "a transfer for no known purpose": (
        "INSERT INTO transfer (id, kind, debit, credit, amount_micro_usd, at_ms) "
        "VALUES ('v', 'gift', 'wallet:p', 'earned:h', 5, 0)"
    ),
    "a transfer reversed twice": (
        "INSERT INTO transfer (id, kind, debit, credit, amount_micro_usd, at_ms, reverses) "
        "VALUES ('v', 'reversal', 'wallet:p', 'earned:h', 5, 0, 'x')"
    ),
    "a transfer edited": "UPDATE transfer SET amount_micro_usd = 1 WHERE id = 't'",
    "a transfer deleted": "DELETE FROM transfer WHERE id = 't'",
    "a settlement edited": "UPDATE settlement SET gpu_micro_usd = 0 WHERE id = 'l:1'",
    "a settlement deleted": "DELETE FROM settlement WHERE id = 'l:2'",
    "an interval settled twice": (
        "INSERT INTO settlement VALUES ('again', 'l', 3, 1000, 3000, TRUE, 1, 0, 0, 0)"
    ),
    "an interval that overlaps": "INSERT INTO settlement VALUES ('l:3', 'l', 3, 1500, 3000, TRUE, 1, 0, 0, 0)",
    "an interval after a gap": "INSERT INTO settlement VALUES ('l:3', 'l', 3, 2500, 3000, TRUE, 1, 0, 0, 0)",
    "a number left out": "INSERT INTO settlement VALUES ('l:4', 'l', 4, 2000, 3000, TRUE, 1, 0, 0, 0)",
    "a number again": "INSERT INTO settlement VALUES ('other', 'l', 2, 2000, 3000, TRUE, 1, 0, 0, 0)",
    "a GPU charged while none was metered": (
        "INSERT INTO settlement VALUES ('l:3', 'l', 3, 2000, 3000, FALSE, 1, 0, 0, 0)"
    ),
    "more uncollected than was due": "INSERT INTO settlement VALUES ('l:3', 'l', 3, 2000, 3000, TRUE, 1, 1, 0, 3)",
    "a negative price of storage": "UPDATE lease SET storage_rate_micro_usd = -1",
    "a negative hold": "UPDATE lease SET hold_micro_usd = -1",
    "more disk leased than there is": "UPDATE machine SET disk_gb_leased = 1001",
    "more addresses leased than there are": "UPDATE machine SET addresses_leased = 5",
    "less than nothing leased": "UPDATE machine SET addresses_leased = -1",
    "a lease over without a word on its data": "UPDATE lease SET state = 'ended', ended_ms = 5",
    "a state that is none": "UPDATE lease SET state = 'sleeping'",
    "a reason that is none": "UPDATE lease SET reason = 'because'",
    "a lease without a project": "UPDATE lease SET project = NULL",
}
ONLY_SQLITE = {
    "a transfer replaced": (
        "INSERT OR REPLACE INTO transfer (id, kind, debit, credit, amount_micro_usd, at_ms) "
        "VALUES ('t', 'use', 'wallet:p', 'earned:h', 1, 0)"
    ),
    "a reversal replaced": (
        "INSERT OR REPLACE INTO transfer (id, kind, debit, credit, amount_micro_usd, at_ms, reverses) "
        "VALUES ('v', 'use', 'wallet:p', 'earned:h', 1, 0, 'x')"
    ),
    "a settlement replaced": "INSERT OR REPLACE INTO settlement VALUES ('l:2', 'l', 3, 2000, 3000, TRUE, 1, 0, 0, 0)",
    "a settlement replaced by its number": (
        "INSERT OR REPLACE INTO settlement VALUES ('z', 'l', 2, 1000, 3000, TRUE, 1, 0, 0, 0)"
    ),
    "a settlement replaced by its beginning": (
        "INSERT OR REPLACE INTO settlement VALUES ('z', 'l', 3, 1000, 3000, TRUE, 1, 0, 0, 0)"
    ),
    "a transfer of what is no number": (
        "INSERT INTO transfer (id, kind, debit, credit, amount_micro_usd, at_ms) "
        "VALUES ('v', 'use', 'wallet:p', 'earned:h', 'much', 0)"
    ),
    "a transfer of a fraction": (
        "INSERT INTO transfer (id, kind, debit, credit, amount_micro_usd, at_ms) "
        "VALUES ('v', 'use', 'wallet:p', 'earned:h', 1.5, 0)"
    ),
    "an account replaced": "INSERT OR REPLACE INTO account VALUES ('wallet:p', 1000)",
}


def contents(store: SqlStore) -> dict[str, list[Any]]:
    kinds = (Account, Allocation, Settlement, Transfer)
    return {kind.__name__: store.run(lambda tx, kind=kind: tx.of(kind)) for kind in kinds}


def raw(store: SqlStore, statement: str) -> None:
    with store.engine.begin() as conn:
        conn.execute(text(statement))


def refused(store: SqlStore, statement: str) -> None:
    store.run(lambda tx: tx.add(*WRITTEN))
    before = contents(store)
    with pytest.raises(DBAPIError):
        raw(store, statement)
    assert contents(store) == before


@pytest.mark.case("X12")
@pytest.mark.parametrize("what", NEVER)
def test_the_database_refuses(database: SqlStore, what: str) -> None:
    refused(database, NEVER[what])


@pytest.mark.parametrize("what", ONLY_SQLITE)
def test_sqlite_refuses_what_only_it_would_take(made: Callable[[str], SqlStore], what: str) -> None:
    refused(made("sqlite"), ONLY_SQLITE[what])


@pytest.mark.parametrize("table", ["transfer", "settlement", "account"])
def test_postgresql_refuses_to_empty(made: Callable[[str], SqlStore], table: str) -> None:
    refused(made("postgresql"), f"TRUNCATE {table}")


def test_what_the_database_refuses_is_what_is_wrong_with_it(database: SqlStore) -> None:
    """The same statements with nothing wrong in them go through: no test above passes for a slip of the pen."""
    database.run(lambda tx: tx.add(*WRITTEN))
    for statement in (
        "INSERT INTO allocation (id, lease, gpu, machine, from_ms) VALUES ('second', 'k', 'free', 'm', 5)",
        "UPDATE allocation SET from_ms = 1 WHERE id = 'closed'",
        "INSERT INTO transfer (id, kind, debit, credit, amount_micro_usd, at_ms) "
        "VALUES ('v', 'use', 'wallet:p', 'earned:h', 60, 0)",
        "INSERT INTO settlement VALUES ('l:3', 'l', 3, 2000, 3000, TRUE, 1, 0, 0, 0)",
        "UPDATE machine SET disk_gb_leased = 1000, addresses_leased = 4",
        "UPDATE lease SET state = 'ended', ended_ms = 5, data_end = 'destroyed'",
    ):
        raw(database, statement)
    assert [a.balance_micro_usd for a in contents(database)["Account"]] == [60, 40, 0, -100]


def test_a_batch_of_transfers_moves_the_money_of_all_of_them(database: SqlStore) -> None:
    batch = [transfer(str(n), "world", f"wallet:{n % 7}", n + 1) for n in range(500)]
    database.run(lambda tx: tx.add(*batch))
    accounts = {a.id: a.balance_micro_usd for a in contents(database)["Account"]}
    assert accounts.pop("world") == -sum(n + 1 for n in range(500))
    assert accounts == {f"wallet:{k}": sum(n + 1 for n in range(500) if n % 7 == k) for k in range(7)}


def test_a_hole_left_by_a_database_is_not_hidden(database: SqlStore) -> None:
    """What neither we nor the schema foresee comes out as the database said it, not as a refusal of ours."""

    def work(conn: Connection) -> None:
        conn.execute(text("SELECT no_such_column FROM lease"))

    with pytest.raises(DBAPIError):
        database.run(lambda tx: work(tx._conn))
