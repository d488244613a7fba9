"""`vara show QUERY`, `why` and `store` on a small workspace that was really run, once."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from cli.main import app
from flows.pipeline import STEPS
from flows.show import query_lines
from flows.why import _dvc, dvc_status
from flows.workspace import Workspace
from tests.unit.flows.conftest import Vara
from vara.errors import Problem


def shown(ran: Workspace, query: str, trial: str | None = None, *, every: bool = False) -> list[str]:
    target = ran.trial(trial) if trial else ran.root
    return list(query_lines(ran, target, query, every=every))


def documents(lines: list[str]) -> list[str]:
    """The documents of a report in its order; those that are not in the pool in brackets."""
    rows = [line.split() for line in lines[4 : lines.index("", 4)] if line[:5].strip()]
    return [words[6] if words[0] != "–" else f"({words[6]})" for words in rows]


def measures(lines: list[str]) -> list[list[str]]:
    """The numbers of a report, behind its legend."""
    return [line.split() for line in lines[lines.index(LEGEND) + 2 :]]


LEGEND = "before, after: ranks in the pool and after reranking by score; label: grade, – is unjudged"


def test_one_query(ran: Workspace) -> None:
    lines = shown(ran, "q2")
    assert lines[:4] == [
        "q2  labels come out blank  (split test, language en)",
        "4 of 6 matching documents, cut at 4",
        "",
        "after  before  label    score   cosine     BM25  document",
    ]
    found = documents(lines)
    assert len(found) == 4  # the depth
    assert {"d6", "d7"}.isdisjoint(found)  # archived, and for the owner alone
    rows = {
        words[6]: words for words in map(str.split, lines[4 : lines.index("", 4)]) if words[0].isdecimal()
    }
    assert [(doc, row[2]) for doc, row in rows.items() if row[2] != "–"] == [("d3", "3")]
    assert [row[0] for row in rows.values()] == ["1", "2", "3", "4"]
    scores = [float(row[3]) for row in rows.values()]
    assert scores == sorted(scores, reverse=True)
    # .6 of the cosine and .4 of BM25, each stretched over the pool: d3 alone has the query's "labels" and "blank"
    assert float(rows["d3"][3]) >= 0.4
    assert rows["d3"][5] == max(row[5] for row in rows.values())
    assert all(row[5] == "0.000" for doc, row in rows.items() if doc != "d3")


def test_the_measures_of_a_query_are_those_of_the_table(ran: Workspace) -> None:
    rows = measures(shown(ran, "q2"))
    assert rows[0] == ["first_stage", "reranked", "bm25"]
    assert sorted(row[0] for row in rows[1:]) == ["R@2", "R@4", "RR@2", "nDCG@4"]
    every = measures(shown(ran, "q2", every=True))
    assert [row for row in every if row in rows] == rows
    names = [
        "R",
        "Rcap",
        "P",
        "RR",
        "nDCG",
        "nDCG(gain='exp')",
        "AP",
        "Success",
        "Judged",
        "nDCG(judged_only=True)",
    ]
    assert [row[0] for row in every[1:]] == [f"{name}@{k}" for k in (2, 4) for name in names] + ["RR"]


def test_the_same_numbers_as_in_the_table_of_queries(ran: Workspace) -> None:
    with (ran.root / "plots/per_query.csv").open() as file:
        table = {row["system"]: row for row in csv.DictReader(file) if row["query_id"] == "q2"}
    for name, *values in measures(shown(ran, "q2", every=True))[1:]:
        assert values == [
            f"{float(table[system][name]):.4f}" for system in ("first_stage", "reranked", "bm25")
        ]


def test_labels_that_do_not_count_are_not_missed(ran: Workspace) -> None:
    lines = shown(ran, "q1")
    found = documents(lines)
    assert "(dx)" in found  # it may come, and no ranking will ever reach it
    assert {"d6", "d7", "(d6)", "(d7)"}.isdisjoint(found)
    assert [line for line in lines if "(dx)" in line or " dx " in line] == [
        "    –       –      3        –        –        –  dx  (not in the corpus) (not in the pool)"
    ]


def test_a_trial_by_its_own_parameters(ran: Workspace) -> None:
    """A grade of 1 is not relevant there, so that d4 is not missed."""
    lines = shown(ran, "q3", "one")
    found = documents(lines)
    assert len([name for name in found if not name.startswith("(")]) == 1
    assert "(d4)" not in found
    assert "d5" in found or "(d5)" in found
    assert [row[0] for row in measures(lines)[1:]] == ["R@1", "RR@1", "nDCG@1"]


def test_the_numbers_of_a_query_are_those_of_the_parameters(ran: Workspace, tmp_path: Path) -> None:
    """They come with the rankings from the store, not from a table that another run may have left."""
    table = ran.root / "plots/per_query.csv"
    whole = shown(ran, "q2")
    content = table.read_bytes()
    table.unlink()
    assert shown(ran, "q2") == whole
    table.write_bytes(content)


def test_a_query_that_nothing_answers(ran: Workspace) -> None:
    assert shown(ran, "q6")[-3:] == [
        LEGEND,
        "",
        "No relevant document is labelled for this query: it is left out of every measure.",
    ]


def test_an_unknown_query(vara: Vara) -> None:
    assert vara("show", "q-1") == (2, [], ["vara show problem: no query 'q-1'. Near ids: q1."])


def test_a_query_from_an_empty_store(
    vara: Vara, ran: Workspace, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A fresh clone has metrics, so that DVC starts nothing; what is lacking is computed, and said on stderr."""
    _, lines, quiet = vara("show", "q2")
    assert quiet == []
    published = {path: path.stat().st_mtime_ns for path in ran.root.glob("[bmp]*/*")}
    monkeypatch.setenv("VARA_STORE", str(tmp_path / "store"))
    code, out, err = vara("show", "q2")
    assert (code, out) == (0, lines)
    assert [line.split()[0] for line in err] == ["warning", "warning", "warning", "notice", "loading", "2"]
    assert err[-2] == f"  loading path:{ran.root}/tiny-model"
    made = sorted(path.parent.parent.name for path in (tmp_path / "store").glob("*/*/manifest.json"))
    assert made == ["embed", "evaluate", "pool", "rerank", "validate"]  # exact search needs no index
    assert vara("show", "q2") == (0, lines, [])
    assert vara("store", "path", "index")[2] != []  # it computes as well
    assert vara("store", "path", "index")[2] == []
    assert {path: path.stat().st_mtime_ns for path in published} == published


