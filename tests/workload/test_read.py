"""Whatever is wrong with a workload is said in one sentence: what, where, and what would be right."""

from __future__ import annotations

import pickle
from datetime import date, datetime
from pathlib import Path

import pytest

from rackrent.errors import BadInput
from rackrent.workload.read import parse_workload, read_workload, workload_from

OK = "demand: {utilisation: 0.2}\n"


def complaint(text: str) -> str:
    with pytest.raises(BadInput) as caught:
        parse_workload(text, "w.yaml")
    assert caught.value.exit_code == 2
    return str(caught.value)


def test_a_workload_of_one_line_has_defaults() -> None:
    workload = parse_workload(OK)
    assert (workload.gpus, workload.horizon_months, workload.discount_rate) == (1, 36, 0.05)
    assert workload.location.country == "USA"


def test_values_keep_the_meaning_they_were_written_with() -> None:
    workload = parse_workload(
        "name: 2018\nas_of: 2018-09-15\ngpus: 010\ninterruptible: yes\nfunding:\nassumptions: {a: 1e3}\n"
        "data: {storage_gb: 1_000}\nlongest_run_days: '2'\n" + OK
    )
    assert workload.name == "2018"
    assert workload.as_of == date(2018, 9, 15)
    assert workload.gpus == 10  # not octal
    assert workload.interruptible is True
    assert workload.funding is None
    assert workload.assumptions == {"a": 1000.0}
    assert (workload.data.storage_gb, workload.longest_run_days) == (1000.0, 2.0)


