"""A comparison as people and programs read it, from files that the real evaluation made."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from tests.unit.report.arm_files import NAMES, run_files
from vara.errors import Problem
from vara.report.arm import METRICS, PARAMS, QUERIES, Arm, read_arm
from vara.report.comparison import Comparison, compared
from vara.report.comparison_json import as_json
from vara.report.comparison_text import markdown_lines, sections
from vara.report.differing import Setting

UNMEASURED = "Cost and latency: not measured (no lab/metrics/latency.json in A and B)."


def arm(ranks: Any = (), name: str = "B", **options: Any) -> Arm:
    return read_arm(name, name, run_files(dict(ranks), **options).get)


def between(a: Arm, b: Arm, **options: Any) -> Comparison:
    return compared(a, b, **{"split": None, "system": "reranked"} | options)


def told(found: Comparison) -> dict[str, tuple[list[str], list[dict[str, str]]]]:
    return {one.title: (list(one.lines), [dict(row) for row in one.rows]) for one in sections(found)}


def test_identical_arms() -> None:
    found = between(arm(name="A"), arm())
    assert found.verdict == "no difference"
    shown = told(found)
    assert list(shown) == [
        "",
        "Verdict",
        "Measures of the result table",
        "All other measures",
        "Groups by nDCG@10",
        "Cost and latency",
        "Beyond relevance",
        "Tuned",
    ]
    assert shown[""][0] == ["A: A", "B: B", "reranked on test, 60 queries in common"]
    assert shown["Verdict"][0] == [
        "No difference: all 60 queries have the same nDCG@10 in both, p = 1; and of every other measure.",
        UNMEASURED,
    ]
    assert {row["p"] for row in shown["Measures of the result table"][1]} == {"1"}
    assert shown["All other measures"][1] == []
    assert shown["Tuned"][0] == ["No parameter differs: only data or code can have moved anything."]


def test_five_moved_queries_of_sixty() -> None:
    found = between(arm(name="A"), arm(dict.fromkeys(NAMES[:5], 1)))
    lines = told(found)["Verdict"][0]
    # five of 1 − .6309 over sixty
    assert lines[0].startswith("Noise: nDCG@10 0.6309 → 0.6617 (+0.0308 [")
    assert lines[0].endswith(
        "]), p = 0.2500 after Holm. The interval is of this measure alone, without that correction."
    )  # RR@5 and nDCG@10 moved: .0625 times the four looked at
    assert lines[-1] == (
        "Too few queries moved (RR@5 5 of 60, nDCG@10 5 of 60): 0.05 cannot be reached with fewer than 6; "
        "the smallest p of 5 is 0.0625."
    )


def test_better_never_stands_without_cost() -> None:
    found = between(arm(name="A"), arm(dict.fromkeys(NAMES[:40], 1)))
    assert found.verdict == "improvement"
    lines = told(found)["Verdict"][0]
    assert lines[0].startswith("B is better: nDCG@10 0.6309 → 0.8770 (+0.2460 [")
    assert lines[1] == UNMEASURED
    assert as_json(found)["says"] == f"{lines[0]} {UNMEASURED}"
    assert between(found.b, found.a).verdict == "regression"


def test_movers_and_why() -> None:
    before = {"q01": 3, "q02": None, "q03": 9, "q04": 1}
    after = {"q01": 1, "q02": 4, "q03": 10, "q04": None}
    rows = told(between(arm(before, "A"), arm(after)))["Biggest movers by nDCG@10"][1]
    assert rows == [
        {
            "query": "q04",
            "A": "1.0000",
            "B": "0.0000",
            "B − A": "-1.0000",
            "why": "left the pool: 1 → 0 of 1 relevant documents in it; first relevant at 1 → none",
        },
        {
            "query": "q03",
            "A": "0.3010",  # 1 / log2 10
            "B": "0.2891",  # 1 / log2 11
            "B − A": "-0.0120",
            "why": "moved within the pool: first relevant at 9 → 10",
        },
        {
            "query": "q01",
            "A": "0.5000",
            "B": "1.0000",
            "B − A": "+0.5000",
            "why": "moved within the pool: first relevant at 3 → 1",
        },
        {
            "query": "q02",
            "A": "0.0000",
            "B": "0.4307",  # 1 / log2 5
            "B − A": "+0.4307",
            "why": "entered the pool: 0 → 1 of 1 relevant documents in it; first relevant at none → 4",
        },
    ]


def test_five_movers_each_way_the_largest_first() -> None:
    before = dict.fromkeys(NAMES[:7], 1)
    after = {query: n + 2 for n, query in enumerate(NAMES[:7])}
    rows = told(between(arm(before, "A"), arm(after)))["Biggest movers by nDCG@10"][1]
    assert [row["query"] for row in rows] == ["q07", "q06", "q05", "q04", "q03"]


def test_labels_that_differ_come_first_and_no_verdict_is_given() -> None:
    other = {"data": {"documents": "E", "queries": "Q", "labels": "M"}}
    found = between(arm(name="A"), arm(dict.fromkeys(NAMES, 1), facts=other))
    assert found.verdict == "not comparable"
    shown = told(found)
    assert list(shown)[:3] == ["", "Before the numbers", "Verdict"]
    assert shown["Before the numbers"][0] == [
        "LABELS DIFFER: what moved may be the labels and not the search.",
        "Run A again on B's data and definitions, then compare.",
        "documents differ: the arms searched different documents.",
        "What differs: vara compare A B --data.",
    ]
    assert shown["Verdict"][0] == [
        "Not comparable: no verdict is given while the same measure means different things.",
        UNMEASURED,
    ]


@pytest.mark.parametrize(
    ("options", "line"),
    [
        (
            {"facts": {"conventions": "version 2"}},
            "CONVENTIONS DIFFER: the measures are defined by docs/conventions.md, version 1 and version 2",
        ),
        (
            {"facts": {"evaluation": {"evaluate.min_relevance": 2}}},
            "RELEVANCE DIFFERS: it starts at grade 1 in A, 2 in B",
        ),
    ],
)
def test_the_same_name_for_another_measure(options: dict[str, Any], line: str) -> None:
    found = between(arm(name="A"), arm(**options))
    assert (found.verdict, list(found.incomparable)) == ("not comparable", [line])


def test_what_differs_and_hinders_no_verdict() -> None:
    other = {"dataset": "other", "data": {"documents": "D", "queries": "R", "labels": "L"}}
    found = between(arm(name="A"), arm(facts=other))
    assert found.verdict == "no difference"
    assert list(found.warnings) == [
        "dataset: small in A, other in B",
        "queries differ: the arms were asked different queries, or the same in other words",
    ]


def test_what_was_tuned_is_what_the_numbers_were_made_with() -> None:
    stale = {"pool": {"depth": 7}, "embed": {"model": "tiny", "dtype": "float32"}}
    systems = {"pool": {"depth": 10, "model": "big", "print": "f"}, "reranked": {"weight": 0.5}}
    found = between(arm(name="A"), arm(params=stale, facts={"systems": systems}))
    assert found.tuned == [
        Setting("embed.model", "tiny", "big"),
        Setting("rerank.weight", 0.6, 0.5),
        Setting("embed.dtype", "–", "float32"),
        Setting("pool.print", "–", "f"),
    ]
    assert list(found.warnings) == [
        (
            "B's numbers are of other parameters than stand beside them: pool.depth 10 (params.yaml: 7), "
            "embed.model 'big' (params.yaml: 'tiny'), rerank.weight 0.5 (params.yaml: 0.6)"
        )
    ]


def test_queries_that_one_arm_alone_has() -> None:
    a = arm({"q01": 1}, "A")
    table = "\n".join(line for line in arm().table.splitlines() if "q01," not in line and "q60" not in line)
    files = {**run_files({}), QUERIES: table.encode()}
    found = between(a, read_arm("B", "B", files.get))
    assert (found.n, dict(found.only)) == (58, {"A": ["q01", "q60"], "B": []})
    assert told(found)["Before the numbers"][0] == ["Queries that only A has are left out: 2 (q01, q60)."]
    assert found.verdict == "no difference"  # q01 is what moved


def test_groups_too_small_to_show() -> None:
    rows = told(between(arm(name="A"), arm(dict.fromkeys(NAMES[4:32], 1))))["Groups by nDCG@10"][1]
    assert rows == [
        # 28 of 56 go from .6309 to 1
        {"group": "language=en", "n": "56", "A": "0.6309", "B": "0.8155", "B − A": "+0.1845"},
        {"group": "language=es", "n": "4", "A": "–", "B": "–", "B − A": "too few: n=4"},
    ]


def test_condensed_measures_where_coverage_differs() -> None:
    found = between(arm(name="A"), arm({"q01": None}))
    lines, rows = told(found)["Judgment coverage"]
    # one judged document in ten for each query, but for q01 in B: 59 / 600
    assert lines[1:] == ["Judged@5: A 0.2000, B 0.1967", "Judged@10: A 0.1000, B 0.0983"]
    assert [(row["measure"], row["A"], row["B"]) for row in rows] == [
        ("nDCG(judged_only=True)@5", "1.0000", "0.9833"),
        ("nDCG(judged_only=True)@10", "1.0000", "0.9833"),
    ]
    assert "Judgment coverage" not in told(between(arm(name="A"), arm({"q01": 1})))


def test_every_measure_is_in_one_family() -> None:
    found = between(arm(name="A"), arm({"q01": None}))
    assert [one.measure for one in found.families.headline] == ["RR@5", "R@5", "nDCG@10", "R@10"]
    names = [one.measure for one in found.measured] + [one.measure for one in found.families.coverage]
    columns = [name for name in found.a.table.splitlines()[0].split(",") if "@" in name or name == "RR"]
    assert sorted(names) == sorted(columns)


def test_another_depth_leaves_out_what_it_cannot_measure() -> None:
    found = between(arm(name="A"), arm(depth=7))
    assert found.families.primary == "nDCG@5"
    assert [one.measure for one in found.families.headline] == ["RR@5", "R@5", "nDCG@5"]
    assert "R@10" in found.families.unmeasured
    assert found.tuned == [Setting("pool.depth", 10, 7)]


def test_a_silent_arm_is_not_measured() -> None:
    lines = arm().table.splitlines()
    width = len(lines[0].split(","))
    empty = [",".join([*line.split(",")[:4], "0", "", *[""] * (width - 6)]) for line in lines[1:]]
    files = {**run_files({}), QUERIES: "\n".join([lines[0], *empty]).encode()}
    found = between(arm(name="A"), read_arm("B", "B", files.get))
    assert found.verdict == "not measured"
    assert told(found)["Verdict"][0][0] == "Not measured: an arm has no value of nDCG@10."
    assert found.movers == []


LATENCY = {"machine": "m", "test.dense.p50_ms": 2.0, "test.total.mean_ms": 4.0, "memory.peak_mib": 100.0,
    "load.before": 0.1, "test.n_queries": 60}  # fmt: skip


def test_cost_beside_quality() -> None:
    b = {**LATENCY, "test.total.mean_ms": 6.0, "test.dense.p50_ms": 0.0, "extra_ms": 1}
    found = between(arm(name="A", latency=LATENCY), arm(latency=b))
    shown = told(found)
    assert shown["Verdict"][0][1] == (
        "Cost and latency: test.total.mean_ms 4 → 6; memory.peak_mib 100 → 100; test.dense.p50_ms 2 → 0."
    )
    assert shown["Cost and latency"] == (
        [],
        [
            {"figure": "test.dense.p50_ms", "A": "2", "B": "0", "B / A": "0.00"},
            {"figure": "test.total.mean_ms", "A": "4", "B": "6", "B / A": "1.50"},
            {"figure": "memory.peak_mib", "A": "100", "B": "100", "B / A": "1.00"},
        ],
    )


@pytest.mark.parametrize(
    ("a", "b", "reason"),
    [
        (None, LATENCY, "not measured (no lab/metrics/latency.json in A)"),
        (
            LATENCY,
            {"machine": "m"},
            "not measured (lab/metrics/latency.json of A and B have no figure in common)",
        ),
        (
            LATENCY,
            LATENCY | {"machine": "n"},
            "measured on different machines: the figures cannot be compared",
        ),
        (LATENCY, LATENCY | {"load.busy": True}, "the machine was busy when B was measured"),
        (
            LATENCY | {"params": {"pool.depth": 3, "latency.repeats": 5}},
            LATENCY | {"params": {"pool.depth": 2, "rerank.weight": 0.5}},
            "not measured as they are now (A's with another pool.depth; B's with another pool.depth, rerank.weight): `make lab`, or `python -m flows latency`",
        ),
    ],
)
def test_cost_that_says_nothing(a: Any, b: Any, reason: str) -> None:
    assert between(arm(name="A", latency=a), arm(latency=b)).costs.reason == reason


def test_only_dev() -> None:
    found = between(arm(name="A", split="dev"), arm(split="dev"))
    assert found.split == "dev"
    assert told(found)[""][0][2] == "reranked on dev, 60 queries in common"


@pytest.mark.parametrize(
    ("a", "b", "options", "message"),
    [
        (
            {},
            {},
            {"split": "dev"},
            "no split dev in both arms: A has test; B has test. Name one that both have.",
        ),
        (
            {"split": "dev"},
            {},
            {},
            "no split in both arms: A has dev; B has test. Name one that both have.",
        ),
        (
            {},
            {},
            {"system": "dense"},
            (
                "no row of dense on test (A). "
                "Name a system of the table: first_stage, reranked or bm25; or a split with relevant documents."
            ),
        ),
    ],
)
def test_what_cannot_be_compared(a: Any, b: Any, options: Any, message: str) -> None:
    with pytest.raises(Problem) as caught:
        between(arm(name="A", **a), arm(**b), **options)
    assert str(caught.value) == f"comparison problem: {message}"


def test_no_query_in_common() -> None:
    files = {
        **run_files({}),
        QUERIES: arm().table.replace("q", "z", 10_000).replace("zuery", "query").encode(),
    }
    with pytest.raises(
        Problem, match=r"no query of test in both: A has q01, q02, q03 and 57 more; B has z01"
    ):
        between(arm(name="A"), read_arm("B", "B", files.get))


HEAD = "split,query_id,system,n_relevant,n_relevant_in_pool,first_relevant_rank,RR"


@pytest.mark.parametrize(
    ("path", "content", "message"),
    [
        (METRICS, None, "metrics/evaluate.json problem: no such file (B). "),
        (METRICS, b"[]", "metrics/evaluate.json problem: no JSON object (B). "),
        (METRICS, b"{", "metrics/evaluate.json problem: no JSON object (B). "),
        (QUERIES, b"\xff", "plots/per_query.csv problem: not UTF-8 (B). "),
        (QUERIES, b"split,query_id\n", "plots/per_query.csv problem: no column system, n_relevant, n_relevant_in_pool"),
        (QUERIES, b"split,query_id,system,n_relevant,n_relevant_in_pool,first_relevant_rank,RR\ntest,q,reranked,1,1,1,x\n", "plots/per_query.csv problem: line 2 is cut off, repeated, or holds what is no share or count (B). "),
        (QUERIES, b"split,query_id,system,n_relevant,n_relevant_in_pool,first_relevant_rank,RR\ntest,q,reranked,1\n", "plots/per_query.csv problem: line 2 is cut off, repeated, or holds what is no share or count (B). "),
        *((QUERIES, f"{HEAD}\ntest,q,reranked,1,1,1,{value}\n".encode(), "plots/per_query.csv problem: line 2 ") for value in ("-5", "1_0", "nan", "1.5", "0.5,1")),
        (QUERIES, f"{HEAD}\ntest,q,reranked,-3,1,1,1\n".encode(), "plots/per_query.csv problem: line 2 "),
        (QUERIES, f"{HEAD}\ntest,q,first_stage,1,1,1,1\ntest,q,reranked,1,1,1,1\ntest,q,reranked,1,1,1,0\n".encode(), "plots/per_query.csv problem: line 4 "),
        (QUERIES, f"{HEAD},RR\ntest,q,reranked,1,1,1,1,0\n".encode(), "plots/per_query.csv problem: RR stands twice (B). "),
        (PARAMS, b"a: [", "params.yaml of B problem: not valid YAML"),
        (PARAMS, b"seed: x", "params.yaml problem: seed 'x', expected an integer"),
    ],
)  # fmt: skip
def test_damaged_files(path: str, content: bytes | None, message: str) -> None:
    files = {**run_files({}), path: content}
    with pytest.raises(Problem) as caught:
        between(arm(name="A"), read_arm("B", "B", files.get))
    assert str(caught.value).startswith(message)


def test_as_strict_json() -> None:
    found = between(arm(name="A"), arm({"q01": 1, "q02": None}))
    plain = json.loads(json.dumps(as_json(found), allow_nan=False))
    assert (plain["verdict"], plain["primary"], plain["n_queries"]) == ("noise", "nDCG@10", 60)
    [deciding] = [one for one in plain["measures"]["headline"] if one["measure"] == "nDCG@10"]
    gain, loss = 1 - 1 / math.log2(3), 1 / math.log2(3)
    assert deciding["difference"] == pytest.approx((gain - loss) / 60, abs=1e-9)
    assert (deciding["wins"], deciding["ties"], deciding["losses"]) == (1, 58, 1)
    assert [one["query_id"] for one in plain["movers"]] == ["q02", "q01"]
    assert (plain["data"], plain["predictions"]) == (None, None)


def test_as_markdown() -> None:
    lines = "\n".join(markdown_lines(between(arm(name="a|b"), arm({"q01": 1})))).splitlines()
    assert lines[0] == "# `a|b` against `B`"
    assert "## Verdict" in lines
    assert f"* {UNMEASURED}" in lines
    assert "| query | A | B | B − A | why |" in lines
    assert "\n".join(lines).count("\n\n\n") == 0
