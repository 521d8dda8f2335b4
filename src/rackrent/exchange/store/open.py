"""Opening a database by its address, and bringing it up to date."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from rackrent.errors import BadInput, RackrentError
from rackrent.i18n import gettext as _

if TYPE_CHECKING:
    from sqlalchemy import Engine

    from rackrent.exchange.store.sql import SqlStore

WANTED = "pip install 'rackrent[exchange]'"


class Missing(RackrentError):
    """The extra of the exchange is not installed (exit code 2)."""


class Unusable(RackrentError):
    """The database cannot be used: it is not there, it is something else, or it is of another version."""


def open_store(url: str) -> SqlStore:
    """Return the store at an address, `sqlite:///FILE` or `postgresql://USER@SERVER/NAME`; an empty one is set up.

    Raises BadInput for what is no such address, Unusable where it cannot be reached, is no database of ours, or is older
    (`migrate` is asked for) or newer than this version.
    """
    engine, where = _engine(url)
    try:
        _check(engine, where, may_upgrade=False)
        from rackrent.exchange.store.postgresql import Postgresql
        from rackrent.exchange.store.sql import SqlStore
        from rackrent.exchange.store.sqlite import Sqlite

        return SqlStore(engine, Sqlite() if engine.dialect.name == "sqlite" else Postgresql())
    except BaseException:
        engine.dispose()
        raise


def migrate(url: str) -> None:
    """Bring the database at an address up to this version, all or nothing; one that is there already stays as it is.

    Raises as `open_store` does.
    """
    engine, where = _engine(url)
    try:
        _check(engine, where, may_upgrade=True)
    finally:
        engine.dispose()


def _engine(url: str) -> tuple[Engine, str]:
    """Return an engine, and the address without its password."""
    try:
        import alembic  # noqa: F401
        import psycopg  # noqa: F401
        from sqlalchemy.engine import make_url
        from sqlalchemy.exc import ArgumentError

        from rackrent.exchange.store import postgresql, sqlite
    except ImportError:
        raise Missing(
            _("the exchange needs SQLAlchemy, Alembic and psycopg: {command}").format(command=WANTED)
        ) from None
    wanted = _("give sqlite:///FILE or postgresql://USER@SERVER/NAME")
    try:
        address = make_url(url)
    except (ArgumentError, ValueError):
        raise BadInput(_("This is no address of a database: {wanted}.").format(wanted=wanted)) from None
    where = address.render_as_string(hide_password=True)
    if address.drivername in ("postgresql", "postgresql+psycopg"):
        return postgresql.engine(address), where
    in_a_file = address.database not in (None, "", ":memory:") and not address.query
    if address.drivername == "sqlite" and in_a_file:
        return sqlite.engine(address), where
    raise BadInput(_("{where} is no address of a database: {wanted}.").format(where=where, wanted=wanted))


def _check(engine: Engine, where: str, *, may_upgrade: bool) -> None:
    """Set up an empty database, or bring an older one up to date where that was asked for. Raises Unusable."""
    from sqlalchemy.exc import DBAPIError

    from rackrent.exchange.store import migrations

    try:
        with engine.begin() as conn:
            found = migrations.stands(conn)
            if found == "empty" or (found == "older" and may_upgrade):
                migrations.upgrade(conn)
    except (DBAPIError, sqlite3.Error) as error:
        why = str(getattr(error, "orig", None) or error).strip().splitlines()[0]
        raise Unusable(
            _("The database {where} cannot be used: {why}.").format(where=where, why=why)
        ) from None
    if found == "newer":
        raise Unusable(
            _("The database {where} was made by a newer version of rackrent: update rackrent.").format(
                where=where
            )
        )
    if found == "foreign":
        raise Unusable(_("The database {where} holds tables of something else.").format(where=where))
    if found == "older" and not may_upgrade:
        raise Unusable(
            _("The database {where} is of an older version: back it up, then migrate it.").format(where=where)
        )