def test_json_and_anchors_are_read() -> None:
    assert parse_workload('{"demand": {"jobs_per_month": 20, "hours_per_job": 9}}').demand.hours_per_job == 9
    workload = parse_workload(
        "demand: {usage: jobs.csv}\nhave:\n  - &mine {gpu: GeForce RTX 3090, gpus: 2}\n  - *mine\n"
    )
    assert workload.have[0] == workload.have[1]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "w.yaml: this is empty; a workload needs at least demand, such as 'demand: {utilisation: 0.2}'"),
        ("# only a comment\n", "w.yaml: this is empty; a workload needs at least demand, such as 'demand: {utilisation: 0.2}'"),
        ("- gpus", "w.yaml, line 1: a workload is a list of fields such as 'gpus: 4', not ['gpus']"),
        ("gpus", "w.yaml, line 1: a workload is a list of fields such as 'gpus: 4', not 'gpus'"),
        ("gpus: 1", "w.yaml, line 1: the workload does not say how much work there is; add for example 'demand: {utilisation: 0.2}'"),
        ("demand:\n", "w.yaml, line 1: demand has no value; give it one or remove the line"),
        ("\n\ndemand:\n  gpu_hour_per_month: 3", "w.yaml, line 4: unknown field 'gpu_hour_per_month' in demand; did you mean 'gpu_hours_per_month'?"),
        ("demnd: {utilisation: 0.2}", "w.yaml, line 1: unknown field 'demnd'; did you mean 'demand'?"),
        (OK + "utilisation: 0.3", "w.yaml, line 2: unknown field 'utilisation'; it belongs under demand"),
        ("demand: {utilisation: 0.2, gpus: 4}", "w.yaml, line 1: unknown field 'gpus' in demand; it belongs at the top level"),
        (OK + "tax:\n  zzz: 1", "w.yaml, line 3: unknown field 'zzz' in tax; known are rate, recoverable"),
        (OK + "gpus: 2\ngpus: 4", "w.yaml, line 3: 'gpus' is given twice (first on line 2)"),
        (OK + "gpus: many", "w.yaml, line 2: gpus must be a whole number, not 'many'"),
        (OK + "gpus: 1.5", "w.yaml, line 2: gpus must be a whole number, not 1.5"),
        (OK + "gpus: yes", "w.yaml, line 2: gpus must be a whole number, not 'yes'"),
        (OK + "gpus: -1", "w.yaml, line 2: gpus is -1; it must be at least 1"),
        (OK + "gpus: 99999999999999999999999999", "w.yaml, line 2: gpus is 99999999999999999999999999; it must be at most 4,096"),
        (OK + "horizon_months: 1000", "w.yaml, line 2: horizon_months is 1000; it must be at most 240"),
        (OK + "interruptible: maybe", "w.yaml, line 2: interruptible must be yes or no, not 'maybe'"),
        (OK + "name: [a]", "w.yaml, line 2: name must be text, not ['a']"),
        (OK + "name: ''", "w.yaml, line 2: name must not be empty"),
        (OK + 'name: "a\\e[31m"', "w.yaml, line 2: name must be printable text on one line, at most 300 characters"),
        (OK + f"name: {'x' * 121}", "w.yaml, line 2: name must not be longer than 120 characters"),
        (OK + "data: 5", "w.yaml, line 2: data must hold fields of its own, one a line below it, not 5"),
        (OK + "requirements:\n  certificates: HIPAA", "w.yaml, line 3: requirements.certificates must be a list, such as ['HIPAA']"),
        (OK + "have: {gpu: x}", "w.yaml, line 2: have must be a list; begin each item of it with '- '"),
        (OK + "have:\n  - gpus: 2", "w.yaml, line 3: have[0] lacks the field 'gpu'"),
        (OK + "task: cnn-train", "w.yaml, line 2: task is 'cnn-train'; did you mean 'cnn_training'? (one of generic, cnn_training, segmentation, transformer_finetune, transformer_pretrain, diffusion, inference)"),
        (OK + "precision: 99", "w.yaml, line 2: precision is 99; it must be one of fp32, fp16, bf16, fp8"),
        (OK + "consider: {kinds: [clouds]}", "w.yaml, line 2: consider.kinds[0] is 'clouds'; did you mean 'cloud'? (one of own_build, own_prebuilt, own_existing, colocation, bare_metal, cloud, marketplace, exchange, campus)"),
        # figures in another unit than asked
        ("demand: {utilisation: 20}", "w.yaml, line 1: demand.utilisation is 20, but it is a share: for 20 % write 0.2"),
        ("demand: {utilisation: 146}", "w.yaml, line 1: demand.utilisation is 146, but it is a share of all hours: for 146 of 730 h write 0.2"),
        (OK + "idle_waste: 15", "w.yaml, line 2: idle_waste is 15, but it is a share: for 15 % write 0.15"),
        (OK + "discount_rate: 5", "w.yaml, line 2: discount_rate is 5, but it is a share: for 5 % write 0.05"),
        (OK + "tax: {rate: 19}", "w.yaml, line 2: tax.rate is 19, but it is a share: for 19 % write 0.19"),
        (OK + "funding: {indirect_rate_services: 55}", "w.yaml, line 2: funding.indirect_rate_services is 55, but it is a share: for 55 % write 0.55"),
        (OK + "have:\n  - gpu: RTX 3090\n    power_kw: 850", "w.yaml, line 4: have[0].power_kw is 850: that is a lot for one machine; did you mean 0.85 (850 W)?"),
        (OK + "have:\n  - gpu: RTX 3090\n    power_kw: 1e9", "w.yaml, line 4: have[0].power_kw is 1e+09; for a machine with this many GPUs it must be at most 4.5 kW"),
        (OK + "have:\n  - gpu: RTX 3090\n    idle_watts: 0.08", "w.yaml, line 4: have[0].idle_watts is 0.08, but it is in watts: did you mean 80 (0.08 kW)?"),
        (OK + "have:\n  - gpu: RTX 3090\n    power_kw: 0.4\n    idle_watts: 500", "w.yaml, line 5: have[0].idle_watts is 500, more than the machine draws under load (power_kw is 0.4)"),
        (OK + "own: {circuit_kw: 2300}", "w.yaml, line 2: own.circuit_kw is 2300, but it is in kW: did you mean 2.3 (2300 W)?"),
        (OK + "own: {usd_per_kwh: 20}", "w.yaml, line 2: own.usd_per_kwh is 20, but it is in dollars: for 20 cents write 0.2"),
        (OK + "gpu_memory_gb: 11264", "w.yaml, line 2: gpu_memory_gb is 11264, but it is in GB: did you mean 11 (11264 MiB)?"),
        ("demand: {gpu_hours_per_month: 1e9}", "w.yaml, line 1: demand.gpu_hours_per_month is 1e+09: that is 1,369,863 GPUs busy day and night; it must be at most 73,000,000"),
        ("demand: {jobs_per_month: 1e6, hours_per_job: 1000}", "w.yaml, line 1: demand asks for 1,000,000,000 hours of runs a month; it must be at most 73,000,000"),
        ("demand: {gpu_hours_per_month: 0}", "w.yaml, line 1: demand.gpu_hours_per_month is 0; it must be more than 0"),
        ("demand: {gpu_hours_per_month: nan}", "w.yaml, line 1: demand.gpu_hours_per_month must be a finite number, not nan"),
        ("demand: {gpu_hours_per_month: -.inf}", "w.yaml, line 1: demand.gpu_hours_per_month must be a number, not '-.inf'"),
        # more than one way, or half of one
        ("demand: {utilisation: 0.2, gpu_hours_total: 5}", "w.yaml, line 1: demand says gpu_hours_total, utilisation; it needs exactly one of gpu_hours_per_month, gpu_hours_total, jobs_per_month with hours_per_job, utilisation, usage"),
        ("demand: {growth_per_year: 0.1}", "w.yaml, line 1: demand says nothing; it needs exactly one of gpu_hours_per_month, gpu_hours_total, jobs_per_month with hours_per_job, utilisation, usage"),
        ("demand: {jobs_per_month: 20}", "w.yaml, line 1: demand needs jobs_per_month and hours_per_job together"),
        ("demand: {utilisation: 0.5, busy_months_per_year: 2}", "w.yaml, line 1: demand says utilisation 0.5 all in 2 months of the year, which is more hours than these months have; it must be at most 0.167"),
        # countries, currencies, dates
        (OK + "location: {country: US}", "w.yaml, line 2: location.country is 'US'; did you mean USA?"),
        (OK + "location: {country: usa}", "w.yaml, line 2: location.country is 'usa'; did you mean USA?"),
        (OK + "location: {country: NO}", "w.yaml, line 2: location.country is 'NO'; did you mean NOR?"),
        (OK + "requirements:\n  residency:\n    - DEU\n    - Germany", "w.yaml, line 5: requirements.residency[1] is 'Germany'; did you mean DEU?"),
        (OK + "location: {country: '?'}", "w.yaml, line 2: location.country is '?'; it must be a three-letter country code (ISO 3166) such as USA or DEU"),
        (OK + "quotes: [{provider: x, gpu: T4, amount: 3, currency: euro}]", "w.yaml, line 2: quotes[0].currency is 'euro'; it must be a three-letter currency code such as USD or EUR"),
        (OK + "quotes: [{provider: x, gpu: T4, amount: 3}]", "w.yaml, line 2: quotes[0] gives an amount without a currency; add for example 'currency: EUR'"),
        (OK + "as_of: 15/09/2018", "w.yaml, line 2: as_of must be a date written as 2018-09-15, not '15/09/2018'"),
        (OK + "as_of: 20180915", "w.yaml, line 2: as_of must be a date written as 2018-09-15, not '20180915'"),
        (OK + "as_of: 2018-02-30", "w.yaml, line 2: as_of is 2018-02-30; there is no such day"),
        (OK + "as_of: 1918-09-15", "w.yaml, line 2: as_of is 1918-09-15; it must be a day of this century"),
        # assumptions: a number or a range
        (OK + "assumptions: {hourly_rate: lots}", "w.yaml, line 2: assumptions.hourly_rate must be a number, not 'lots'"),
        (OK + "assumptions:\n  hourly_rate: {low: 3, likely: 2, high: 1}", "w.yaml, line 3: assumptions.hourly_rate needs low <= likely <= high, not 3, 2, 1"),
        (OK + "assumptions:\n  hourly_rate:\n    lo: 1", "w.yaml, line 4: unknown field 'lo' in assumptions.hourly_rate; did you mean 'low'?"),
        # several
        (OK + "gpus: 0\nidle_waste: 15\ndiscount_rate: 5", "w.yaml, line 2: gpus is 0; it must be at least 1 (and 2 more problems)"),
        (OK + "gpus: 0\ngpu: 15", "w.yaml, line 3: unknown field 'gpu'; did you mean 'gpus'? (and 1 more problem)"),
    ],
)  # fmt: skip
def test_each_mistake_gets_its_sentence(text: str, said: str) -> None:
    assert complaint(text) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("demand:\n  - [1, 2", "line 2: the file ends inside a quoted text or a bracket that was opened and not closed"),
        ("name: 'x", "line 1: the file ends inside a quoted text or a bracket that was opened and not closed"),
        ("demand:\n\tutilisation: 0.2", "line 2: a tab begins this line; indent with spaces"),
        ("demand: utilisation: 0.2", "line 1: a colon is not expected here; check the indentation, and quote a text that holds ': '"),
        ("gpus 4\ndemand: {}", "line 2: a colon is not expected here; check the indentation, and quote a text that holds ': '"),
        ("demand:\n  utilisation: 0.2\n gpus: 4", "line 3: this line is not indented like the lines around it"),
        ("gpus: 1\ngpu_memory_gb\n", "line 3: a field needs a colon and a space after its name, such as 'gpus: 4'"),
        (OK + "---\n" + OK, "line 2: a second YAML document begins here; a workload is one"),
        ("demand: *d", "line 1: this alias (*name) has no anchor (&name) before it"),
        ("demand: @x", "line 1: this is not valid YAML"),
        ('name: "\\U99999999"', "line 1: this is not valid YAML"),
        ("name: \x07", "line 1: the character U+0007 is not allowed in YAML text"),
        ("? [a]\n: 1", "line 1: the name of a field must be plain text"),
        ("a: &a {gpus: 1}\n<<: *a", "line 2: merging with '<<' is not supported; write the fields out"),
        ("demand: !!python/object/apply:os.system ['true']", "line 1: 'tag:yaml.org,2002:python/object/apply:os.system' is not a plain value"),
        ("demand: &d [*d]", "line 1: this is nested more than 20 levels deep; a workload needs four"),
        ("[" * 100_000, "line 1: this is nested more than 20 levels deep; a workload needs four"),
        ("gpus: [" + "1," * 50_000 + "]", "line 1: this makes more than 10,000 values, aliases followed; a workload has a few dozen"),
    ],
)  # fmt: skip
def test_broken_yaml_is_told_with_its_line(text: str, said: str) -> None:
    assert complaint(text) == f"w.yaml, {said}"


