"""Whatever a feed turns into, its source fails alone and in a sentence, or its rows are whole."""

from __future__ import annotations

import copy
import json
from contextlib import contextmanager
from datetime import date
from io import BytesIO

import feeds
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rackrent.app.refresh import refresh
from rackrent.catalog.schema import OFFERS
from rackrent.catalog.sources.aws import INDEX, Aws
from rackrent.catalog.sources.azure import Azure
from rackrent.catalog.sources.gcp import Gcp
from rackrent.catalog.sources.http import Client, SourceFailed
from rackrent.catalog.store import Store

TODAY = date(2026, 12, 1)
JUNK = st.sampled_from([None, "", "x", -1, 0, 1e400, [], {}, [1], {"a": {}}, True, "NaN", "9" * 400])


class Fixed(Client):
    """Answers with documents at hand."""

    def __init__(self, documents: dict[str, object]) -> None:
        super().__init__()
        self.documents = documents

    @contextmanager
    def document(self, url, params=None):
        path = url.removeprefix("http://feed")
        if path not in self.documents:
            raise SourceFailed(f"{path} answered 404")
        yield BytesIO(json.dumps(self.documents[path]).encode())


WHOLE = {
    "aws": {INDEX: feeds.aws_index("us-east-1"), "/offers/us-east-1/index.json": feeds.aws_offer_file()},
    "azure": {
        "/azure": feeds.azure_page(
            feeds.azure_item(), feeds.azure_item(type="Reservation", reservationTerm="1 Year")
        )
    },
    "gcp": {"/gcp": {"skus": feeds.gcp_ultra()}},
}


def places(tree, path=()):
    """Every place in a document."""
    yield path
    for key, value in (
        tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    ):
        yield from places(value, (*path, key))


def spoilt(tree, path, junk):
    """The document with something else in one place."""
    if not path:
        return junk
    out = copy.deepcopy(tree)
    inner = out
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = junk
    return out


@pytest.mark.case("P11")
@pytest.mark.parametrize("name", sorted(WHOLE))
@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_feed_that_drifts_fails_alone_or_gives_whole_rows(name, known, tmp_path_factory, data):
    documents = dict(WHOLE[name])
    url = data.draw(st.sampled_from(sorted(documents)))
    path = data.draw(st.sampled_from(list(places(documents[url]))))
    documents[url] = spoilt(documents[url], path, data.draw(JUNK))
    source = {
        "aws": Aws(known, host="http://feed", regions=("us-east-1",)),
        "azure": Azure(known, url="http://feed/azure"),
        "gcp": Gcp(known, key="k", url="http://feed/gcp"),
    }[name]
    folder = tmp_path_factory.mktemp("data")
    with Fixed(documents) as client:
        (outcome,) = refresh([source], client, TODAY, folder=folder)
    rows = Store.open(folder).rows("offers")
    assert (rows.height > 0) is not bool(outcome.reason)
    assert (
        rows.select(c.name for c in OFFERS.columns if not c.nullable).null_count().sum_horizontal().sum() == 0
    )
    assert rows["amount"].drop_nulls().is_finite().all()
