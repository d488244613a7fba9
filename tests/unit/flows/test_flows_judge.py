"""`vara judge add`, `from-clicks` and `llm` by the command line: files, exit codes, messages."""

from __future__ import annotations

import csv
import fcntl
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from cli.main import main
from flows import judge_add
from tests.backends.loopback import listening
from tests.unit.flows.conftest import Vara
from tests.workspace import write_dataset
from vara.datasets.dataset import load_dataset

HEADER = "query_id,doc_id,relevance\n"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return write_dataset(tmp_path / "data/small")


@pytest.fixture
def vara(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Vara:
    monkeypatch.chdir(tmp_path)
    for name in ("params.yaml", "dvc.yaml"):
        (tmp_path / name).touch()

    def call(*words: str) -> tuple[int, list[str], list[str]]:
        monkeypatch.setattr("sys.argv", ["vara", "judge", *words])
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capsys.readouterr()
        return int(ended.value.code or 0), out.splitlines(), err.splitlines()

    return call


QRELS = "data/small/qrels.tsv"


def sheet(name: str, *rows: str, header: str = HEADER) -> str:
    Path(name).write_text(header + "".join(f"{row}\n" for row in rows))
    return name


def files(data: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in data.iterdir()}


def test_new_labels_stand_below_the_old_ones_with_their_source(vara: Vara, data: Path) -> None:
    before = (data / "qrels.tsv").read_text().splitlines()
    code, out, _ = vara(
        "add", sheet("s.csv", "q2,d1,0", "q1,d4,2", "q1,d3,"), "--to", QRELS, "--annotator", "ana"
    )
    assert code == 0
    assert out[-1] == (
        "2 new labels in data/small/qrels.tsv, 2 judgments kept; "
        "0 repeat a label, 0 stand beside one of another source, 0 were resolved, 1 rows are blank"
    )
    after = (data / "qrels.tsv").read_text().splitlines()
    assert after == [
        f"{before[0]}\tsource",
        *(f"{line}\thuman" for line in before[1:]),
        "q1\td4\t2\thuman",
        "q2\td1\t0\thuman",
    ]
    assert (data / "judgments.csv").read_text().splitlines() == [
        "query_id,doc_id,relevance,annotator,source",
        "q2,d1,0,ana,human",
        "q1,d4,2,ana,human",
    ]
    assert load_dataset(data).labels.height == 9


def test_the_same_sheet_again_changes_nothing(vara: Vara, data: Path) -> None:
    words = ("add", sheet("s.csv", "q2,d1,0"), "--to", QRELS, "--annotator", "ana")
    vara(*words)
    before = files(data)
    code, out, _ = vara(*words)
    assert (code, files(data)) == (0, before)
    assert out[-1].startswith("0 new labels in data/small/qrels.tsv, 0 judgments kept; 1 repeat a label")


def test_a_conflict_with_a_label_writes_nothing(vara: Vara, data: Path) -> None:
    before = files(data)
    code, _, err = vara("add", sheet("s.csv", "q2,d1,0", "q1,d1,1"), "--to", QRELS, "--annotator", "ana")
    assert (code, files(data)) == (2, before)
    assert err == [
        "data/small/qrels.tsv problem: 1 conflict:",
        "  query q1 document d1: ana says 1 (s.csv, row 3), the human label is 3 (qrels.tsv:2)",
        "Nothing was written. Let a third reading decide (--resolve SHEET); a label that is there only you can take out.",
    ]


def test_annotators_who_differ_are_compared_and_refused_until_a_third_decides(vara: Vara, data: Path) -> None:
    header = "query_id,doc_id,relevance,annotator\n"
    ana = sheet("a.csv", "q1,d3,1,ana", "q1,d4,1,ana", "q2,d1,0,ana", "q2,d2,0,ana", header=header)
    ben = sheet("b.csv", "q1,d3,1,ben", "q1,d4,0,ben", "q2,d1,0,ben", "q2,d2,0,ben", header=header)
    before = files(data)
    code, out, err = vara("add", ana, ben, "--to", QRELS)
    assert (code, files(data)) == (2, before)
    assert "  query q1 document d4: ana 1 (a.csv, row 3), ben 0 (b.csv, row 3)" in err
    # Same 3 of 4; by chance 1 − (2·1 + 2·3)/16 = 1/2 of the pairs differ: 1 − (1/4)/(1/2) = .5
    assert out[1].split() == ["ana", "·", "ben", "4", "75.0%", "0.500", "0.500"]
    third = sheet("c.csv", "q1,d4,0,eva", header=header)
    code, out, _ = vara("add", ana, ben, "--to", QRELS, "--resolve", third)
    assert code == 0
    assert out[-1].startswith("4 new labels in data/small/qrels.tsv, 9 judgments kept; 0 repeat")
    assert "1 were resolved" in out[-1]
    # Kept judgments still tell how far they agreed.
    _, out, _ = vara("add", sheet("d.csv", "q3,d1,0,cy", header=header), "--to", QRELS)
    assert out[1].split() == ["ana", "·", "ben", "4", "75.0%", "0.500", "0.500"]


def test_a_machine_beside_people(vara: Vara, data: Path) -> None:
    header = "query_id,doc_id,relevance,annotator,source\n"
    code, out, _ = vara(
        "add", sheet("m.csv", "q1,d1,0,model,llm", "q1,d5,1,model,llm", header=header), "--to", QRELS
    )
    assert code == 0
    assert out[-1].startswith(
        "1 new labels in data/small/qrels.tsv, 2 judgments kept; 0 repeat a label, 1 stand beside"
    )
    lines = (data / "qrels.tsv").read_text().splitlines()
    assert "q1\td1\t3\thuman" in lines
    assert lines[-1] == "q1\td5\t1\tllm"


@pytest.mark.parametrize(
    ("rows", "words", "message"),
    [
        (
            ["q1,d9,1"],
            ["--annotator", "a"],
            "judgments problem: 1 unknown ids (s.csv, row 2 document d9). Spreadsheets",
        ),
        (["Q1,d1,1"], ["--annotator", "a"], "(s.csv, row 2 query Q1, but there is q1)"),
        (
            ["q1,d3,1"],
            [],
            "annotator problem: nobody is named in 1 judged rows (s.csv, row 2). Say who judged",
        ),
        (["q1,d3,"], ["--annotator", "a"], "judgments problem: none. Fill in the column relevance"),
        (["q1,d3,x"], ["--annotator", "a"], "s.csv problem: 1 bad line (s.csv, row 2 relevance 'x')"),
    ],
)
def test_sheets_that_do_not_fit(
    vara: Vara, data: Path, rows: list[str], words: list[str], message: str
) -> None:
    before = files(data)
    code, _, err = vara("add", sheet("s.csv", *rows), "--to", QRELS, *words)
    assert (code, files(data)) == (2, before)
    assert message in err[0]


@pytest.mark.parametrize(
    ("key", "message"),
    [
        (b"a,b\n1,2\n", "s.key.csv problem: no column query_id, doc_id, reason"),
        (b"query_id,doc_id,reason\nq1,caf\xe9,below\n", "s.key.csv problem: not UTF-8 at byte 29"),
        (b"query_id,doc_id,reason,reason\n", "s.key.csv problem: column 'reason' twice"),
        (b"query_id,doc_id,reason\nq1,d3\n", "1 bad line (s.key.csv, row 2 has 2 cells and not 3)"),
        (b"query_id,doc_id,reason\nq1,d3,\x1b[2J\n", "1 bad line (s.key.csv, row 2 reason '\\x1b[2J')"),
    ],
)
def test_a_key_that_is_none_is_refused_before_anything_is_written(
    vara: Vara, data: Path, key: bytes, message: str
) -> None:
    before = files(data)
    Path("s.key.csv").write_bytes(key)
    code, _, err = vara("add", sheet("s.csv", "q1,d3,1"), "--to", QRELS, "--annotator", "a")
    assert (code, files(data)) == (2, before)
    assert message in err[0]


@pytest.mark.parametrize(
    "name", ["=1+2", "+1", "-1", "@SUM(1)", " =1", "a\x1b[2J", "a\nb", "a\u202eb", "a\tb"]
)
@pytest.mark.parametrize("option", [False, True])
def test_an_annotator_is_a_plain_name(vara: Vara, data: Path, name: str, option: bool) -> None:
    before = files(data)
    header = "query_id,doc_id,relevance,annotator\n"
    said = sheet("s.csv", f'q1,d3,1,"{"" if option else name}"', header=header)
    code, _, err = vara("add", said, "--to", QRELS, *(["--annotator", name] if option else []))
    assert (code, files(data), len(err)) == (2, before, 1)
    assert err[0].startswith("annotator problem: ")
    assert err[0].isprintable()
    assert err[0].endswith("Write a plain name.")


def test_a_log_names_the_annotator_too(vara: Vara, data: Path) -> None:
    before = files(data)
    log = events("e\x1b[2J.ndjson", [(str(n), "pk-03", [("d1", n < 10)]) for n in range(20)])
    code, _, err = vara("from-clicks", log, "--to", QRELS)
    assert (code, files(data)) == (2, before)
    assert err[0].startswith(r"annotator problem: 'coec-1 e\x1b[2J.ndjson'")


def test_what_a_terminal_would_obey_is_shown_escaped(vara: Vara, data: Path) -> None:
    header = "query_id,doc_id,relevance,annotator,source\n"
    (data / "judgments.csv").write_text(f"{header}q1,d3,1,a\x1b[2J,human\nq1,d4,1,a\x1b[2J,human\n")
    code, out, err = vara("add", sheet("s.csv", "q1,d3,0,ben,", header=header), "--to", QRELS)
    assert code == 0
    assert out[1].startswith(r"a\x1b[2J · ben")
    code, out, err = vara("add", sheet("s.csv", "q1\x1b[2J,d3,0,ben,", header=header), "--to", QRELS)
    assert code == 2
    assert r"row 2 query q1\x1b[2J, but" in err[0] or r"row 2 query q1\x1b[2J)" in err[0]
    name = "d\x1b[2J"
    with (data / "corpus.jsonl").open("a") as file:
        file.write(json.dumps({"_id": name, "text": "some words"}) + "\n")
    rows = [f"q1,{name},{grade},{who}," for grade, who in ((0, "ana"), (1, "ben"))]
    code, out, err = vara("add", sheet("s.csv", *rows, header=header), "--to", QRELS)
    assert code == 2
    assert all(line.isprintable() for line in (*out, *err))


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("data/small/labels.tsv", "no label file, expected qrels.tsv or qrels/<split>.tsv"),
        ("data/small/qrels/test.tsv", "the dataset's labels are in data/small/qrels.tsv"),
        ("data/none/qrels.tsv", "data/none problem: No such file or directory"),
    ],
)
def test_targets_that_do_not_fit(vara: Vara, data: Path, target: str, message: str) -> None:
    code, _, err = vara("add", sheet("s.csv", "q1,d3,1"), "--to", target, "--annotator", "a")
    assert code == 2
    assert message in err[0]


