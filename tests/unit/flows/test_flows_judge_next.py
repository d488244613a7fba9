"""`vara judge next A B` on a workspace that was really run: what a sheet holds, and what it never shows."""

from __future__ import annotations

import csv
import json
import shutil
from collections import Counter
from pathlib import Path

import pytest

from cli.main import main
from tests.unit.flows.conftest import Vara
from tests.workspace import DOCUMENTS, LABELS, Sandbox, make_sandbox

ARMS = ("trials/dense", "trials/words")
HIDDEN = {"d6": "archived", "d7": "the owner's"}
SHOWN = {"d1", "d2", "d3", "d4", "d5", "d8"}
TEST = ("q1", "q2", "q3", "q4")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Sandbox:
    """Two trials that rank by cosine alone and by words alone; a deep pool and a shallow measure."""
    sandbox = make_sandbox(tmp_path_factory.mktemp("next") / "work space", code=False)
    for arm, weight in zip(ARMS, (1.0, 0.0), strict=True):
        sandbox.pipeline("--set", f"rerank.weight={weight}", "--set", "evaluate.cutoffs=[2]", "--out", arm)
    return sandbox


@pytest.fixture
def root(made: Sandbox, tmp_path: Path) -> Path:
    """A copy of it, without its store."""
    ignore = shutil.ignore_patterns(".vara", "tiny-model")
    return shutil.copytree(made.root, tmp_path / "copy", ignore=ignore)