def test_every_measure_at_the_door(vara: Vara, ran: Workspace) -> None:
    assert vara("show", "q2", "--all") == (0, shown(ran, "q2", every=True), [])
    assert vara("show", "q2") == (0, shown(ran, "q2"), [])


def test_the_store(vara: Vara, ran: Workspace) -> None:
    code, out, _ = vara("store", "path", "pool")
    assert code == 0
    assert (Path(out[0]) / "pool.json").read_bytes() == (ran.root / "build/pool.json").read_bytes()
    code, out, _ = vara("store", "ls")
    assert len(out) == 13  # eight of the run, five of the trial
    assert all(line.endswith("in use") for line in out)
    assert vara("store", "verify")[1] == ["13 artifacts are whole."]
    assert vara("store", "gc", "--dry-run")[1] == ["0 B would be freed."]  # the collection is in use as well
    assert len(list((ran.root / ".vara/collections").glob("c-*"))) == 1


@pytest.mark.parametrize("words", [("store", "path", "pol"), ("why", "pol")])
def test_a_stage_that_is_none(vara: Vara, words: tuple[str, ...]) -> None:
    code, out, err = vara(*words)
    assert (code, out) == (2, [])
    said = " ".join(" ".join(err).replace("│", " ").split())
    assert f"'pol' is no stage. Stages: {', '.join(step.name for step in STEPS)}." in said


def test_every_command_explains_itself() -> None:
    for command in app.registered_commands:
        assert command.callback is not None
        assert command.callback.__doc__


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (None, "DVC would not start it"),
        ([], "DVC would not start it"),
        (["changed command"], "DVC would start it (changed command)"),
        (
            [{"changed deps": {"params.yaml": {"embed.model": "modified", "embed.dtype": "new"}, "backends": "modified"}}],
            "DVC would start it (embed.model modified, embed.dtype new, backends modified)",
        ),
        ([{"changed outs": {"build/embed.json": "deleted"}}], "DVC would start it (build/embed.json deleted)"),
        ([{"changed outs": {"build/embed.json": "not in cache"}}], "DVC would start it (its outputs are missing)"),
        (
            [{"changed deps": {"models.yaml": "modified"}}, {"changed outs": {"build/embed.json": "not in cache"}}],
            "DVC would start it (models.yaml modified)",
        ),
    ],
)  # fmt: skip
def test_why_dvc_would_start_a_stage(changes: list[object] | None, words: str) -> None:
    assert _dvc(changes, []) == words


def test_a_stage_follows_those_that_dvc_would_start() -> None:
    assert _dvc(None, ["pool", "rerank"]) == "DVC would start it if pool, rerank came out otherwise"
    assert _dvc(["changed command"], ["pool"]) == "DVC would start it (changed command)"


def test_why_in_a_folder_that_dvc_does_not_know(tmp_path: Path) -> None:
    with pytest.raises(Problem) as caught:
        dvc_status(Workspace(tmp_path))
    assert str(caught.value) == (
        "dvc status problem: ERROR: you are not inside of a DVC repository (checked up to mount point '/'). "
        "Run `dvc status` and follow what it says."
    )
