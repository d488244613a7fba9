"""Typed tables, their digests and their files."""

from __future__ import annotations

import hashlib

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vara.datasets import tables
from vara.datasets.schemas import validate_table
from vara.datasets.tables import column_types, read_table, table_digest, to_frame, write_table
from vara.errors import Problem

QUERIES = [
    ("q1", "reset password", "dev", "{}", "en", None, ["staff", "admin"], None),
    ("q2", "Drucker für Gäste", None, '{"a":1}', None, "", [], '{"product":"web"}'),
    ("q3", "", "test", "{}", None, None, None, None),
]
LABELS = [("q1", "d1", 1, "human", "dev"), ("q2", "d1", 0, "model", None)]


def test_digest_of_a_known_table():
    """This value may only change together with the definition in table_digest's docstring."""
    assert (
        table_digest(to_frame("queries", QUERIES).drop("scope"))
        == "3c29dfc13f2c66cada6f463b95d6e6dccc5c4d10ec86c1e9ace721dbc33a53bb"
    )
    assert (
        table_digest(to_frame("queries", QUERIES))
        == "5c7e950f31d0dfc292be4f10b74a8e9a1bb555ec7e5228b783a8894d2bacd66c"
    )
    assert (
        table_digest(to_frame("labels", LABELS))
        == "dea66fa59ae0b15bc5e551c04e50cc6a2706b890474b4209049760ef025efd23"
    )


def test_digest_by_hand():
    # column "a", two rows: null, then the two bytes of é; column "b": true, false; column "c": 12, -1
    frame = pl.DataFrame({"a": [None, "é"], "b": [True, False], "c": [12, -1], "d": [[], ["x", None]]})
    encoded = "1:ai2;-2:é" + "1:bi2;tf" + "1:ci2;i12;i-1;" + "1:di2;[0:[2:1:x-"
    assert table_digest(frame) == hashlib.sha256(encoded.encode()).hexdigest()


def test_digest_tells_null_from_empty_and_values_from_their_neighbours():
    def column(*values):
        return table_digest(pl.DataFrame({"a": list(values)}, schema={"a": pl.String}))

    digests = [column(None), column(""), column("-"), column("ab", "c"), column("a", "bc"), column("abc")]
    assert len(set(digests)) == len(digests)


def test_digest_sees_order_and_names_but_not_chunks():
    frame = to_frame("labels", LABELS)
    assert table_digest(frame.reverse()) != table_digest(frame)
    assert table_digest(frame.rename({"source": "origin"})) != table_digest(frame)
    assert table_digest(pl.concat([frame[:1], frame[1:]], rechunk=False)) == table_digest(frame)


def test_digest_refuses_floats():
    with pytest.raises(TypeError, match="float has no place in a digest"):
        table_digest(pl.DataFrame({"a": [0.5]}))


def test_slices_change_neither_frame_nor_digest(monkeypatch):
    whole = to_frame("queries", QUERIES)
    digest = table_digest(whole)
    monkeypatch.setattr(tables, "_SLICE", 2)
    assert to_frame("queries", QUERIES).equals(whole)
    assert table_digest(whole) == digest


class Row(list):
    """A row that is counted while it is alive."""

    alive = most = 0

    def __init__(self, *values):
        super().__init__(values)
        Row.alive += 1
        Row.most = max(Row.most, Row.alive)

    def __del__(self):
        Row.alive -= 1


def test_only_a_slice_of_rows_exists_at_a_time(monkeypatch):
    monkeypatch.setattr(tables, "_SLICE", 100)
    frame = to_frame("labels", (Row(f"q{number}", "d1", 1, "human", None) for number in range(2000)))
    assert frame["query_id"].to_list() == [f"q{number}" for number in range(2000)]
    assert Row.most <= 2 * 100 + 1  # the slice before is let go when the next one is complete
    assert Row.alive == 0


@given(st.lists(st.tuples(*[st.text(), st.none() | st.text()] * 2 + [st.booleans(), st.none() | st.text()])))
def test_rows_come_back_as_they_went_in(rows):
    rows = [(a, b, d, c, flag, e) for a, b, c, d, flag, e in rows]
    assert to_frame("documents", rows).rows() == rows


@pytest.mark.parametrize(("table", "rows"), [("queries", QUERIES), ("labels", LABELS), ("documents", [])])
def test_parquet_round_trip(tmp_path, table, rows):
    frame = to_frame(table, rows)
    write_table(frame, tmp_path / "a.parquet")
    again = read_table(tmp_path / "a.parquet", table)
    assert again.equals(frame)
    assert again.schema == column_types(table)


def test_parquet_bytes_do_not_depend_on_chunks(tmp_path):
    frame = to_frame("labels", LABELS * 100_000)  # more than one row group
    write_table(frame, tmp_path / "a.parquet")
    write_table(
        pl.concat([frame[:131_000], frame[131_000:131_500], frame[131_500:]], rechunk=False),
        tmp_path / "b.parquet",
    )
    assert (tmp_path / "a.parquet").read_bytes() == (tmp_path / "b.parquet").read_bytes()


def test_reading_another_table_is_refused(tmp_path):
    write_table(to_frame("labels", LABELS).drop("split"), tmp_path / "labels.parquet")
    with pytest.raises(Problem) as caught:
        read_table(tmp_path / "labels.parquet", "labels")
    assert str(caught.value) == (
        "labels.parquet problem: columns query_id String, doc_id String, relevance Int32, source String, "
        "expected those of the labels table. Run validate again."
    )


@pytest.mark.parametrize(
    ("rows", "found"),
    [
        ([("", "d1", 1, "human", None)], "failed query_id: str_length"),
        ([("q1", "d1", -1, "human", None)], "failed relevance: greater_than_or_equal_to"),
        ([LABELS[0], LABELS[0]], "failed labels: multiple_fields_uniqueness"),
        ([("q1", "d1", None, "human", None)], "failed relevance: not_nullable"),
    ],
)
def test_schema_refuses(rows, found):
    with pytest.raises(Problem) as caught:
        validate_table(to_frame("labels", rows), "labels")
    assert str(caught.value) == (
        f"Table labels problem: {found}. "
        "The rules let through what the schema refuses: report this together with the dataset."
    )


def test_schema_is_strict():
    frame = to_frame("labels", LABELS)
    for changed in (
        frame.with_columns(extra=1),
        frame.drop("source"),
        frame.with_columns(pl.col("relevance").cast(pl.Int64)),
    ):
        with pytest.raises(Problem, match="Table labels problem"):
            validate_table(changed, "labels")
