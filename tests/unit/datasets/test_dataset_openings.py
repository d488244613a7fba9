"""Lines that would silently open a document to everybody: each must end as an error."""

from __future__ import annotations

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.unit.datasets.sound_dataset import more
from vara.datasets.beir import read_objects
from vara.datasets.dataset import read_dataset
from vara.datasets.findings import Findings
from vara.datasets.spelling import is_nearly_metadata

CORPUS, QUERIES = "corpus.jsonl", "queries.jsonl"
NAMES = st.sampled_from(["a", "b", "metadata", "audience", '"', "\\", "\x00", "é"])
VALUES = st.recursive(
    st.none() | st.just("x"),
    lambda inner: st.lists(inner, max_size=3) | st.lists(st.tuples(NAMES, inner), max_size=4).map(tuple),
    max_leaves=12,
)


def dump(value):
    """Return JSON of a value in which a tuple is an object: (name, value) pairs, which may repeat a name."""
    if isinstance(value, tuple):
        return "{" + ", ".join(f"{json.dumps(name)}: {dump(inner)}" for name, inner in value) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(dump, value)) + "]"
    return json.dumps(value)


def n_repeated(value):
    """Return how many (object, key) there are in which the key stands more than once."""
    if isinstance(value, list):
        return sum(map(n_repeated, value))
    if not isinstance(value, tuple):
        return 0
    names = [name for name, _ in value]
    return sum(names.count(name) > 1 for name in set(names)) + sum(n_repeated(inner) for _, inner in value)


def found_in(folder):
    return [(finding.code, finding.severity, finding.examples) for finding in read_dataset(folder).findings]


@given(st.lists(VALUES, max_size=4))
@example(
    [
        (
            (
                (
                    "a",
                    ((("b", None), ("b", "x"))),
                )
            ),
        )
    ]
)
def test_every_repeated_key_at_every_depth_is_found_and_no_other(tmp_path_factory, values):
    path = tmp_path_factory.getbasetemp() / "repeated.jsonl"
    lines = [f'{{"_id": "d", "n": {dump(value)}}}' for value in values]
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    findings = Findings()
    rows = [where for where, _ in read_objects(path, findings, file="f")]
    assert sum(finding.count for finding in findings.all()) == sum(map(n_repeated, values))
    assert rows == [f"f:{i}" for i, value in enumerate(values, start=1) if not n_repeated(value)]


@pytest.mark.parametrize(
    ("row", "key"),
    [
        ('{"_id": "d3", "text": "x", "metadata": {"audience": "staff"}, "metadata": {}}', "'metadata'"),
        ('{"_id": "d3", "text": "x", "metadata": {"audience": "staff", "audience": null}}', "'audience'"),
        (
            r'{"_id": "d3", "text": "x", "metadata": {"audience": "staff", "\u0061udience": null}}',
            "'audience'",
        ),
        ('{"_id": "d3", "text": "x", "metadata": {"a": [[{"b": {"c": 1, "c": 1}}]]}}', "'c'"),
        (r'{"_id": "d3", "text": "x", "\ud800": 1, "\ud800": 1}', r"'\ud800'"),
        ('{"_id": "d3", "_id": "d4", "text": "x"}', "'_id'"),
    ],
)
def test_a_repeated_key_is_named_with_its_line(build, row, key):
    assert found_in(build(more(CORPUS, row))) == [("repeated-key", "error", (f"corpus.jsonl:3 key {key}",))]


def test_a_key_may_stand_in_many_objects_of_a_line(lint):
    assert (
        lint(more(CORPUS, '{"_id": "d3", "text": "x", "metadata": {"a": {"text": [{"a": 1}, {"a": 1}]}}}'))
        == []
    )


def test_what_a_bad_line_repeats_is_not_said_of_the_next_one(lint):
    rows = ('{"a": 1, "a": 2}, ', '[{"a": 1, "a": 2}]', '{"_id": "d3", "text": "x"}')
    assert [line.split(" (")[0] for line in lint(more(CORPUS, *rows))] == [
        "error bad-json",
        "error not-an-object",
    ]


def test_objects_nested_beyond_measure_are_no_crash(lint):
    bomb = '{"a":' * 100_000 + "1" + "}" * 100_000
    assert [line.split()[1] for line in lint(more(CORPUS, bomb))] == ["bad-json"]


@pytest.mark.parametrize(
    "name",
    [
        *("Metadata", "METADATA", "metdata", "meta_data", "meta-data", "meta data", "metadata "),
        *("emtadata", "metadatas", "mtadata", "metadate", "mètadatà"),
        *("metadata\u200b", "\ufeffmetadata", "\uff4detadata"),
    ],
)
@pytest.mark.parametrize("file", [CORPUS, QUERIES])
def test_a_field_that_is_nearly_metadata_is_an_error(build, file, name):
    row = {"_id": "x3", "text": "x", name: {"audience": "staff"}, "metadata": {"split": "dev"}}
    assert [
        code for code, *_ in found_in(build(more(file, json.dumps(row)))) if code != "unanswerable-query"
    ] == ["misspelt-name"]


