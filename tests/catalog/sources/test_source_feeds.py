"""Each source reads its published shape, fails in one sentence where the shape changed, and invents nothing."""

from __future__ import annotations

import json
from datetime import date

import feeds
import polars as pl
import pytest

from rackrent.catalog.catalog import DATA_DIR, Catalog
from rackrent.catalog.judge import judged
from rackrent.catalog.schema import OFFERS
from rackrent.catalog.sources.aws import INDEX, Aws
from rackrent.catalog.sources.azure import Azure
from rackrent.catalog.sources.base import MONTHS
from rackrent.catalog.sources.ecb import Ecb
from rackrent.catalog.sources.gcp import Gcp, part_of
from rackrent.catalog.sources.gpuhunt import GpuHunt
from rackrent.catalog.sources.http import SourceFailed
from rackrent.catalog.sources.own import Own
from rackrent.catalog.sources.skypilot import SkyPilot
from rackrent.errors import BadInput

TODAY = date(2026, 11, 30)


def rows_of(got) -> list[dict]:
    """The offers as dictionaries; every frame has the schema of the catalog."""
    assert got.offers.schema == pl.Schema(dict(OFFERS.dtypes))
    required = [c.name for c in OFFERS.columns if not c.nullable]
    assert got.offers.select(required).null_count().sum_horizontal().sum() == 0
    return got.offers.to_dicts()


