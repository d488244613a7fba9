"""`vara show`: the result table of a small workspace that was really run, once, and what it proposes next."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from flows.show import first_query
from flows.workspace import Workspace
from tests.unit.flows.conftest import Vara


def test_the_result_table(vara: Vara, ran: Workspace) -> None:
    code, out, err = vara("show")
    assert (code, err) == (0, [])
    assert out[0].split() == ["split", "system", "RR@2", "R@2", "nDCG@4", "R@4", "queries"]
    metrics = json.loads((ran.root / "metrics/evaluate.json").read_text())
    assert out[1].startswith(f"test   first stage    {metrics['test.first_stage.RR@2']:.3f} [")
    assert len([line for line in out if line.startswith(("test", "dev"))]) == 6
    assert out[7:] == [
        "",
        "What next:",
        "  vara show q1         one query: texts, ranks before and after, labels",
        "  vara compare HEAD .  what moved, and whether it could be chance",
        "  vara why             what would run after a change of data, parameters or code, and why",
    ]


def test_a_table_of_other_parameters_says_so(vara: Vara, ran: Workspace) -> None:
    path = ran.params_path
    shipped = path.read_text()
    path.write_text(shipped.replace("depth: 4", "depth: 3").replace("weight: 0.6", "weight: 0.5"))
    _, out, _ = vara("show")
    path.write_text(shipped)
    assert out[7:9] == [
        "",
        "These numbers are of other parameters: pool.depth 4 (now 3), rerank.weight 0.6 (now 0.5). Run it again.",
    ]
    assert not any("other parameters" in line for line in vara("show")[1])


@pytest.mark.parametrize(
    ("rows", "query"),
    [
        (["dev,a,bm25", "test,c,first_stage", "test,c,bm25", "test,b,bm25", "train,d,bm25"], "c"),
        (["dev,b,first_stage", "dev,a,first_stage"], "b"),
        ([], "QUERY"),
    ],
    ids=["test", "no test", "no row"],
)
def test_a_query_to_begin_with(tmp_path: Path, rows: list[str], query: str) -> None:
    (tmp_path / "plots").mkdir()
    (tmp_path / "plots/per_query.csv").write_text("\n".join(["split,query_id,system", *rows, ""]))
    assert first_query(tmp_path) == query


def test_the_table_of_a_trial(vara: Vara) -> None:
    _, out, _ = vara("show", "--trial", "trials/one/")
    assert out[0].split() == ["split", "system", "RR@1", "R@1", "nDCG@1", "queries"]
    assert (
        out[9]
        == "  vara show q1 --trial one                       one query: texts, ranks before and after, labels"
    )
    assert (
        out[10]
        == "  vara compare trials/one pool.retriever=hybrid  what moved, and whether it could be chance"
    )
    assert not any("other parameters" in line for line in out)  # a trial has its own
    assert vara("show", "q1", "--trial", "one")[0] == 0
    assert vara("show", "--trial", "two") == (2, [], ["trial problem: no trials/two. Trials: one."])
    assert vara("show", "q1", "--trial", "two") == (2, [], ["trial problem: no trials/two. Trials: one."])
    assert vara("show", "--trial", "")[0] == 2


def test_the_table_goes_between_the_marks_of_a_page(vara: Vara, tmp_path: Path) -> None:
    page = tmp_path / "PAGE.md"
    page.write_text("# T\n<!-- results:start -->\n<!-- results:end -->\n")
    assert vara("show", "--readme", str(page)) == (0, [], [])
    assert page.read_text().startswith("# T\n<!-- results:start -->\n| split | system | RR@2 |")
    assert vara("show", "--readme", str(tmp_path / "none.md"))[0] == 2