@pytest.mark.parametrize(
    "name", ["meta", "data", "rawdata", "url", "metatags", "metadata_id", "", "audience_text"]
)
def test_a_field_of_another_name_stays_a_warning(build, name):
    row = {"_id": "d3", "text": "x", name: 1}
    assert [(code, severity) for code, severity, _ in found_in(build(more(CORPUS, json.dumps(row))))] == [
        ("unknown-field", "warning")
    ]


@given(st.lists(st.sampled_from("metad"), max_size=11).map("".join))
@example("metadata")
def test_up_to_two_edits_are_nearly(name):
    def one_edit(word):
        letters = "metad"
        for i in range(len(word) + 1):
            yield word[:i] + word[i + 1 :]
            for letter in letters:
                yield word[:i] + letter + word[i:]
                yield word[:i] + letter + word[i + 1 :]

    near = {"metadata"} | set(one_edit("metadata"))
    assert is_nearly_metadata(name) == (name in near | {word for other in near for word in one_edit(other)})


@pytest.mark.parametrize("key", ["audience", "status", "allowed", "scope", "split"])
@pytest.mark.parametrize("change", [str.upper, str.title, "{} ".format, "\t{}".format, "\ufeff{}".format])
@pytest.mark.parametrize("file", [CORPUS, QUERIES])
def test_a_key_of_metadata_that_is_read_under_another_spelling_is_an_error(build, file, key, change):
    row = {"_id": "x3", "text": "x", "metadata": {"split": "dev", change(key): "x"}}
    (first, *_) = found_in(build(more(file, json.dumps(row))))
    assert first == ("misspelt-name", "error", (f"{file}:3 key {change(key)!r} for {key}",))


def test_other_keys_of_metadata_are_the_authors_own(lint):
    metadata = {"audiences": 1, "state": "Archived", "Language": "en", "split_": 1, "old": {"Audience": "x"}}
    assert lint(more(CORPUS, json.dumps({"_id": "d3", "text": "x", "metadata": metadata}))) == []


@pytest.mark.parametrize("status", ["Archived", "ARCHIVED", "archived ", "\narchived", "archived\u200b"])
def test_a_status_that_is_nearly_archived_is_an_error(build, status):
    row = {"_id": "d3", "text": "x", "metadata": {"status": status}}
    ((code, severity, _),) = found_in(build(more(CORPUS, json.dumps(row))))
    assert (code, severity) == ("misspelt-name", "error")


@pytest.mark.parametrize("status", ["active", "unarchived", "archive", "", None, 3, "archived"])
def test_any_other_status_is_taken_as_it_is(lint, status):
    assert lint(more(CORPUS, json.dumps({"_id": "d3", "text": "x", "metadata": {"status": status}}))) == []


@pytest.mark.parametrize(
    "audience",
    [
        "staff ",
        " staff",
        "staff\n",
        "sta\tff",
        "sta\x00ff",
        "staff\x7f",
        "\u00a0staff",
        "\u200bstaff",
        "\u2028",
        " ",
    ],
)
def test_an_audience_with_white_space_around_it_or_control_characters_is_an_error(build, audience):
    document = {"_id": "d3", "text": "x", "metadata": {"audience": audience}}
    query = {"_id": "q3", "text": "x", "metadata": {"split": "dev", "allowed": ["hr", audience]}}
    found = found_in(build({**more(CORPUS, json.dumps(document)), **more(QUERIES, json.dumps(query))}))
    places = (f"corpus.jsonl:3 audience is {audience!r}", f"queries.jsonl:3 allowed has {audience!r}")
    assert found[0] == ("unclean-audience", "error", places)


@pytest.mark.parametrize(
    "audience", ["staff", "ward 7", "Büro", "Staff", "\u0634\u0628\u200c\u06a9", "a\u00a0b"]
)
def test_any_other_audience_is_compared_byte_for_byte(build, audience):
    document = {"_id": "d3", "text": "x", "metadata": {"audience": audience}}
    query = {"_id": "q3", "text": "x", "metadata": {"split": "dev", "allowed": [audience]}}
    dataset = read_dataset(build({**more(CORPUS, json.dumps(document)), **more(QUERIES, json.dumps(query))}))
    assert [finding.code for finding in dataset.findings] == ["unanswerable-query"]
    assert dataset.documents["audience"].to_list()[-1] == audience
    assert dataset.queries["allowed"].to_list()[-1] == [audience]