def test_a_billion_laughs_are_not_laughed() -> None:
    bomb = "a0: &a0 [lol]\n" + "".join(
        f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 12)
    )
    assert "this makes more than 10,000 values, aliases followed" in complaint(bomb)


def test_files_that_are_no_workload(tmp_path: Path) -> None:
    def refused(name: str, content: bytes | None = None) -> str:
        path = tmp_path / name
        if content is not None:
            path.write_bytes(content)
        with pytest.raises(BadInput) as caught:
            read_workload(path)
        return str(caught.value).removeprefix(str(path))

    assert refused("empty.yaml", b"").startswith(": this is empty;")
    assert refused("emty.yaml") == ": there is no such file; did you mean 'empty.yaml'?"
    assert refused("quite/elsewhere") == ": there is no such file"
    assert refused(".") == ": this is a folder; give a YAML file in it"
    assert (
        refused("latin.yaml", "a: 1\nname: Köln".encode("latin-1"))
        == ", line 2: this is not UTF-8 text; save the file as UTF-8"
    )
    assert refused("zero.yaml", b"name: \0") == ": this is a binary file; a workload is YAML text in UTF-8"
    assert (
        refused("image.png", b"\x89PNG\r\n\x1a\n\0\0")
        == ": this is a binary file; a workload is YAML text in UTF-8"
    )
    assert (
        refused("utf16.yaml", OK.encode("utf-16"))
        == ": this is a binary file; a workload is YAML text in UTF-8"
    )
    assert (
        refused("big.yaml", b"#" * 1_000_001)
        == ": this file is larger than 1 MB; a workload is a page or two of YAML"
    )
    assert "cannot be read" in refused("x" * 500)
    with pytest.raises(BadInput, match="cannot be read"):
        read_workload(Path("a\0b"))


