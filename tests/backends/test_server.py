"""A load over a bad network is whole, or named as failed; nothing is lost, doubled, or tried for ever."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from backends.stores import server
from backends.stores.retries import Refused, Unreachable
from backends.stores.server import ServerStore
from tests.backends.proxy import Fault, half_then_reset, lies, reset, reset_after, says, slow
from tests.backends.scene import (
    ALIASES,
    CREATE,
    KEY,
    PAYLOAD_INDEX,
    RECIPE,
    SPEC,
    UPSERT,
    Scene,
    scene,
)
from vara.errors import Problem
from vara.watch import Silence

BUSY = '{"status": {"error": "too many requests"}}'


@pytest.fixture(name="scene")
def made(monkeypatch: pytest.MonkeyPatch) -> Iterator[Scene]:
    monkeypatch.setattr(server, "PARCEL_BYTES", 2000)  # about seven points: a load is eight upserts
    with scene() as one:
        yield one


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        (UPSERT, reset),
        (UPSERT, reset_after),
        (UPSERT, half_then_reset),
        (UPSERT, says(500, "out of luck")),
        (UPSERT, says(502, "<html>")),
        (UPSERT, says(429, BUSY, Retry_After="1")),
        (UPSERT, says(429, BUSY, Retry_After="Wed, 21 Oct 2015 07:28:00 GMT")),
        (UPSERT, says(429, BUSY)),
        (CREATE, reset),
        (CREATE, reset_after),
        (PAYLOAD_INDEX, reset),
        (PAYLOAD_INDEX, reset_after),
        (ALIASES, reset),
        (ALIASES, reset_after),
        ("GET /aliases", reset),
        ("GET /collections", says(503, "starting")),
        ("points/count", reset),
        ("points/scroll", says(500, "")),
        ("points/query", reset_after),
    ],
)
def test_what_fails_for_a_while_is_tried_again(scene: Scene, tmp_path: Path, line: str, fault: Fault) -> None:
    scene.faults.on(line, fault, times=2)
    assert scene.opened(tmp_path) == (50, "d7")
    assert not scene.faults.rules[0].times, "the fault never happened"
    scene.assert_whole()


def test_an_answer_that_comes_too_late_is_asked_for_again(scene: Scene, tmp_path: Path) -> None:
    scene.answer_s = 1
    scene.faults.on(UPSERT, slow(1.5), times=2)  # applied all the same
    assert scene.opened(tmp_path) == (50, "d7")
    assert scene.faults.count(UPSERT) >= 8 + 2
    scene.assert_whole()


@pytest.mark.parametrize(
    ("fault", "last"),
    [
        (reset, r"ReadError: \[Errno 104\] Connection reset by peer"),
        (half_then_reset, r"ReadError: \[Errno 104\] Connection reset by peer"),
        (says(500, "out of luck"), "HTTP 500 Internal Server Error"),
        (says(429, BUSY, Retry_After="3600"), "HTTP 429 Too Many Requests"),
        (slow(1.3), r"no answer in time \(ReadTimeout\)"),
    ],
)
def test_what_fails_for_good_is_named_after_few_attempts(
    scene: Scene, tmp_path: Path, fault: Fault, last: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "AT_ONCE", 1)
    scene.answer_s = 1
    scene.faults.on(UPSERT, fault)
    with pytest.raises(
        Unreachable,
        match=rf"^server problem: 4 attempts to upsert points failed, the last with {last} \(127\.0\.0\.1:\d+\)\. "
        r"See that the server runs and has memory and disk left, then run the command again\.$",
    ):
        scene.opened(tmp_path)
    assert scene.faults.count(UPSERT) == 4
    assert scene.server.aliases == {}  # nobody sees the half of it
    scene.faults.rules.clear()
    assert scene.opened(tmp_path) == (50, "d7")
    scene.assert_whole()  # and what was left of it is gone


@pytest.mark.parametrize(
    ("line", "change", "difference"),
    [
        ("points/count", lambda _: {"count": 49}, "count 49, not 50"),
        (
            "points/scroll",
            lambda page: {**page, "points": page["points"][1:]},
            r"ids \w+, not \w+, facets \w+, not \w+",
        ),
        (
            "points/scroll",
            lambda page: {**page, "points": [*page["points"][:1], *page["points"]]},
            r"ids \w+, not \w+, facets \w+, not \w+",
        ),
        ("points/scroll", lambda page: robbed(page), r"facets \w+, not \w+"),  # noqa: PLW0108 - likewise
        ("GET .*/c-", lambda info: forged(info), "fingerprint eeeeeeeeeeee, not ffffffffffff"),  # noqa: PLW0108 - defined below
    ],
)
def test_what_reads_back_otherwise_is_refused_and_removed(
    scene: Scene, tmp_path: Path, line: str, change: Any, difference: str
) -> None:
    scene.faults.on(line, lies(change))
    with pytest.raises(Problem) as caught:
        scene.opened(tmp_path)
    name = rf"{RECIPE.name}-\w{{8}}-\w+-\w{{6}}"
    remedy = r"Run the index stage on these vectors again\."
    assert re.fullmatch(rf"collection problem: {difference} \({name}\)\. {remedy}", str(caught.value))
    assert (scene.held, scene.server.aliases) == ({}, {})


def robbed(page: Any) -> Any:
    page["points"][0]["payload"]["facets"].pop()
    return page


def forged(info: Any) -> Any:
    info["config"]["metadata"]["vara"]["spec"]["fingerprint"] = "e" * 64
    return info


def test_an_upsert_that_only_says_it_was_done_is_found_out(scene: Scene, tmp_path: Path) -> None:
    done = '{"result": {"operation_id": 1, "status": "completed"}, "status": "ok", "time": 0.0}'
    scene.faults.on(UPSERT, says(200, done), times=1)
    with pytest.raises(
        Problem, match=r"^collection problem: count 4\d, not 50, ids \w+, not \w+, facets \w+, not \w+ \(c-"
    ):
        scene.opened(tmp_path)
    assert scene.held == {}


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (
            says(401, f"not {KEY}"),
            "it refuses the key to list aliases (WHERE). Set QDRANT_API_KEY to a key that may write.",
        ),
        (
            says(403, f"not {KEY}"),
            "it refuses the key to list aliases (WHERE). Set QDRANT_API_KEY to a key that may write.",
        ),
        (
            says(400, f"{KEY} is no header"),
            "it refuses to list aliases: HTTP 400 Bad Request, … is no header (WHERE). REMEDY",
        ),
        (
            says(200, "<html>Welcome to nginx</html>"),
            "it refuses to list aliases: an answer that is not Qdrant's (WHERE). REMEDY",
        ),
        (says(200, "{}"), "it refuses to list aliases: an answer that is not Qdrant's (WHERE). REMEDY"),
        (says(404, "<html>"), "it refuses to list aliases: HTTP 404 Not Found, <html> (WHERE). REMEDY"),
    ],
)
def test_a_refusal_is_not_argued_with(scene: Scene, tmp_path: Path, fault: Fault, message: str) -> None:
    scene.faults.on(".", fault)
    with pytest.raises(Refused) as caught:
        scene.opened(tmp_path)
    remedy = "Check that QDRANT_URL names a Qdrant server, 1.16 or newer, and QDRANT_CA_CERT its authority."
    expected = message.replace("WHERE", scene.access.where).replace("REMEDY", remedy)
    assert str(caught.value) == f"server problem: {expected}"
    assert len(scene.faults.seen) == 1


def test_the_key_is_nowhere_to_be_read(
    scene: Scene, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    class Notes(Silence):
        def note(self, text: str) -> None:
            logging.getLogger("vara").info(text)

    caplog.set_level(logging.DEBUG)
    scene.opened(tmp_path, Notes())
    scene.server.key = "another"  # the stand-in names the key that it refuses, a real server would not
    with pytest.raises(Problem) as caught:
        scene.opened(tmp_path, Notes())
    assert len(caplog.records) > 50  # httpx and httpcore do log
    assert KEY not in caplog.text + str(caught.value) + repr(caught.value) + repr(scene.access)
    assert KEY not in repr(caught.value.__context__) + repr(caught.value.__cause__)


def test_a_collection_of_that_name_is_told_from_an_answer_that_was_lost(scene: Scene) -> None:
    with closing(ServerStore(scene.access)) as store:
        scene.faults.on(CREATE, reset_after, times=1)
        store.create("docs", SPEC)
        with pytest.raises(Problem) as caught:
            store.create("docs", SPEC)
    assert (
        str(caught.value) == "collection problem: docs is there already. Drop it first, or take another name."
    )


def test_a_collection_of_another_program_is_not_taken_for_ours(scene: Scene) -> None:
    with closing(ServerStore(scene.access)) as store:
        store.create("docs", SPEC)
        del scene.held["docs"].config["metadata"]
        with pytest.raises(Problem) as caught:
            store.info("docs")
    expected = f"expected one that vara made, on Qdrant 1.16 or newer ({scene.access.where})"
    assert (
        str(caught.value)
        == f"collection problem: docs carries no recipe, {expected}. Drop it or take another name."
    )