def test_a_dataset_gets_its_first_labels(vara: Vara, data: Path) -> None:
    (data / "qrels.tsv").unlink()
    code, _, err = vara(
        "add", sheet("s.csv", "q1,d3,1"), "--to", "data/small/qrels/test.tsv", "--annotator", "a"
    )
    assert (code, err) == (0, [])
    assert (data / "qrels/test.tsv").read_text() == "query-id\tcorpus-id\tscore\tsource\nq1\td3\t1\thuman\n"
    assert (data / "qrels/judgments.csv").is_file()
    code, _, err = vara(
        "add", sheet("s.csv", "q5,d3,1"), "--to", "data/small/qrels/test.tsv", "--annotator", "a"
    )
    assert code == 2
    assert "1 of another split (s.csv, row 2 query q5 of dev)" in err[0]


def test_a_file_that_dvc_linked_to_its_cache_is_replaced_and_not_written_into(vara: Vara, data: Path) -> None:
    cached = data.parent / "cached"
    os.link(data / "qrels.tsv", cached)
    before = cached.read_bytes()
    vara("add", sheet("s.csv", "q1,d3,1"), "--to", QRELS, "--annotator", "a")
    assert cached.read_bytes() == before


def test_files_behind_links_are_written_and_the_links_stay(vara: Vara, data: Path, tmp_path: Path) -> None:
    (tmp_path / "labels").mkdir()
    (data / "qrels.tsv").rename(tmp_path / "labels/shared.tsv")
    for name, home in (("qrels.tsv", "shared.tsv"), ("judgments.csv", "said.csv")):
        (data / name).symlink_to(f"../../labels/{home}")
    code, _, err = vara("add", sheet("s.csv", "q1,d3,1"), "--to", QRELS, "--annotator", "a")
    assert (code, err) == (0, [])
    assert (data / "qrels.tsv").is_symlink()
    assert (tmp_path / "labels/shared.tsv").read_text().endswith("\nq1\td3\t1\thuman\n")
    assert (tmp_path / "labels/said.csv").read_text().endswith("\nq1,d3,1,a,human\n")
    assert sorted(path.name for path in (tmp_path / "labels").iterdir()) == ["said.csv", "shared.tsv"]