def test_a_file_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "w.yaml"
    path.write_bytes(b"\xef\xbb\xbf" + OK.replace("\n", "\r\n").encode())
    assert read_workload(path).demand.utilisation == 0.2


def test_a_mapping_is_read_like_a_file() -> None:
    mapping = {
        "demand": {"utilisation": 0.1 + 0.2},
        "as_of": date(2018, 9, 15),
        "gpus": 4,
        "interruptible": True,
    }
    workload = workload_from(mapping)
    assert workload.demand.utilisation == 0.1 + 0.2
    assert (workload.as_of, workload.gpus, workload.interruptible) == (date(2018, 9, 15), 4, True)
    assert workload_from(workload) is workload
    assert workload_from({"demand": workload.demand, "location": workload.location}).demand == workload.demand


@pytest.mark.parametrize(
    ("mapping", "said"),
    [
        ({}, "this is empty"),
        ({"demand": {"utilisation": True}}, "demand.utilisation must be a number, not 'true'"),
        ({"demand": {"utilisation": float("nan")}}, "demand.utilisation must be a finite number, not nan"),
        ({"demand": {"utilisation": 10**5000}}, "demand.utilisation must be a finite number, not inf"),
        ({"demand": {"utilisation": 0.2}, "as_of": datetime(2018, 9, 15, 12)}, "datetime.datetime(2018, 9, 15, 12, 0) is not a plain value"),
        ({"demand": {"utilisation": 0.2}, 5: 1}, "the name of a field must be plain text, not 5"),
        ({"demand": {"utilisation": 0.2}, "gpu": 1}, "unknown field 'gpu'; did you mean 'gpus'?"),
        ({"demand": {1}}, "{1} is not a plain value"),
    ],
)  # fmt: skip
def test_a_mapping_gets_the_same_sentences(mapping: dict[str, object], said: str) -> None:
    with pytest.raises(BadInput) as caught:
        workload_from(mapping)
    assert str(caught.value).startswith(f"workload: {said}")


def test_a_mapping_that_holds_itself_is_refused() -> None:
    mapping: dict[str, object] = {"demand": {"utilisation": 0.2}}
    mapping["data"] = mapping
    with pytest.raises(BadInput, match="nested more than 20 levels deep"):
        workload_from(mapping)


def test_workloads_are_values() -> None:
    workload = parse_workload(OK)
    assert pickle.loads(pickle.dumps(workload)) == workload