class TestAws:
    @pytest.fixture
    def fetch(self, feed, client, known, quiet):
        feed.put(INDEX, feeds.aws_index("us-east-1"))
        source = Aws(known, host=feed.url, regions=("us-east-1",))
        return lambda: source.fetch(client, TODAY, quiet)

    def test_on_demand_and_reserved(self, feed, fetch):
        feed.gzipped("/offers/us-east-1/index.json", feeds.aws_offer_file())
        got = fetch()
        rows = {(r["instance_type"], r["term"], r["payment"]): r for r in rows_of(got)}
        assert len(rows) == 5
        on_demand = rows["p3.2xlarge", "on_demand", None]
        assert (on_demand["amount"], on_demand["gpu"], on_demand["gpu_count"]) == (
            3.06,
            "V100 SXM2 16GB",
            1.0,
        )
        assert (on_demand["vcpus"], on_demand["ram_gb"], on_demand["country"]) == (8.0, 61.0, "USA")
        half = rows["p3.2xlarge", "reserved_1y", "partial_upfront"]
        assert (half["amount"], half["upfront"], half["minimum_months"]) == (0.9, 7884.0, 12.0)
        assert rows["p3.2xlarge", "reserved_1y", "all_upfront"]["amount"] == 0.0

    @pytest.mark.case("P8")
    def test_a_type_without_a_price_is_unknown(self, feed, fetch):
        feed.put("/offers/us-east-1/index.json", feeds.aws_offer_file())
        got = fetch()
        row = next(r for r in rows_of(got) if r["instance_type"] == "g6.xlarge")
        assert row["amount"] is None
        assert got.warnings == ("AWS gives no price for g6.xlarge",)

    def test_a_reservation_of_unknown_length_is_not_on_demand(self, feed, fetch):
        file = feeds.aws_offer_file()
        file["terms"]["Reserved"] = {"V": {"V.9": feeds.aws_term("V", "0.01"), "V.8": feeds.aws_term(
            "V", "0.02", LeaseContractLength="5yr", PurchaseOption="No Upfront")}}  # fmt: skip
        feed.put("/offers/us-east-1/index.json", file)
        assert {(r["instance_type"], r["amount"]) for r in rows_of(fetch())} == {
            ("p3.2xlarge", 3.06),
            ("g6.xlarge", None),
        }

    @pytest.mark.parametrize(
        "changes",
        [
            {"operatingSystem": "RHEL"},
            {"tenancy": "Dedicated"},
            {"capacitystatus": "UnusedCapacityReservation"},
            {"preInstalledSw": "SQL Std"},
            {"marketoption": "CapacityBlock"},
        ],
    )
    def test_only_plain_machines_are_read(self, feed, fetch, changes):
        file = feeds.aws_offer_file()
        file["products"]["X"] = feeds.aws_product("X", "p3.2xlarge", **changes)
        file["terms"]["OnDemand"]["X"] = {"X.1": feeds.aws_term("X", "0.0000000000")}
        feed.put("/offers/us-east-1/index.json", file)
        on_demand = [r for r in rows_of(fetch()) if r["term"] == "on_demand"]
        assert {(r["instance_type"], r["amount"]) for r in on_demand} == {
            ("p3.2xlarge", 3.06),
            ("g6.xlarge", None),
        }

    @pytest.mark.parametrize("field", ["regionCode", "memory", "vcpu"])
    def test_what_a_product_leaves_empty_is_that_of_its_file_or_unknown(self, feed, fetch, field):
        """An empty region reached the catalog as an offer in no region."""
        said = feeds.aws_offer_file()
        said["products"]["V"]["attributes"][field] = None
        feed.gzipped("/offers/us-east-1/index.json", said)
        row = next(r for r in rows_of(fetch()) if r["instance_type"] == "p3.2xlarge")
        assert (row["region"], row["amount"]) == ("us-east-1", 3.06)

    def test_terms_may_come_before_products(self, feed, fetch):
        file = feeds.aws_offer_file()
        feed.put("/offers/us-east-1/index.json", {"terms": file["terms"], "products": file["products"]})
        assert fetch().offers.height == 5

    @pytest.mark.parametrize(
        ("spoil", "said"),
        [
            (lambda f: f.pop("products"), "'products' is missing"),
            (lambda f: f.pop("terms"), "'terms' is missing"),
            (lambda f: f.update(products=[]), "'products' is not an object"),
            (lambda f: f["products"]["V"]["attributes"].pop("instanceType"), "'instanceType' is missing"),
            (lambda f: f["products"]["V"]["attributes"].update(gpu="two"), "not a number"),
            (
                lambda f: f["terms"]["OnDemand"]["V"]["V.1"].pop("priceDimensions"),
                "'priceDimensions' is missing",
            ),
            (
                lambda f: f["terms"]["OnDemand"]["V"]["V.1"]["priceDimensions"]["h"].pop("pricePerUnit"),
                "'pricePerUnit' is missing",
            ),
        ],
    )
    def test_another_shape_names_the_field(self, feed, fetch, spoil, said):
        file = feeds.aws_offer_file()
        spoil(file)
        feed.put("/offers/us-east-1/index.json", file)
        with pytest.raises(SourceFailed, match=said):
            fetch()

    def test_half_a_file_is_not_believed(self, feed, fetch):
        whole = json.dumps(feeds.aws_offer_file())
        feed.put("/offers/us-east-1/index.json", whole[: len(whole) // 2])
        with pytest.raises(SourceFailed, match="not whole JSON"):
            fetch()

    def test_a_region_that_is_not_there(self, feed, client, known, quiet):
        feed.put(INDEX, feeds.aws_index("us-east-1"))
        with pytest.raises(SourceFailed, match="no eu-west-9"):
            Aws(known, host=feed.url, regions=("eu-west-9",)).fetch(client, TODAY, quiet)


class TestAzure:
    @pytest.fixture
    def fetch(self, feed, client, known, quiet):
        return lambda **said: Azure(known, url=f"{feed.url}/prices", **said).fetch(client, TODAY, quiet)

    def test_pages_lead_on(self, feed, fetch):
        link = f"{feed.url}/prices?page=2"
        spot = feeds.azure_item(meterName="NC24ads A100 v4 Spot", retailPrice=1.2)
        windows = feeds.azure_item(productName="Virtual Machines NCads A100 v4 Series Windows")
        feed.put(
            "/prices?api-version=2023-01-01-preview",
            feeds.azure_page(feeds.azure_item(), windows, following=link),
        )
        feed.put("/prices?page=2", feeds.azure_page(spot))
        rows = rows_of(fetch())
        assert [(r["term"], r["amount"], r["gpu"], r["gpu_count"]) for r in rows] == [
            ("on_demand", 3.673, "A100 PCIe 80GB", 1.0),
            ("spot", 1.2, "A100 PCIe 80GB", 1.0),
        ]

    def test_a_reservation_is_quoted_for_its_whole_term(self, feed, fetch):
        feed.put(
            "/prices",
            feeds.azure_page(
                feeds.azure_item(type="Reservation", reservationTerm="1 Year", retailPrice=8_760.0),
                feeds.azure_item(type="Reservation", reservationTerm="3 Years", retailPrice=13_140.0),
            ),
        )
        rows = {r["term"]: r for r in rows_of(fetch())}
        assert rows["reserved_1y"]["amount"] == pytest.approx(1.0)
        assert rows["reserved_3y"]["amount"] == pytest.approx(0.5)
        assert {t: r["minimum_months"] for t, r in rows.items()} == MONTHS

    @pytest.mark.case("P18")
    def test_a_currency_is_what_the_feed_says(self, feed, fetch):
        nameless = feeds.azure_item(armRegionName="westus")
        del nameless["currencyCode"]
        feed.put("/prices", feeds.azure_page(feeds.azure_item(currencyCode="EUR"), nameless))
        assert [r["currency"] for r in rows_of(fetch(currency="EUR"))] == ["EUR", None]
        assert "currencyCode=%27EUR%27" in feed.asked[0]

    def test_one_page_that_fails_fails_all(self, feed, fetch):
        feed.put(
            "/prices?api-version=2023-01-01-preview",
            feeds.azure_page(feeds.azure_item(), following=f"{feed.url}/prices?page=2"),
        )
        feed.put("/prices?page=2", status=500)
        with pytest.raises(SourceFailed, match="it answered 500"):
            fetch()

    @pytest.mark.parametrize("link", ["http://elsewhere.invalid/x", "{url}/prices?page=2"])
    def test_pages_that_lead_astray_or_round_and_round(self, feed, fetch, link):
        feed.put("/prices", feeds.azure_page(feeds.azure_item(), following=link.format(url=feed.url)))
        with pytest.raises(SourceFailed, match="do not lead on"):
            fetch()

    @pytest.mark.parametrize(
        "field", ["armSkuName", "retailPrice", "type", "meterName", "armRegionName", "unitOfMeasure"]
    )
    def test_another_shape_names_the_field(self, feed, fetch, field):
        item = feeds.azure_item()
        del item[field]
        feed.put("/prices", feeds.azure_page(item))
        with pytest.raises(SourceFailed, match=f"'{field}' is missing"):
            fetch()

    @pytest.mark.parametrize(
        "changes",
        [
            {"isPrimaryMeterRegion": False},
            {"effectiveStartDate": "2026-12-01T00:00:00Z"},
            {"effectiveStartDate": "2020-01-01T00:00:00Z", "effectiveEndDate": "2026-11-30T00:00:00Z"},
            {"type": "DevTestConsumption"},
            {"meterName": "NC24ads A100 v4 Low Priority"},
            {"productName": "Virtual Machines NCads A100 v4 Series Windows"},
        ],
    )
    def test_what_is_not_the_price_of_today_for_everyone_is_left_out(self, feed, fetch, changes):
        plain = feeds.azure_item(isPrimaryMeterRegion=True, effectiveStartDate="2024-03-01T00:00:00Z")
        feed.put("/prices", feeds.azure_page(plain, feeds.azure_item(retailPrice=0.1, **changes)))
        assert [r["amount"] for r in rows_of(fetch())] == [3.673]

    def test_no_machines_at_all_is_a_failure(self, feed, fetch):
        feed.put("/prices", feeds.azure_page())
        with pytest.raises(SourceFailed, match="no machine with a GPU"):
            fetch()


class TestGcp:
    @pytest.fixture
    def fetch(self, feed, client, known, quiet):
        return lambda: Gcp(known, key="k", url=f"{feed.url}/skus").fetch(client, TODAY, quiet)

    @pytest.mark.case("P7")
    def test_a_machine_is_all_its_parts_and_what_is_forced_on_it(self, feed, fetch):
        feed.put("/skus?pageToken=two", {"skus": feeds.gcp_ultra()[2:]})
        feed.put("/skus", {"skus": feeds.gcp_ultra()[:2], "nextPageToken": "two"})
        rows = {r["instance_type"]: r for r in rows_of(fetch())}
        assert rows["a2-ultragpu-1g"]["amount"] == pytest.approx(
            12 * 0.03 + 170 * 0.004 + 3.9 + 375 * 0.08 / 730, abs=1e-6
        )
        assert rows["a2-ultragpu-8g"]["amount"] == pytest.approx(
            8 * rows["a2-ultragpu-1g"]["amount"], abs=1e-4
        )
        assert rows["a2-ultragpu-8g"]["disk_gb"] == 3_000.0
        assert set(rows) == {f"a2-ultragpu-{n}g" for n in (1, 2, 4, 8)}

    @pytest.mark.case("P8")
    @pytest.mark.parametrize("missing", [0, 1, 3])
    def test_without_one_part_the_whole_is_unknown(self, feed, fetch, missing):
        parts = feeds.gcp_ultra()
        del parts[missing]
        feed.put("/skus", {"skus": parts})
        got = fetch()
        assert {r["amount"] for r in rows_of(got)} == {None}
        assert "GCP gives no price for a part of a2-ultragpu-1g in us-central1" in got.warnings

    def test_spot_and_commitments_keep_to_themselves(self, feed, fetch):
        spot = feeds.gcp_ultra("Preemptible", "Spot Preemptible ")
        committed = [
            feeds.gcp_sku("Commitment v1: A2 Cpu in Americas for 1 Year", 0.02, "Commit1Yr"),
            feeds.gcp_sku("Commitment v1: A2 Ram in Americas for 1 Year", 0.003, "Commit1Yr"),
            feeds.gcp_sku(
                "Commitment v1: Nvidia Tesla A100 80GB GPU running in Americas for 1 Year", 2.4, "Commit1Yr"
            ),
            feeds.gcp_sku("Commitment v1: Local SSD in Americas for 1 Year", 0.05, "Commit1Yr"),
        ]
        other = feeds.gcp_sku("Custom A2 Instance Core running in Americas", 99.0)
        feed.put("/skus", {"skus": [*feeds.gcp_ultra(), *spot, *committed, other]})
        rows = {r["term"]: r for r in rows_of(fetch()) if r["instance_type"] == "a2-ultragpu-1g"}
        assert set(rows) == {"on_demand", "spot", "reserved_1y"}
        assert rows["reserved_1y"]["amount"] == pytest.approx(
            12 * 0.02 + 170 * 0.003 + 2.4 + 375 * 0.05 / 730, abs=1e-6
        )
        assert (rows["reserved_1y"]["minimum_months"], rows["reserved_1y"]["payment"]) == (12.0, "no_upfront")
        host = 12 * 0.03 + 170 * 0.004 + 3.9
        assert rows["on_demand"]["amount"] == pytest.approx(host + 375 * 0.08 / 730, abs=1e-6)
        assert rows["spot"]["amount"] == pytest.approx(host + 375 * 0.04 / 730, abs=1e-6)

    @pytest.mark.case("P7")
    def test_an_h100_machine_costs_what_the_console_shows(self, feed, fetch):
        """$88.49 an hour: $9.46006 of host (SkyPilot's catalog of 2026) and GPUs that make $87.8325, and its disks."""
        skus = [
            feeds.gcp_sku("A3 Instance Core running in Americas", (9.46006 - 1872 * 0.0025) / 208),
            feeds.gcp_sku("A3 Instance Ram running in Americas", 0.0025),
            feeds.gcp_sku("Nvidia H100 80GB GPU running in Americas", (87.8325 - 9.46006) / 8),
            feeds.gcp_sku("SSD backed Local Storage", 0.08),
        ]
        feed.put("/skus", {"skus": skus})
        rows = {r["instance_type"]: r for r in rows_of(fetch())}
        assert rows["a3-highgpu-8g"]["amount"] == pytest.approx(88.49, abs=0.005)
        assert set(rows) == {"a3-highgpu-8g", "a3-edgegpu-8g"}  # smaller ones are not sold on demand

    @pytest.mark.parametrize(
        ("text", "part"),
        [
            ("Nvidia H100 80GB Plus GPU running in Americas", "H100 80GB Mega"),
            ("Nvidia H100 Mega 80GB GPU running in Americas", "H100 80GB Mega"),
            ("H200 141GB GPU attached to Spot Preemptible VMs running in Mumbai", "H200 141GB"),
            ("Nvidia Tesla T4 GPU running in Americas", "T4"),
            ("RTX 6000 96GB attached to Spot Preemptible VMs running in Belgium", "RTX 6000 96GB"),
            ("Spot Preemptible A4 Nvidia B200 (1 gpu slice) in Americas", "B200"),
            ("Commitment v1: A4 Nvidia B200 (1 gpu slice) in Americas for 1 Year", "B200"),
            ("Commitment v1: Cpu in Americas for 1 Year", "N1 Core"),
            ("Spot Preemptible N1 Predefined Instance Ram running in Americas", "N1 Ram"),
            ("A3Plus Instance Core running in Americas", "A3Plus Core"),
            ("A3Ultra Instance Ram running in Americas", "A3Ultra Ram"),
            ("Reserved Nvidia H100 80GB Mega GPU in Americas in Calendar Mode", None),
            ("DWS Calendar Mode A4 Nvidia B200 (1 gpu slice) in Americas", None),
            ("Nvidia H100 80GB GPU attached to DWS Defined Duration VMs running in Americas", None),
            ("Nvidia L4 Virtual Workstation GPU running in Netherlands", None),
            ("A2 Sole Tenancy Instance Core running in Americas", None),
            ("N1 Predefined Instance Core running in Americas", "N1 Core"),
            ("Custom Instance Core running in Americas", None),
            ("C3 Instance Local SSD running in Iowa", None),
        ],
    )
    def test_skus_are_told_by_their_published_names(self, text, part):
        assert part_of(text) == part

    def test_every_sku_of_the_shipped_catalog_is_told(self):
        """Names of the real thing: those for plain machines are parts, those for days booked ahead are not."""
        rows = Catalog(TODAY, DATA_DIR).all_rows("offers")
        names = rows.filter(provider="GCP", incomplete="vcpu and ram")["instance_type"].unique().to_list()
        assert len(names) > 60
        for name in names:
            plain = not any(word in name for word in ("DWS", "Reserved", "Calendar"))
            assert (part_of(name) is not None) == plain, name

    def test_a_gpu_that_hangs_on_a_general_machine(self, feed, fetch):
        feed.put("/skus", {"skus": [
            feeds.gcp_sku("N1 Predefined Instance Core running in Americas", 0.03),
            feeds.gcp_sku("N1 Predefined Instance Ram running in Americas", 0.004),
            feeds.gcp_sku("Nvidia Tesla T4 GPU running in Americas", 0.35),
        ]})  # fmt: skip
        rows = {r["instance_type"]: r for r in rows_of(fetch())}
        assert set(rows) == {"n1-highmem-8 + 1x T4", "n1-highmem-16 + 2x T4", "n1-highmem-32 + 4x T4"}
        assert rows["n1-highmem-8 + 1x T4"]["amount"] == pytest.approx(8 * 0.03 + 52 * 0.004 + 0.35)

    def test_a_slice_is_the_price_of_its_share_and_only_spot(self, feed, fetch):
        slice_ = "A4 Nvidia B200 (1 gpu slice) running in Americas"
        feed.put("/skus", {"skus": [
            feeds.gcp_sku(slice_, 16.0), feeds.gcp_sku(f"Spot Preemptible {slice_}", 8.0, "Preemptible")
        ]})  # fmt: skip
        assert [(r["instance_type"], r["term"], r["amount"]) for r in rows_of(fetch())] == [
            ("a4-highgpu-8g", "spot", 64.0)
        ]

    def test_a_price_in_another_unit_is_unknown(self, feed, fetch):
        parts = feeds.gcp_ultra()
        parts[2] = feeds.gcp_sku("Nvidia Tesla A100 80GB GPU running in Americas", 3.9, unit="mo")
        feed.put("/skus", {"skus": parts})
        got = fetch()
        assert rows_of(got) == []
        assert any("Nvidia Tesla A100 80GB" in w for w in got.warnings)

    @pytest.mark.case("P19")
    def test_one_part_at_two_prices_is_the_lower_with_a_warning(self, feed, fetch):
        other = feeds.gcp_sku("Nvidia Tesla A100 80GB GPU running in Iowa", 5.0)
        feed.put("/skus", {"skus": [other, *feeds.gcp_ultra()]})
        got = fetch()
        assert rows_of(got)[0]["amount"] < 5.0
        assert (
            "GCP gives two prices for A100 80GB in us-central1: $3.9 is used, $5 is said too" in got.warnings
        )

    @pytest.mark.case("P2")
    def test_a_price_of_zero_is_unknown(self, feed, fetch):
        parts = feeds.gcp_ultra()
        parts[2] = feeds.gcp_sku("Nvidia Tesla A100 80GB GPU running in Americas", 0.0)
        feed.put("/skus", {"skus": parts})
        got = fetch()
        assert rows_of(got) == []
        assert any("Nvidia Tesla A100 80GB" in w for w in got.warnings)

    @pytest.mark.parametrize("field", ["description", "category", "serviceRegions", "pricingInfo"])
    def test_another_shape_names_the_field(self, feed, fetch, field):
        sku = feeds.gcp_ultra()[2]
        del sku[field]
        feed.put("/skus", {"skus": [sku]})
        with pytest.raises(SourceFailed, match=f"'{field}' is missing"):
            fetch()

    def test_it_wants_a_key(self, client, known, quiet):
        with pytest.raises(SourceFailed, match="RACKRENT_GCP_KEY"):
            Gcp(known, key=None).fetch(client, TODAY, quiet)


class TestGpuHunt:
    @pytest.fixture
    def fetch(self, feed, client, known, quiet):
        feed.put("/lambdalabs/version", "20261130\n")
        row = feeds.gpuhunt_row()
        cpu_only = feeds.gpuhunt_row(instance_name="cpu", gpu_count="0", gpu_name="")
        feed.put(
            "/lambdalabs/20261130/catalog.zip", feeds.zipped("lambdalabs.csv", feeds.table(row, cpu_only))
        )

        def fetch(*providers, **said):
            source = GpuHunt(known, url=feed.url, providers=("lambdalabs", *providers), **said)
            return source.fetch(client, TODAY, quiet)

        return fetch

    def test_a_catalog(self, fetch):
        (row,) = rows_of(fetch())
        assert (row["provider"], row["gpu"], row["amount"], row["term"]) == (
            "Lambda",
            "A10",
            0.75,
            "on_demand",
        )

    @pytest.mark.case("P11")
    def test_one_bad_provider_does_not_kill_the_rest(self, feed, fetch):
        feed.put("/runpod/version", status=500)
        feed.put("/oci/version", "20261130")
        feed.put("/oci/20261130/catalog.zip", b"not a zip")

        def raises():
            raise KeyError("offers")

        got = fetch("runpod", "oci", live={"vastai": raises})
        assert [r["provider"] for r in rows_of(got)] == ["Lambda"]
        assert set(got.failed) == {"RunPod", "OCI", "Vast.ai"}
        assert "KeyError: 'offers'" in got.failed["Vast.ai"]
        assert "not a whole zip" in got.failed["OCI"]

    def test_one_type_with_several_gpus_is_several_offers(self, feed, fetch):
        rows = [
            feeds.gpuhunt_row(
                instance_name="n1-highmem-8", gpu_name=gpu, gpu_count=n, location=zone, price=price
            )
            for gpu, n, price in (("T4", 1, 0.82), ("T4", 2, 1.17), ("V100", 1, 2.95))
            for zone in ("us-central1-a", "us-central1-b")
        ]
        feed.put("/gcp/version", "1")
        feed.put("/gcp/1/catalog.zip", feeds.zipped("gcp.csv", feeds.table(*rows)))
        found = [r for r in rows_of(fetch("gcp")) if r["provider"] == "GCP"]
        assert {(r["instance_type"], r["region"], r["amount"]) for r in found} == {
            ("n1-highmem-8 + 1x T4", "us-central1", 0.82),
            ("n1-highmem-8 + 2x T4", "us-central1", 1.17),
            ("n1-highmem-8 + 1x V100", "us-central1", 2.95),
        }
        assert len(found) == 3

    def test_a_price_for_days_booked_ahead_is_none_on_demand(self, feed, fetch):
        rows = [
            feeds.gpuhunt_row(instance_name="a3", gpu_name="H100", price=88.0),
            feeds.gpuhunt_row(instance_name="a3", gpu_name="H100", price=44.0, flags="gcp-dws-calendar-mode"),
        ]
        feed.put("/gcp/version", "1")
        feed.put("/gcp/1/catalog.zip", feeds.zipped("gcp.csv", feeds.table(*rows)))
        assert [r["amount"] for r in rows_of(fetch("gcp")) if r["provider"] == "GCP"] == [88.0]

    @pytest.mark.case("P8")
    def test_no_price_is_unknown(self, feed, fetch):
        feed.put("/oci/version", "1")
        feed.put("/oci/1/catalog.zip", feeds.zipped("oci.csv", feeds.table(feeds.gpuhunt_row(price=""))))
        got = fetch("oci")
        assert [r["amount"] for r in rows_of(got) if r["provider"] == "OCI"] == [None]
        assert got.warnings == ("OCI gives no price for gpu_1x_a10",)

    def test_a_live_marketplace_gives_floors(self, fetch):
        got = fetch(live={"vastai": lambda: [feeds.gpuhunt_row(gpu_name="RTX4090", spot=False, price=0.3)]})
        row = next(r for r in rows_of(got) if r["provider"] == "Vast.ai")
        assert (row["kind"], row["price_kind"], row["gpu"]) == ("marketplace", "observed_minimum", "RTX 4090")

    def test_a_column_that_went_missing_is_named(self, feed, client, known, quiet):
        row = feeds.gpuhunt_row()
        del row["price"]
        feed.put("/aws/version", "1")
        feed.put("/aws/1/catalog.zip", feeds.zipped("aws.csv", feeds.table(row)))
        with pytest.raises(SourceFailed, match="'price' is missing"):
            GpuHunt(known, url=feed.url, providers=("aws",)).fetch(client, TODAY, quiet)


class TestSkyPilot:
    @pytest.fixture
    def fetch(self, feed, client, known, quiet):
        return lambda *clouds: SkyPilot(known, url=feed.url, clouds=clouds or ("aws",)).fetch(
            client, TODAY, quiet
        )

    def test_on_demand_and_spot_once_a_region(self, feed, fetch):
        other_zone = feeds.skypilot_row(AvailabilityZone="us-east-1b")
        feed.put("/aws/vms.csv", feeds.table(feeds.skypilot_row(), other_zone))
        rows = {r["term"]: r for r in rows_of(fetch())}
        assert {t: r["amount"] for t, r in rows.items()} == {"on_demand": 3.06, "spot": 1.05}
        assert rows["spot"]["gpu"] == "V100 SXM2 16GB"

    @pytest.mark.case("P13")
    def test_memory_in_a_column_of_another_unit(self, feed, fetch):
        info = "{'Gpus': [{'Name': 'H100', 'Count': 8.0, 'MemoryInfo': {'SizeInMiB': 80}}]}"
        row = feeds.skypilot_row(
            InstanceType="8x", AcceleratorName="H100", AcceleratorCount="8.0", GpuInfo=info
        )
        feed.put("/aws/vms.csv", feeds.table(row))
        assert {r["gpu_memory_gb"] for r in rows_of(fetch())} == {80.0}

    @pytest.mark.case("P19")
    def test_one_type_at_two_prices_is_the_lower_with_a_conflict(self, feed, fetch):
        rows = [feeds.skypilot_row(InstanceType="odd", Price=p, SpotPrice="") for p in ("0.178", "0.086")]
        feed.put("/aws/vms.csv", feeds.table(*rows))
        catalog = Catalog(TODAY, DATA_DIR, extra={"offers": fetch().offers})
        row = judged(catalog).row(by_predicate=pl.col("instance_type") == "odd", named=True)
        assert (row["usd_per_hour"], row["conflict_usd_per_hour"]) == (0.086, 0.178)

    @pytest.mark.case("P8")
    def test_no_price_is_unknown(self, feed, fetch):
        feed.put("/aws/vms.csv", feeds.table(feeds.skypilot_row(Price="", SpotPrice="")))
        got = fetch()
        assert [(r["term"], r["amount"]) for r in rows_of(got)] == [("on_demand", None)]
        assert got.warnings == ("AWS gives no price for p3.2xlarge",)

    @pytest.mark.case("P7")
    def test_hosts_and_gpus_of_google_cloud_are_put_together(self, feed, fetch):
        """Its catalog prices hosts without their GPUs, and GPUs without hosts: neither is a machine."""
        feed.put("/gcp/vms.csv", feeds.gcp_rows(
            ("a2-highgpu-1g", "", "", "0.74", "0.37"), ("a2-ultragpu-1g", "", "", "1.10", "0.55"),
            ("", "A100", "1", "2.93", "0.88"), ("", "A100-80GB", "1", "3.93", "1.18"),
            ("a3-highgpu-1g", "", "", "1.18", "0.36"), ("", "H100", "1", "9.80", "2.25"),
            ("n1-highmem-8", "", "", "0.47", "0.10"), ("n1-highmem-16", "", "", "0.94", "0.20"),
            ("", "T4", "1", "0.35", ""), ("", "B200", "8", "128.88", "64.0"),
            ("a3-megagpu-8g", "", "", "9.46", "2.9"), ("", "H100-MEGA", "8", "82.8", "20.0"),
            ("m5-odd", "", "", "1.0", "0.5"), ("", "L4", "3", "1.0", "0.5"),
        ))  # fmt: skip
        got = fetch("gcp")
        rows = {(r["instance_type"], r["term"]): r for r in rows_of(got)}
        assert got.warnings == tuple(
            f"GCP: no machine is known that holds {gpu}" for gpu in ("H100-MEGA", "L4")
        )
        assert {k: r["amount"] for k, r in rows.items()} == pytest.approx({
            ("a2-highgpu-1g", "on_demand"): 3.67, ("a2-highgpu-1g", "spot"): 1.25,
            ("a2-ultragpu-1g", "on_demand"): 5.03, ("a2-ultragpu-1g", "spot"): 1.73,
            ("a3-highgpu-1g", "spot"): 2.61, ("n1-highmem-8 + 1x T4", "on_demand"): 0.82,
            ("a4-highgpu-8g", "spot"): 64.0,
        })  # fmt: skip
        assert rows["a2-highgpu-1g", "on_demand"]["incomplete"] is None
        assert rows["a2-ultragpu-1g", "on_demand"]["incomplete"] == "local disk"

    @pytest.mark.case("P6")
    def test_a_market_names_its_gpus_in_the_type_and_counts_all_their_memory(self, feed, fetch):
        feed.put("/vast/vms.csv", feeds.table(
            feeds.vast_row("2x-RTX_3060_Ti-32-65536", "RTX3060", 2, 16_384),
            feeds.vast_row("2x-A100_SXM4-32-65536", "A100", 2, 81_920),
            feeds.vast_row("2x-RTX_4070S_Ti-32-65536", "RTX4070", 2, 32_752),
            feeds.vast_row("1x-RTX_4090-32-65536", "RTX4090", 1, 24_564, Price="0.40"),
            feeds.vast_row("1x-RTX_4090-32-65536", "RTX4090", 1, 49_140, Price="0.41"),
        ))  # fmt: skip
        rows = [r for r in rows_of(fetch("vast")) if r["term"] == "on_demand"]
        assert {(r["instance_type"], r["gpu"]) for r in rows} == {
            ("2x-RTX_3060_Ti-32-65536", "RTX 3060 Ti"),
            ("2x-A100_SXM4-32-65536", "A100 SXM 40GB"),
            ("2x-RTX_4070S_Ti-32-65536", "RTX 4070 Ti Super"),
            ("1x-RTX_4090-32-65536 + 1x RTX 4090", "RTX 4090"),
            ("1x-RTX_4090-32-65536 + 1x RTX 4090 48GB (modified)", "RTX 4090 48GB (modified)"),
        }
        assert {r["price_kind"] for r in rows} == {"observed_minimum"}

    def test_the_form_factor_may_stand_beside_the_name(self, feed, fetch):
        info = "{'Gpus': [{'Name': 'A100 PCIe', 'Count': 1, 'MemoryInfo': {'SizeInMiB': 80}}]}"
        row = feeds.skypilot_row(
            InstanceType="1x_A100-80GB_SECURE", AcceleratorName="A100-80GB", GpuInfo=info
        )
        feed.put("/runpod/vms.csv", feeds.table(row))
        assert {r["gpu"] for r in rows_of(fetch("runpod"))} == {"A100 PCIe 80GB"}

    @pytest.mark.case("P11")
    def test_a_cloud_that_fails_fails_alone(self, feed, fetch):
        feed.put("/aws/vms.csv", feeds.table(feeds.skypilot_row()))
        feed.put("/gcp/vms.csv", "<html>rate limited</html>")
        got = fetch("aws", "gcp")
        assert {r["provider"] for r in rows_of(got)} == {"AWS"}
        assert "web page" in got.failed["GCP"]

    def test_a_file_that_breaks_off_within_a_row_is_not_believed(self, feed, fetch):
        """Half a row was read as a price cut in two, in no region."""
        whole = feeds.table(feeds.skypilot_row(), feeds.skypilot_row(Region="eu-north-1"))
        feed.put("/gcp/vms.csv", whole)
        feed.put("/aws/vms.csv", whole[: whole.rindex("3.06") + 1])
        with pytest.raises(SourceFailed, match="the catalog of AWS breaks off in row 3"):
            fetch("aws")

    def test_a_column_that_went_missing_is_named(self, feed, fetch):
        row = feeds.skypilot_row()
        del row["SpotPrice"]
        feed.put("/aws/vms.csv", feeds.table(row))
        with pytest.raises(SourceFailed, match="'SpotPrice' is missing"):
            fetch()


class TestEcb:
    @pytest.fixture
    def fetch(self, feed, client, quiet):
        return lambda: Ecb(url=f"{feed.url}/rates.xml").fetch(client, TODAY, quiet)

    def test_monthly_means_in_dollars(self, feed, fetch):
        feed.put("/rates.xml", feeds.ecb(
            ("2026-11-03", {"USD": 1.20, "CNY": 8.0}),
            ("2026-11-02", {"USD": 1.10, "CNY": 8.0}),
            ("2026-10-20", {"USD": 9.00, "CNY": 1.0}),
        ))  # fmt: skip
        rates = {(r["month"], r["currency"]): r for r in fetch().fx.to_dicts()}
        assert set(rates) == {(date(2026, 11, 1), "EUR"), (date(2026, 11, 1), "CNY")}
        assert rates[date(2026, 11, 1), "EUR"]["usd_per_unit"] == pytest.approx(1.15)
        assert rates[date(2026, 11, 1), "CNY"]["usd_per_unit"] == pytest.approx((1.2 + 1.1) / 2 / 8)
        assert rates[date(2026, 11, 1), "EUR"]["observed_on"] == date(2026, 11, 3)

    @pytest.mark.parametrize(
        ("body", "said"),
        [
            ("<!doctype html><html/>", "web page"),
            ("<a><b></a>", "not whole XML"),
            ("<a/>", "'time' is missing"),
            (feeds.ecb(("2026-11-02", {"CNY": 8.0})), "'USD' is missing"),
            (feeds.ecb(("2026-11-02", {"USD": 0.0})), "the rate of USD is 0"),
            ('<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "b">]><x/>', "document type"),
        ],
    )
    def test_what_is_not_rates_is_refused(self, feed, fetch, body, said):
        feed.put("/rates.xml", body)
        with pytest.raises(SourceFailed, match=said):
            fetch()


class TestOwn:
    @pytest.fixture
    def fetch(self, tmp_path, client, known, quiet):
        def fetch(mapping: str, *rows: dict, parquet: bool = False):
            if parquet:
                pl.DataFrame(rows).write_parquet(tmp_path / "mine.parquet")
            else:
                (tmp_path / "mine.csv").write_text(feeds.table(*rows))
            (tmp_path / "map.yaml").write_text(mapping)
            return Own(known, tmp_path / "map.yaml").fetch(client, TODAY, quiet)

        return fetch

    ROW = {"Vendor": "Uni", "Node": "n1", "Card": "Tesla V100-SXM2-16GB", "EUR/h": "1.28", "Cards": "8"}  # noqa: RUF012
    MAP = """
file: mine.csv
columns: {provider: Vendor, instance_type: Node, gpu: Card, amount: EUR/h, gpu_count: Cards}
values: {currency: EUR, kind: campus}
"""

    def test_a_table_with_a_mapping(self, fetch):
        got = fetch(self.MAP, self.ROW)
        (row,) = rows_of(got)
        assert (row["gpu"], row["amount"], row["currency"], row["kind"]) == (
            "V100 SXM2 16GB",
            1.28,
            "EUR",
            "campus",
        )
        assert got.whole

    def test_a_parquet_file(self, fetch):
        rows = rows_of(
            fetch(self.MAP.replace("mine.csv", "mine.parquet"), self.ROW | {"EUR/h": 1.28}, parquet=True)
        )
        assert rows[0]["amount"] == 1.28

    @pytest.mark.case("P3")
    def test_prices_for_one_gpu_become_prices_of_the_machine(self, fetch):
        (row,) = rows_of(fetch(self.MAP + "quoted_per: gpu\n", self.ROW | {"EUR/h": "0.16"}))
        assert row["amount"] == pytest.approx(1.28)

    @pytest.mark.case("P9")
    @pytest.mark.parametrize(
        ("reserved", "minimum", "amount", "kind"),
        [("345", "1", 3.45, "list"), ("", "1", 0.01, "observed_minimum"), ("", "", None, "list")],
    )
    def test_a_floor_is_not_a_price(self, fetch, reserved, minimum, amount, kind):
        mapping = """
file: mine.csv
columns: {provider: Vendor, instance_type: Node, gpu: Card, reserved_amount: dph, minimum_amount: min_bid}
values: {currency: USD, kind: marketplace, gpu_count: 1}
money_unit: cents
"""
        (row,) = rows_of(fetch(mapping, self.ROW | {"dph": reserved, "min_bid": minimum}))
        assert (row["amount"], row["price_kind"]) == (amount, kind)

    @pytest.mark.case("P18")
    def test_without_a_currency_it_is_unknown(self, fetch):
        (row,) = rows_of(fetch(self.MAP.replace("currency: EUR, ", ""), self.ROW))
        assert row["currency"] is None

    @pytest.mark.parametrize(
        ("old", "new", "said"),
        [
            ("amount: EUR/h", "amount: EUR/hour", "no column 'EUR/hour'; did you mean EUR/h?"),
            ("amount: EUR/h", "amont: EUR/h", "no 'amont'; did you mean amount?"),
            ("amount: EUR/h, ", "", "which column is amount"),
            (
                "columns:",
                "quoted_per: gpus\ncolumns:",
                "quoted_per is 'gpus'; it must be one of machine, gpu",
            ),
            (
                "columns:",
                "money_unit: cent\ncolumns:",
                "money_unit is 'cent'; it must be one of whole, cents",
            ),
            ("columns:", "memory_unit: KB\ncolumns:", "memory_unit is 'KB'; it must be one of GB, GiB, MiB"),
            ("columns:", "hours_per_month: 24\ncolumns:", "a month has 672 to 744 hours, not 24"),
            (
                "currency: EUR",
                "currency: EUR, observed_on: 2099-01-01",
                "observed_on is 2099-01-01, which is yet to come",
            ),
            ("currency: EUR", "currency: EUR, valid_to: 2020-01-01", "it must be after valid_from"),
            ("kind: campus", "kind: castle", "kind is 'castle'; it must be one of cloud"),
            ("columns:", "column:", "must say `file:`"),
            ("file: mine.csv", "file: [mine.csv]", "must be a name in text"),
            ("amount: EUR/h", "amount: 5", "5 must be a name in text"),
            ("file: mine.csv", "file: none.csv", "none.csv cannot be read"),
        ],
    )
    def test_what_is_wrong_is_said_in_a_sentence(self, fetch, old, new, said):
        with pytest.raises(BadInput, match=said.replace("?", r"\?")):
            fetch(self.MAP.replace(old, new), self.ROW)

    @pytest.mark.parametrize("price", ["call us", "NaN", "inf", "-inf", "1e400", "1e13"])
    def test_a_price_that_is_no_number_names_its_row(self, fetch, price):
        with pytest.raises(SourceFailed, match=rf"mine.csv, row 2 is '{price}', not a number"):
            fetch(self.MAP, self.ROW | {"EUR/h": price})

    @pytest.mark.case("P17")
    @pytest.mark.parametrize(("hours", "usd_per_hour"), [(None, 720 / 730), (720, 1.0), (744, 720 / 744)])
    def test_a_month_of_another_length_is_said_and_converted(self, fetch, hours, usd_per_hour):
        mapping = self.MAP.replace("currency: EUR", "currency: USD, per: machine_month, term: monthly")
        if hours:
            mapping += f"hours_per_month: {hours}\n"
        got = fetch(mapping, self.ROW | {"EUR/h": "720"})
        (row,) = (
            judged(Catalog(TODAY, DATA_DIR, extra={"offers": got.offers}))
            .filter(provider="Uni")
            .iter_rows(named=True)
        )
        assert row["usd_per_hour"] == pytest.approx(usd_per_hour)

    @pytest.mark.parametrize("count", ["0", "-8", ""])
    def test_a_machine_of_no_gpus_is_doubted(self, fetch, count):
        got = fetch(self.MAP, self.ROW | {"Cards": count})
        catalog = Catalog(TODAY, DATA_DIR, extra={"offers": got.offers})
        (row,) = judged(catalog).filter(provider="Uni").iter_rows(named=True)
        assert (row["usd_per_gpu_hour"], row["rankable"]) == (None, False)
        assert row["doubt"] == "the source does not say how many GPUs"

    def test_terms_as_chinese_price_lists_name_them(self, fetch, tmp_path):
        mapping = """
file: mine.csv
columns: {provider: 云, instance_type: 机型, gpu: 显卡, amount: 价格, term: 计费}
values: {currency: CNY, country: CHN, gpu_count: 1}
"""
        line = {"云": "某云", "机型": "a", "显卡": "RTX 4090", "价格": "7500", "计费": "包年"}
        month = line | {"机型": "b", "价格": "730", "计费": "包月"}
        hour = line | {"机型": "c", "价格": "1.5", "计费": "按量"}
        got = fetch(mapping, line, month, hour)
        rows = {r["instance_type"]: r for r in rows_of(got)}
        assert (rows["a"]["term"], rows["a"]["amount"], rows["a"]["upfront"]) == ("reserved_1y", 0.0, 7500.0)
        assert (rows["b"]["term"], rows["b"]["per"], rows["b"]["minimum_months"]) == (
            "monthly",
            "machine_month",
            1.0,
        )
        assert rows["c"]["term"] == "on_demand"
        catalog = Catalog(
            date(2026, 10, 31),
            DATA_DIR,
            extra={"offers": got.offers.with_columns(valid_from=date(2026, 10, 1))},
        )
        cny = catalog.all_rows("fx").filter(currency="CNY", month=date(2026, 10, 1))["usd_per_unit"].item()
        usd = {
            r["instance_type"]: r["usd_per_hour"]
            for r in judged(catalog).to_dicts()
            if r["provider"] == "某云"
        }
        assert usd == pytest.approx({"a": 7500 / 12 / 730 * cny, "b": cny, "c": 1.5 * cny})
