"""A bill where it lies: the same expressions on DuckDB and on Spark give the same table. Needs Java and PySpark."""

from __future__ import annotations

from pathlib import Path

import ibis
import pytest
from polars.testing import assert_frame_equal

from rackrent.usage.bills.engine import connect, table_of
from rackrent.usage.bills.read import lines_of, summary

BILL = Path(__file__).parent.parent.parent / "examples" / "usage" / "focus.csv"


@pytest.mark.engines
def test_focus_is_the_same_on_spark_and_on_duckdb() -> None:
    from pyspark.sql import SparkSession

    here, _none = table_of(connect(), [BILL])
    ours = summary(lines_of(here, "focus", BILL.name)).to_polars()
    session = (
        SparkSession.builder.master("local[1]").config("spark.sql.session.timeZone", "UTC").getOrCreate()
    )
    try:
        there = ibis.pyspark.connect(session)
        session.read.csv(str(BILL), header=True).createOrReplaceTempView("bill")
        bill = there.table("bill").mutate(n=ibis.literal(1, "int64"))
        theirs = summary(lines_of(bill, "focus", BILL.name)).to_polars()
    finally:
        session.stop()
    keys = ["start", "kind"]
    assert_frame_equal(theirs.sort(keys), ours.sort(keys), check_dtypes=False)
