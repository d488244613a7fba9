"""Canaries: documents that a query asks for word by word and may not see. Nothing that belongs to it may name them."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from cli.main import main as vara
from flows.__main__ import main as flows
from tests.workspace import Sandbox, make_sandbox

SYSTEMS = {
    "dense": ("pool.retriever=dense", "index.engine=memory"),
    "bm25": ("pool.retriever=bm25", "index.engine=memory"),
    "hybrid": ("pool.retriever=hybrid", "index.engine=memory"),
    "helped": (
        "pool.retriever=hybrid",
        "pool.title_guarantee=true",
        "lexical.typos=true",
        "lexical.prefixes=true",
        "index.engine=memory",
    ),
    "hybrid-ann": ("pool.retriever=hybrid", "pool.search=ann", "pool.cap={dense: 4}", "index.engine=memory"),
    "ann-memory": ("pool.search=ann", "index.engine=memory"),
    "ann-edge": ("pool.search=ann", "index.engine=edge"),
}
"""Every way to find candidates, as changes of parameters."""


@dataclass(frozen=True)
class Canary:
    """A document whose id, title and text hold one word that stands in no other; and who asks for it.

    Attributes:
        document: its metadata.
        outside: the metadata of the query that may not see it.
        inside: the metadata of the query that may; None where nobody may.
    """

    word: str
    document: dict[str, Any]
    outside: dict[str, Any]
    inside: dict[str, Any] | None

    @property
    def doc_id(self) -> str:
        return f"doc-{self.word}"

    @property
    def title(self) -> str:
        return f"Where the {self.word} is kept"

    @property
    def text(self) -> str:
        return f"The {self.word} hangs behind the door of the {self.word} room."

    @property
    def question(self) -> str:
        return f"{self.title} {self.text}"


DEPTH = 4  # the workspace's pool.depth
WEB, POCKET = {"product": "web"}, {"product": "pocket"}
CANARIES = {
    "audience": Canary("quokkafold", {**WEB, "audience": "owner"}, {"allowed": ["staff"]}, {"allowed": ["owner"]}),
    "scope": Canary("zebrilith", POCKET, {"scope": {"product": ["web", "bridge"]}}, {"scope": POCKET}),
    "archive": Canary("narwhaline", {**WEB, "status": "archived"}, {"allowed": ["owner"], "scope": WEB}, None),
}  # fmt: skip
EACH = pytest.mark.parametrize("name", CANARIES)
Call = Callable[[Callable[[], Any]], tuple[str, str]]


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Sandbox:
    """The small dataset with the canaries, and for each a query outside and one inside; both are labelled."""
    sandbox = make_sandbox(tmp_path_factory.mktemp("canary") / "work space", code=False)
    corpus, queries, labels = (
        (sandbox.root / "data/small" / file).open("a", encoding="utf-8")
        for file in ("corpus.jsonl", "queries.jsonl", "qrels.tsv")
    )
    with corpus, queries, labels:
        for name, one in CANARIES.items():
            row = {"_id": one.doc_id, "title": one.title, "text": one.text, "metadata": one.document}
            corpus.write(json.dumps(row) + "\n")
            for side, more in (("outside", one.outside), ("inside", one.inside)):
                if more is not None:
                    asked = {
                        "_id": f"{side}-{name}",
                        "text": one.question,
                        "metadata": {"split": "test", **more},
                    }
                    queries.write(json.dumps(asked) + "\n")
                    labels.write(
                        f"{side}-{name}\t{one.doc_id}\t3\n{side}-{name}\td2\t1\n{side}-{name}\td8\t1\n"
                    )
    return sandbox


@pytest.fixture
def call(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Call:
    """Run a command in the workspace and return its stdout and stderr, of whatever wrote to them."""
    monkeypatch.chdir(sandbox.root)

    def run(command: Callable[[], Any]) -> tuple[str, str]:
        capfd.readouterr()
        command()
        return capfd.readouterr()

    return run


@pytest.fixture
def linted(sandbox: Sandbox, call: Call) -> str:
    """What the lint says, from a store of its own: it speaks when it computes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VARA_STORE", str(sandbox.root / "lint"))
        return "".join(call(lambda: flows(["validate"])))


def piped(call: Call, system: str) -> tuple[str, str]:
    """Run the pipeline for a system into its trial, behind the lint; what is there already is not computed again."""
    call(lambda: flows(["validate"]))
    words = [word for change in SYSTEMS[system] for word in ("--set", change)]
    return call(lambda: flows(["pipeline", *words, "--out", f"trials/{system}", "--json"]))


def told(call: Call, monkeypatch: pytest.MonkeyPatch, *words: str) -> str:
    """Return all that `vara show` says."""

    def run() -> None:
        monkeypatch.setattr("sys.argv", ["vara", "show", *words])
        with pytest.raises(SystemExit) as ended:
            vara()
        assert not ended.value.code

    return "".join(call(run))


def of_query(folder: Path, query: str) -> list[str]:
    """Return whatever the tracked files of a trial hold under a query's id."""
    found = []
    for path in sorted((folder / "build").glob("*.json")):
        body = json.loads(path.read_bytes())
        found += [
            json.dumps(part[query]) for part in body.values() if isinstance(part, dict) and query in part
        ]
    with (folder / "plots/per_query.csv").open(encoding="utf-8", newline="") as file:
        rows = [json.dumps(row) for row in csv.DictReader(file) if row["query_id"] == query]
    assert len(found) >= 3  # first stage, reranked, baseline
    assert len(rows) == 3  # of the same three
    return [*found, *rows]


@EACH
@pytest.mark.parametrize("system", SYSTEMS)
def test_nothing_of_a_query_names_what_it_may_not_see(
    sandbox: Sandbox, call: Call, monkeypatch: pytest.MonkeyPatch, system: str, name: str
) -> None:
    one, query, trial = CANARIES[name], f"outside-{name}", sandbox.root / "trials" / system
    said = "".join(piped(call, system))
    assert [other for other in CANARIES.values() if other.word in said.lower()] == []

    answers = [told(call, monkeypatch, query, "--trial", system, *more) for more in ((), ("--all",))]
    assert all(one.question in answer for answer in answers)  # the question itself is the query's own
    rest = [answer.replace(one.question, "", 1) for answer in answers]
    metrics = [(trial / f"metrics/{stage}.json").read_text("utf-8") for stage in ("evaluate", "validate")]
    assert one.word not in "\n".join([*of_query(trial, query), *metrics, *rest]).lower()

    pool = json.loads((trial / "build/pool.json").read_bytes())["first_stage"]
    if "bm25" not in SYSTEMS[system][0]:  # which has no document without a word in common
        assert len(pool[query]) == DEPTH  # they leave before the cut
    if one.inside is not None:
        twin = f"inside-{name}"
        assert pool[twin][0] == one.doc_id
        assert one.word in "".join(of_query(trial, twin))
        assert f"{one.doc_id}  {one.title}" in told(call, monkeypatch, twin, "--trial", system)


def test_the_lint_names_them_to_whoever_runs_it(linted: str) -> None:
    """It is about the dataset, not about a query: who corrects labels has to know which."""
    assert re.findall(r"warning (\S+) \((\d)\)", linted) == [
        ("archived-label", "1"),
        ("hidden-label", "1"),
        ("out-of-scope-label", "4"),
    ]
    assert all(one.word in linted for one in CANARIES.values())