def test_a_link_to_what_is_protected_is_refused(vara: Vara, data: Path, tmp_path: Path) -> None:
    """DVC links to its cache, whose files never change."""
    (data / "qrels.tsv").rename(tmp_path / "cached")
    (tmp_path / "cached").chmod(0o444)
    (data / "qrels.tsv").symlink_to("../../cached")
    before = files(data)
    code, _, err = vara("add", sheet("s.csv", "q1,d3,1"), "--to", QRELS, "--annotator", "a")
    assert (code, files(data)) == (2, before)
    assert err[0].startswith("data/small/qrels.tsv problem: a link to a file that is write-protected")


def test_a_link_to_itself(vara: Vara, data: Path) -> None:
    (data / "judgments.csv").symlink_to("judgments.csv")
    before = (data / "qrels.tsv").read_bytes()
    code, _, err = vara("add", sheet("s.csv", "q1,d3,1"), "--to", QRELS, "--annotator", "a")
    assert (code, (data / "qrels.tsv").read_bytes()) == (2, before)
    assert err[0].startswith("data/small/judgments.csv problem: a link that leads back to itself")


def test_a_crash_between_the_two_files_is_made_good_by_the_same_call(
    vara: Vara, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, write = (data / "qrels.tsv").read_bytes(), judge_add.write_whole

    def crash(path: Path, content: bytes) -> None:
        if path.name == "qrels.tsv":
            raise OSError(28, "No space left on device")
        write(path, content)

    words = ("add", sheet("s.csv", "q1,d3,1"), "--to", QRELS, "--annotator", "a")
    with monkeypatch.context() as patch:
        patch.setattr(judge_add, "write_whole", crash)
        assert vara(*words)[0] == 2
    assert (data / "qrels.tsv").read_bytes() == before
    assert vara(*words)[1][-1].startswith("1 new labels in data/small/qrels.tsv, 0 judgments kept; 0 repeat")


def test_nobody_else_writes_meanwhile(vara: Vara, data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write, blocked = judge_add.write_whole, []

    def look(path: Path, content: bytes) -> None:
        other = os.open(data, os.O_RDONLY)
        try:
            fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            blocked.append(path.name)
        finally:
            os.close(other)
        write(path, content)

    monkeypatch.setattr(judge_add, "write_whole", look)
    assert vara("add", sheet("s.csv", "q1,d3,1"), "--to", QRELS, "--annotator", "a")[0] == 0
    assert blocked == ["judgments.csv", "qrels.tsv"]


def events(name: str, searches: list[tuple[str, str, list[tuple[str, bool]]]]) -> str:
    lines: list[dict[str, Any]] = []
    for search, text, shown in searches:
        lines.append({"query_id": search, "user_query": text})
        for rank, (doc, clicked) in enumerate(shown):
            attributes = {"object": {"object_id": doc}, "position": {"ordinal": rank}}
            event = {"query_id": search, "event_attributes": attributes}
            lines += [{**event, "action_name": action} for action in ("impression", "click")[: 1 + clicked]]
    Path(name).write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return name


def test_clicks_become_labels(vara: Vara, data: Path) -> None:
    log = events(
        "e.ndjson",
        [(f"a{n}", " Labels come OUT blank ", [("d3", False), ("d8", n < 3)]) for n in range(4)]
        + [(f"b{n}", "pk-03", [("d1", n < 3), ("d2", n < 2)]) for n in range(4)]
        + [("c", "something else", [("d1", False)]), ("d", "pk-03", [("nothing", False)])],
    )
    code, out, err = vara("from-clicks", log, "--to", QRELS, "--min-impressions", "4")
    assert (code, err) == (0, [])
    assert out[:3] == [
        "16 of 18 impressions are about the dataset's queries and documents",
        "not counted: 1 of other searches, 1 of documents that the corpus lacks",
        "4 of 4 pairs were seen often enough",
    ]
    lines = (data / "qrels.tsv").read_text().splitlines()
    # Rank 0: 3 clicks of 10, so 1.2 expected of 4; rank 1: 5 of 8, 2.5 of 4.
    # q2 d8: 3 / 2.5 = 1.2, grade 1; q2 d3 has a label already. q5 d1: 3 / 1.2 = 2.5, grade 2; q5 d2: 2 / 2.5, grade 0.
    assert lines[-3:] == ["q2\td8\t1\tclick", "q5\td1\t2\tclick", "q5\td2\t0\tclick"]
    assert "q2\td3\t3\thuman" in lines
    assert "1 stand beside one of another source" in out[-1]
    assert "q2,d3,0,coec-1 e.ndjson,click" in (data / "judgments.csv").read_text().splitlines()
    assert "a0" not in (data / "judgments.csv").read_text()  # nobody's search is kept


def test_a_text_that_two_queries_share_is_neither_s(vara: Vara, data: Path) -> None:
    with (data / "queries.jsonl").open("a") as file:
        file.write('{"_id": "q7", "text": "PK-03", "metadata": {"split": "test", "allowed": ["owner"]}}\n')
    log = events("e.ndjson", [(str(n), "pk-03", [("d1", True)]) for n in range(30)])
    code, _, err = vara("from-clicks", log, "--to", QRELS)
    assert code == 2
    assert "not counted: 30 of a text that several queries share" in err[0]


def test_known_examination(vara: Vara, data: Path) -> None:
    log = events("e.ndjson", [(str(n), "pk-03", [("d1", n < 10), ("d2", n < 10)]) for n in range(20)])
    Path("seen.yaml").write_text("0: 1.0\n1: 0.25\n")
    code, *_ = vara("from-clicks", log, "--to", QRELS, "--examination", "seen.yaml")
    assert code == 0
    # 20 clicks, 20 · 1 + 20 · .25 = 25 looks: 16 are expected of d1 and 4 of d2, and each has 10.
    assert (data / "qrels.tsv").read_text().splitlines()[-2:] == ["q5\td1\t0\tclick", "q5\td2\t2\tclick"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--thresholds", "2,1"], "thresholds problem: 2, 1, expected ratios of 1e-06 to 1e+06, ascending"),
        (["--thresholds", "0,1"], "thresholds problem: 0, 1"),
        (["--thresholds", "nan"], "thresholds problem: nan"),
        (["--thresholds", "1,nan"], "thresholds problem: 1, nan"),
        (["--thresholds", "1,inf"], "thresholds problem: 1, inf"),
        (["--thresholds", "1e-320"], "thresholds problem: 9.99989e-321, expected"),
        (["--thresholds", "-1,2"], "thresholds problem: -1, 2"),
        (["--examination", "tiny.yaml"], "tiny.yaml problem: no examination"),
        (["--examination", "nan.yaml"], "nan.yaml problem: no examination"),
        (["--examination", "seen.yaml"], "expected {rank: share of 1e-06 to 1}"),
        ([], "none of 1 pairs was shown 20 times with 1 expected click"),
    ],
)
def test_clicks_that_say_nothing(vara: Vara, data: Path, words: list[str], message: str) -> None:
    before = files(data)
    for name, share in (("seen", "1.5"), ("tiny", "0.0000001"), ("nan", ".nan")):
        Path(f"{name}.yaml").write_text(f"0: {share}\n")
    log = events("e.ndjson", [("a", "pk-03", [("d1", True)])])
    code, _, err = vara("from-clicks", log, "--to", QRELS, *words)
    assert (code, files(data)) == (2, before)
    assert message in err[0]


TEXTS = "query_id,doc_id,query,title,text,relevance,annotator,source\n"


@pytest.fixture
def endpoint() -> Iterator[Callable[[], tuple[str, list[dict[str, Any]]]]]:
    """An endpoint that reads the grade from the title: "2" in both orders, "2/1" by the scale's order, or words."""
    sent: list[dict[str, Any]] = []

    def respond(handler: Any, body: bytes) -> None:
        asked = json.loads(body)
        sent.append(asked)
        system, user = (message["content"] for message in asked["messages"])
        title = json.loads(user)["document"]["title"]
        ascending = system.index("\n0: ") < system.index("\n3: ")
        grade = title.split("/")[-1 if ascending else 0]
        answer = f'{{"relevance": {grade}}}' if grade.isdigit() else grade
        content = {"choices": [{"message": {"content": answer}}]}
        handler.send(200, json.dumps(content).encode())

    with listening(respond) as url:
        yield lambda: (f"{url}/v1", sent)


def test_a_model_judges_a_sheet(
    vara: Vara,
    endpoint: Callable[[], tuple[str, list[dict[str, Any]]]],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.setenv("VARA_JUDGE_KEY", "sk-secret")
    url, sent = endpoint()
    rows = ["q1,a,x,3,,3,ana,human", "q1,b,x,2,,0,ana,human", "q1,c,x,0,,0,ana,", "q1,d,x,1,,,,", "q1,e,x,2/1,,2,ana,", "q1,f,x,no,,,,"]  # fmt: skip
    words = ("llm", sheet("s.csv", *rows, header=TEXTS), "--endpoint", url, "--model", "m")
    code, out, err = vara(*words, "--out", "m.csv")
    assert (code, err) == (0, [])
    assert out[:2] == [
        "6 pairs, verdicts: 1 × 0, 1 × 1, 1 × 2, 1 × 3; 12 answers fetched, 0 known",
        "no verdict: 1 differ between the orders, 1 malformed",
    ]
    # People 3, 0, 0 and the model 3, 2, 0: same 2/3; by chance 3·3, 0·2, 0·0 …: 6 of 9 differ, 1 − (1/3)/(6/9) = .5
    assert out[3].split()[:6] == ["m", "pointwise-1", "·", "people", "3", "66.7%"]
    assert out[3].split()[6] == "0.500"
    with Path("m.csv").open() as file:
        written = [
            (row["doc_id"], row["relevance"], row["annotator"], row["source"]) for row in csv.DictReader(file)
        ]
    assert written == [
        (doc, grade, "m pointwise-1", "llm")
        for doc, grade in [("a", "3"), ("b", "2"), ("c", "0"), ("d", "1"), ("e", ""), ("f", "")]
    ]
    assert not any("ana" in json.dumps(asked) or "sk-secret" in json.dumps(asked) for asked in sent)
    kept = (path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert not any(b"sk-secret" in content for content in kept)
    # Again: all verdicts are known, and only the malformed answer is asked for again, in both orders.
    code, out, _ = vara(*words, "--out", "again.csv")
    assert out[0].endswith("; 2 answers fetched, 10 known")
    assert Path("again.csv").read_bytes() == Path("m.csv").read_bytes()


def test_without_people_there_is_no_agreement(
    vara: Vara, endpoint: Callable[[], tuple[str, list[dict[str, Any]]]]
) -> None:
    rows = ["q1,a,x,3,,,,", "q1,b,x,2,,2,other,llm"]
    code, out, _ = vara("llm", sheet("s.csv", *rows, header=TEXTS), "--endpoint", endpoint()[0], "--model", "m", "--out", "m.csv")  # fmt: skip
    assert code == 0
    assert out[-1] == "agreement with people: not known, nobody judged a pair of this sheet"


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (["q1,a,,title,text,,,"], "s.csv problem: 1 rows without texts (s.csv, row 2). Make the sheet"),
        (["q1,a,query,,,,,"], "1 rows without texts"),
        ([], "s.csv problem: no row"),
    ],
)
def test_sheets_that_no_model_can_judge(vara: Vara, rows: list[str], message: str) -> None:
    code, _, err = vara("llm", sheet("s.csv", *rows, header=TEXTS), "--endpoint", "http://127.0.0.1:9", "--model", "m", "--out", "m.csv")  # fmt: skip
    assert code == 2
    assert message in err[0]
    assert not Path("m.csv").exists()


def test_a_model_s_name_becomes_an_annotator_s(vara: Vara) -> None:
    told = ("--endpoint", "http://127.0.0.1:9", "--out", "m.csv")
    code, _, err = vara("llm", sheet("s.csv", "q1,a,x,3,,,,", header=TEXTS), "--model", "=1+2", *told)
    assert (code, Path("m.csv").exists()) == (2, False)
    assert err[-1].startswith("annotator problem: '=1+2 pointwise-1'")


def test_a_sheet_that_is_there_is_not_overwritten(vara: Vara) -> None:
    code, _, err = vara(
        "llm", sheet("s.csv"), "--endpoint", "http://127.0.0.1:9", "--model", "m", "--out", "s.csv"
    )
    assert code == 2
    assert "something is there already" in err[0]
