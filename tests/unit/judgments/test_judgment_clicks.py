"""From events to impressions, and from clicks to grades, with the sums in comments."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from vara.errors import Problem
from vara.judgments.clicks import Clicked, click_rates, clicked, scaled
from vara.judgments.events import Impression, Log, read_events


def event(action: str, search: str | None, doc: str | None, rank: Any, **more: Any) -> dict[str, Any]:
    seen = {"object": {"object_id": doc}, "position": {"ordinal": rank}}
    return {
        "action_name": action,
        "query_id": search,
        "application": "shop",
        "event_attributes": seen,
        **more,
    }


def read(folder: Path, *records: Any, packed: bool = False) -> Log:
    path = folder / ("e.ndjson.gz" if packed else "e.ndjson")
    content = "".join(f"{json.dumps(record)}\n" for record in records).encode()
    path.write_bytes(gzip.compress(content) if packed else content)
    return read_events(path)


SEARCH = {"query_id": "s1", "user_query": "gold ring", "client_id": "someone"}


@pytest.mark.parametrize("packed", [False, True])
def test_events(tmp_path: Path, packed: bool) -> None:
    log = read(
        tmp_path,
        {"index": {"_index": "ubi_queries"}},
        SEARCH,
        event("impression", "s1", "a", 0),
        event("impression", "s1", "b", 1),
        event("impression", "s1", "b", 7),  # shown again: its first rank counts
        event("click", "s1", "b", 1),
        event("click", "s1", "b", 1),
        event("add_to_cart", "s1", "a", 0),
        event("impression", "s2", "a", 3, user_query="other"),
        packed=packed,
    )
    assert log.impressions == [
        Impression("gold ring", "a", ("shop", 0), clicked=False),
        Impression("gold ring", "b", ("shop", 1), clicked=True),
        Impression("other", "a", ("shop", 3), clicked=False),
    ]
    assert (log.n_unshown, log.n_unplaced) == (0, 0)


def test_what_cannot_be_placed_is_counted_and_left_out(tmp_path: Path) -> None:
    log = read(
        tmp_path,
        SEARCH,
        event("impression", "s1", "a", 0),
        event("click", "s1", "z", 4),  # never shown
        event("click", None, "a", 0),
        event("impression", "s1", None, 1),
        event("impression", "s1", "c", None),
        event("impression", "s1", "c", True),
        event("impression", "s9", "c", 1),  # a search that nobody described
        {"action_name": "impression", "query_id": "s1", "event_attributes": None},
    )
    assert [one.doc_id for one in log.impressions] == ["a"]
    assert (log.n_unshown, log.n_unplaced) == (2, 5)


def test_a_log_without_impressions(tmp_path: Path) -> None:
    with pytest.raises(Problem, match="no impression"):
        read(tmp_path, SEARCH, event("click", "s1", "a", 0))


def test_a_line_that_is_no_json(tmp_path: Path) -> None:
    (tmp_path / "e.ndjson").write_text("{\n")
    with pytest.raises(Problem, match=r"bad-json.*\n.*e.ndjson:1"):
        read_events(tmp_path / "e.ndjson")


def shown(doc: str, rank: int, *clicks: int) -> list[tuple[tuple[str, str], Impression]]:
    return [(("q", doc), Impression("t", doc, ("", rank), clicked=bool(one))) for one in clicks]


LOG = [
    *shown("top", 1, 1, 1, 1, 0),
    *shown("also top", 1, 1, 0, 0, 0),
    *shown("low", 5, 1, 0),
    *shown("also low", 5, 0, 0),
    *shown("low", 1, 0, 1),
]


def test_clicks_over_expected_clicks() -> None:
    rates = click_rates([one for _, one in LOG])
    assert rates == {("", 1): 0.5, ("", 5): 0.25}  # 5 of 10 and 1 of 4
    found = {one.pair[1]: one for one in clicked(LOG, rates)}
    assert {doc: (one.n, one.clicks, one.expected) for doc, one in found.items()} == {
        "top": (4, 3, 2.0),  # 4 · .5
        "also top": (4, 1, 2.0),
        "low": (4, 2, 1.5),  # 2 · .25 + 2 · .5
        "also low": (2, 0, 0.5),
    }
    assert [one.pair[1] for one in clicked(LOG, rates)] == sorted(found)


def test_the_rank_alone_earns_nothing() -> None:
    """At rank 5 half the clicks of rank 1 are worth the same."""
    log = [*shown("a", 1, *[1] * 40, *[0] * 60), *shown("b", 5, *[1] * 20, *[0] * 80), *shown("x", 1, *[0] * 100), *shown("y", 5, *[0] * 100)]  # fmt: skip
    rates = click_rates([one for _, one in log])
    a, b, *_ = clicked(log, rates)
    assert (a.clicks / a.expected, b.clicks / b.expected) == (2.0, 2.0)  # 40 / (100 · .2), 20 / (100 · .1)


def test_known_examination_takes_the_place_of_rates() -> None:
    impressions = [one for _, one in LOG]
    rates = scaled({1: 0.8, 5: 0.2}, impressions)
    # 6 clicks; 10 · .8 + 4 · .2 = 8.8 looks
    assert rates == {("", 1): pytest.approx(0.8 * 6 / 8.8), ("", 5): pytest.approx(0.2 * 6 / 8.8)}
    assert sum(rates[one.position] for one in impressions) == pytest.approx(6)
    with pytest.raises(Problem, match="no examination of rank 5"):
        scaled({1: 0.8}, impressions)


@pytest.mark.parametrize(
    ("n", "clicks", "expected", "grade"),
    [
        (20, 0, 4.0, 0),
        (20, 3, 4.0, 0),
        (20, 4, 4.0, 1),  # the ratio 1 itself
        (20, 8, 4.0, 2),
        (19, 8, 4.0, None),  # shown too rarely
        (500, 0, 0.99, None),  # so deep that nobody would have clicked anyway
        (500, 3, 1.0, 2),
    ],
)
def test_grades(n: int, clicks: int, expected: float, grade: int | None) -> None:
    assert Clicked(("q", "d"), n, clicks, expected).grade([1.0, 2.0], 20) == grade