@pytest.fixture
def vara(root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Vara:
    monkeypatch.chdir(root)

    def call(*words: str) -> tuple[int, list[str], list[str]]:
        monkeypatch.setattr("sys.argv", ["vara", "judge", *words])
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capsys.readouterr()
        return int(ended.value.code or 0), out.splitlines(), err.splitlines()

    return call


def rows(path: str) -> list[dict[str, str]]:
    with Path(path).open(newline="") as file:
        return list(csv.DictReader(file, delimiter="\t" if path.endswith(".tsv") else ","))


def run(arm: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = json.loads(Path(arm, "build/reranked.json").read_bytes())["reranked"]
    return found


def test_everything_that_may_be_judged_and_nothing_else(vara: Vara) -> None:
    code, out, err = vara("next", *ARMS, "--out", "s.csv", "--n", "100", "--explore", "1")
    assert (code, err) == (0, [])
    judged = {(query, doc) for query, doc, _ in LABELS}
    seen = {
        query: SHOWN | ({"d7"} if query == "q4" else set()) for query in TEST
    }  # q4 may read for the owner
    tops = {query: {doc for arm in ARMS for doc in run(arm)[query][:2]} for query in TEST}
    expected = {(q, d) for q in TEST for d in seen[q] - tops[q] if (q, d) not in judged}
    assert {(row["query_id"], row["doc_id"]) for row in rows("s.csv")} == expected
    assert any("drawn from below both top 2" in line for line in out)


def test_the_decisive_pairs_are_in_a_top_and_unjudged(vara: Vara) -> None:
    code, *_ = vara("next", *ARMS, "--out", "s.csv", "--n", "100", "--explore", "0")
    assert code == 0
    judged = {(query, doc) for query, doc, _ in LABELS}
    pairs = {(row["query_id"], row["doc_id"]) for row in rows("s.csv")}
    assert pairs
    for query, doc in pairs:
        assert doc in run(ARMS[0])[query][:2] + run(ARMS[1])[query][:2]
        assert (query, doc) not in judged
    assert {row["reason"] for row in rows("s.key.csv")} == {"decisive"}


def test_the_largest_effect_is_what_judging_would_do(vara: Vara, root: Path, made: Sandbox) -> None:
    """The key's number is the change of `vara compare`'s difference once the label is there."""
    vara("next", *ARMS, "--out", "s.csv", "--n", "1", "--explore", "0")
    [row] = rows("s.key.csv")

    def difference(arms: tuple[str, str]) -> float:
        files = [json.loads((made.root / arm / "metrics/evaluate.json").read_bytes()) for arm in arms]
        return float(files[1]["test.reranked.nDCG@2"] - files[0]["test.reranked.nDCG@2"])

    labels = made.root / "data/small/qrels.tsv"
    before = labels.read_text()
    moved = []
    try:
        for grade in (1, 3):
            labels.write_text(f"{before}{row['query_id']}\t{row['doc_id']}\t{grade}\n")
            again = (f"trials/dense{grade}", f"trials/words{grade}")
            for arm, weight in zip(again, (1.0, 0.0), strict=True):
                made.pipeline(
                    "--set", f"rerank.weight={weight}", "--set", "evaluate.cutoffs=[2]", "--out", arm
                )
            moved.append(difference(again) - difference(ARMS))
    finally:
        labels.write_text(before)
    assert float(row["effect"]) == pytest.approx(max(moved, key=abs), abs=1e-8)


def test_the_sheet_is_blind_and_the_key_is_not(vara: Vara) -> None:
    vara("next", *ARMS, "--out", "s.tsv", "--n", "10", "--explore", "0.4")
    sheet = rows("s.tsv")
    assert list(sheet[0]) == [
        "query_id",
        "doc_id",
        "query",
        "title",
        "text",
        "relevance",
        "annotator",
        "source",
    ]
    texts = {name: (title, text) for name, title, text, _ in DOCUMENTS}
    for row in sheet:
        assert (row["title"], row["text"]) == texts[row["doc_id"]]
        assert (row["relevance"], row["annotator"]) == ("", "")
    reasons = Counter(row["reason"] for row in rows("s.key.csv"))
    assert reasons["below"] == reasons["outside"] == 2
    assert {(row["query_id"], row["doc_id"]) for row in rows("s.key.csv")} == {
        (row["query_id"], row["doc_id"]) for row in sheet
    }


def test_the_same_question_has_the_same_answer(vara: Vara) -> None:
    for name in ("one.csv", "two.csv"):
        vara("next", *ARMS, "--out", name)
    assert Path("one.csv").read_bytes() == Path("two.csv").read_bytes()


def test_what_was_ranked_and_is_archived_since_is_not_shown(vara: Vara, root: Path) -> None:
    corpus = root / "data/small/corpus.jsonl"
    lines = [json.loads(line) for line in corpus.read_text().splitlines()]
    for line in lines:
        if line["_id"] == "d2":
            line["metadata"] = {"status": "archived"}
        if line["_id"] == "d3":
            line["metadata"] = {"audience": "owner"}
    corpus.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    assert any("d2" in docs for arm in ARMS for docs in run(arm).values())
    for explore in ("0", "1"):
        assert vara("next", *ARMS, "--out", f"{explore}.csv", "--n", "100", "--explore", explore)[0] == 0
        shown = {(row["query_id"], row["doc_id"]) for row in rows(f"{explore}.csv")}
        assert not {pair for pair in shown if pair[1] == "d2"}
        assert {query for query, doc in shown if doc in ("d3", "d7")} <= {"q4"}


def test_judging_a_sheet_says_how_the_drawn_ones_fared(vara: Vara) -> None:
    vara("next", *ARMS, "--out", "s.csv", "--n", "8", "--explore", "0.5")
    key = {(row["query_id"], row["doc_id"]): row["reason"] for row in rows("s.key.csv")}
    sheet = rows("s.csv")
    for row in sheet:
        row["relevance"] = "1" if key[row["query_id"], row["doc_id"]] == "outside" else "0"
    with Path("s.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, list(sheet[0]))
        writer.writeheader()
        writer.writerows(sheet)
    code, out, _ = vara("add", "s.csv", "--to", "data/small/qrels.tsv", "--annotator", "ana")
    assert code == 0
    counts = Counter(key.values())
    assert f"proposed as below: 0 of {counts['below']} relevant" in out
    assert f"proposed as outside: {counts['outside']} of {counts['outside']} relevant" in out
    _, _, err = vara("next", *ARMS, "--out", "s.csv")
    assert "something is there already" in err[0]
    vara("next", *ARMS, "--out", "next.csv", "--n", "100", "--explore", "1")
    assert not {(row["query_id"], row["doc_id"]) for row in rows("next.csv")} & key.keys()


def test_nothing_is_left(vara: Vara, root: Path) -> None:
    labels = root / "data/small/qrels.tsv"
    known = {(query, doc) for query, doc, _ in LABELS}
    more = [f"{q}\t{d}\t0" for q in TEST for d, *_ in DOCUMENTS if (q, d) not in known]
    labels.write_text(labels.read_text() + "\n".join(more) + "\n")
    code, _, err = vara("next", *ARMS, "--out", "s.csv", "--explore", "0.5")
    assert (code, Path("s.csv").exists()) == (2, False)
    assert err[-1].startswith("judge next problem: nothing is left to judge (test). Raise --explore")


def test_an_arm_without_rankings(vara: Vara, made: Sandbox, root: Path) -> None:
    (root / "trials/words/build/reranked.json").unlink()
    code, _, err = vara("next", *ARMS, "--out", "s.csv")
    assert code == 2
    assert err[0].startswith(
        "arm problem: no rankings in build/pool.json and build/reranked.json (FileNotFoundError)"
    )
    assert err[0].endswith("(trials/words). Run `dvc repro`, or the trial, again.")


RANKED = '{"q1": ["d1"]}'


@pytest.mark.parametrize(
    "pool",
    [
        '{"first_stage": 5, "bm25": {}}',
        f'{{"first_stage": {RANKED}, "bm25": [{RANKED}]}}',
        f'{{"first_stage": {RANKED}, "bm25": {{"q1": "d1"}}}}',
        f'{{"first_stage": {RANKED}, "bm25": {{"q1": [1]}}}}',
        f'{{"first_stage": {RANKED}, "bm25": {{"q1": ["d1", "d1"]}}}}',
        f'{{"first_stage": {RANKED}}}',
        f"[{RANKED}]",
        "[" * 100_000,
    ],
)
def test_damaged_rankings(vara: Vara, root: Path, pool: str) -> None:
    (root / "trials/words/build/pool.json").write_text(pool)
    code, _, err = vara("next", *ARMS, "--out", "s.csv")
    assert (code, len(err)) == (2, 1)
    assert err[0].startswith("arm problem: no rankings in build/pool.json and build/reranked.json")


def test_a_revision_has_none(vara: Vara, root: Path) -> None:
    sandbox = Sandbox(root)
    sandbox.run("git", "init", "-q", "-b", "main")
    sandbox.commit()
    code, _, err = vara("next", "HEAD", ARMS[0], "--out", "s.csv")
    assert code == 2
    assert err[0].startswith(
        "arm problem: HEAD is a revision, and rankings are not committed. Run it as a trial"
    )


def test_two_datasets_are_no_comparison(vara: Vara, root: Path) -> None:
    params = root / "trials/words/params.yaml"
    params.write_text(params.read_text().replace("data/small", "data/other"))
    code, _, err = vara("next", *ARMS, "--out", "s.csv")
    assert code == 2
    assert "arms problem: two datasets, data/small and data/other" in err[0]


def test_a_query_s_own_document_is_left_out_where_the_arms_leave_it_out(vara: Vara, root: Path) -> None:
    with (root / "data/small/corpus.jsonl").open("a") as file:
        file.write('{"_id": "q1", "text": "forgot my password"}\n')
    own = ("q1", "q1")
    for name, expected in (("with.csv", True), ("without.csv", False)):
        vara("next", *ARMS, "--out", name, "--n", "100", "--explore", "1")
        shown = {(row["query_id"], row["doc_id"]) for row in rows(name)}
        assert (own in shown, ("q2", "q1") in shown) == (expected, True)
        params = root / "trials/words/params.yaml"
        params.write_text(params.read_text().replace("exclude_self: false", "exclude_self: true"))
