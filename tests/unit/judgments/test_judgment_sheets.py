"""Sheets come back as they were written, whatever a spreadsheet did to the form; what is wrong is named by row."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vara.errors import Problem
from vara.judgments.sheets import Row, read_sheet, sheet_text

HEADER = "query_id,doc_id,relevance,annotator,source\n"


def read(folder: Path, content: str | bytes, name: str = "s.csv") -> list[Row]:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return read_sheet(path)


def test_ids_stay_text(tmp_path: Path) -> None:
    rows = read(tmp_path, HEADER + "001,1e5,2,ana,human\nNA, x ,1.0,,\n")
    assert [(row.pair, row.relevance, row.annotator) for row in rows] == [
        (("001", "1e5"), 2, "ana"),
        (("NA", " x "), 1, ""),
    ]


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_what_spreadsheets_write(tmp_path: Path, delimiter: str, ending: str, mark: str) -> None:
    lines = (f"{mark}doc_id,query_id,note,relevance", "d,q,maybe,3", "e,q,,", "")
    rows = read(tmp_path, ending.join(line.replace(",", delimiter) for line in lines))
    assert [(row.pair, row.relevance, row.source) for row in rows] == [
        (("q", "d"), 3, "human"),
        (("q", "e"), None, "human"),
    ]


def test_all_bad_lines_are_counted_and_three_are_named(tmp_path: Path) -> None:
    bad = "q,d,-1,,\nq,d,0.5,,\nq,d,1,,Human\n,d,1,,\nq,d,1\n"
    with pytest.raises(Problem) as caught:
        read(tmp_path, HEADER + "q,d,1,,\n" + bad)
    assert str(caught.value) == (
        "s.csv problem: 5 bad lines (s.csv, row 3 relevance '-1', s.csv, row 4 relevance '0.5', "
        "s.csv, row 5 source 'Human' and 2 more). "
        "Correct them: a relevance is a whole number ≥ 0 or empty, a source one of the five."
    )


@pytest.mark.parametrize(
    ("content", "found"),
    [
        ("query_id,relevance\n", "no column doc_id"),
        ("", "no column query_id, doc_id, relevance"),
        (b"query_id,doc_id,relevance\nq,caf\xe9,1\n", "not UTF-8 at byte 31"),
        (HEADER + 'q,"d,1,,\n', "no CSV: unexpected end of data"),
        ('query_id,"doc_id\n', "no CSV: unexpected end of data"),
        (
            "query_id,doc_id,relevance,relevance\nq,d,0,3\n",
            "column 'relevance' twice, expected each column once",
        ),
        ("query_id,note,doc_id,relevance,note\n", "column 'note' twice"),
    ],
)
def test_no_sheet(tmp_path: Path, content: str | bytes, found: str) -> None:
    with pytest.raises(Problem, match=found):
        read(tmp_path, content)


def test_columns_without_a_name_are_what_spreadsheets_leave_behind(tmp_path: Path) -> None:
    assert len(read(tmp_path, "query_id,doc_id,relevance,,\nq,d,1,,\n")) == 1


def test_a_missing_sheet(tmp_path: Path) -> None:
    with pytest.raises(Problem, match="No such file"):
        read_sheet(tmp_path / "none.csv")


@pytest.mark.parametrize("start", ["=", "+", "-", "@"])
def test_a_text_that_a_spreadsheet_would_compute_is_disarmed(start: str) -> None:
    written = sheet_text([Row(query_id="q", doc_id="d", text=f'{start}HYPERLINK("x")')])
    assert f",\"'{start}HYPERLINK(" in written


ids = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1).filter(
    lambda text: text[0] != "\ufeff"
)


@given(pairs=st.lists(st.tuples(ids, ids, st.none() | st.integers(0, 9))), delimiter=st.sampled_from(",\t"))
def test_what_was_written_is_read(
    tmp_path_factory: pytest.TempPathFactory,
    pairs: list[tuple[str, str, int | None]],
    delimiter: str,
) -> None:
    path = tmp_path_factory.mktemp("sheet") / "s"
    rows = [Row(query_id=q, doc_id=d, relevance=grade, text='a "b",\n; c') for q, d, grade in pairs]
    path.write_text(sheet_text(rows, delimiter=delimiter), encoding="utf-8", newline="")
    found = read_sheet(path)
    assert [(row.pair, row.relevance, row.text) for row in found] == [
        (row.pair, row.relevance, 'a "b", ; c') for row in rows
    ]
