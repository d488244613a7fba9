"""The gate in a workspace: what is written, how the run ends, what it looks at, and what `vara gate` says of it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from cli.main import main
from flows import __main__ as flows
from flows.look import look
from flows.pipeline import PIPELINE
from flows.terminal import log
from flows.workspace import Workspace
from tests.workspace import Sandbox, make_sandbox
from vara import params as parameters

RR = "test.reranked.RR"
EVALUATE = "metrics/evaluate.json"
Call = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Sandbox:
    """A workspace under git that was run once; its metrics are committed and tagged."""
    sandbox = make_sandbox(tmp_path_factory.mktemp("gate") / "work space", dvc=True, code=False)
    sandbox.edit("models.yaml", "query: ''", "query: 'ask '")
    sandbox.edit("models.yaml", "passage: ''", "passage: 'tell '")
    sandbox.pipeline()
    (sandbox.root / "metrics/gate.json").unlink()
    sandbox.commit()
    sandbox.run("git", "tag", "v1.0")
    return sandbox


@pytest.fixture
def sandbox(made: Sandbox, monkeypatch: pytest.MonkeyPatch) -> Sandbox:
    """The workspace as it was committed."""
    made.run("git", "reset", "-q", "--hard", "v1.0")
    made.run("git", "clean", "-qfd")
    monkeypatch.chdir(made.root)
    for name in ("handlers", "propagate", "level"):
        monkeypatch.setattr(log, name, getattr(log, name))
    return made


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Call:
    """Run `python -m flows …`."""

    def call(*words: str) -> tuple[int, str, str]:
        code = flows.main(list(words))
        out, err = capsys.readouterr()
        return code, out, err

    return call


@pytest.fixture
def vara(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Call:
    """Run `vara …`."""

    def call(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.argv", ["vara", *words])
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capsys.readouterr()
        return int(ended.value.code or 0), out, err

    return call


def write(sandbox: Sandbox, *gates: dict[str, Any], **more: Any) -> None:
    tree = {"dataset": "small", "gates": [{"name": f"g{n}", **gate} for n, gate in enumerate(gates)], **more}
    (sandbox.root / "gates.yaml").write_text(yaml.safe_dump(tree, sort_keys=False))


def verdict(sandbox: Sandbox, folder: str = ".") -> dict[str, Any]:
    found: dict[str, Any] = json.loads((sandbox.root / folder / "metrics/gate.json").read_text())
    return found


def figures(sandbox: Sandbox) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((sandbox.root / EVALUATE).read_text())
    return found


def commit_figures(sandbox: Sandbox, **changes: Any) -> None:
    """Commit other figures than those of the run, and put those of the run back."""
    text = (sandbox.root / EVALUATE).read_text()
    (sandbox.root / EVALUATE).write_text(json.dumps({**json.loads(text), **changes}))
    sandbox.commit()
    (sandbox.root / EVALUATE).write_text(text)


def key(sandbox: Sandbox) -> str:
    workspace = Workspace(sandbox.root)
    seen = list(look(PIPELINE, parameters.load(workspace.params_path), workspace.bench()))
    assert seen[-1].plan is not None
    return seen[-1].plan.key


def test_a_green_gate(sandbox: Sandbox, run: Call, vara: Call) -> None:
    value = figures(sandbox)[RR]
    write(sandbox, {"metric": RR, "floor": 0.0})
    assert run("gate")[0] == 0
    assert verdict(sandbox) == {
        "dataset": "small",
        "verdict": "green",
        "exit_code": 0,
        "why": "all are green",
        "gates": [{"name": "g0", "metric": RR, "rule": "floor", "limit": 0.0, "value": value, "verdict": "green", "why": f"{value} is at least 0.0"}],
        "budgets": [],
    }  # fmt: skip
    assert vara("gate", "--last")[0] == 0
    code, out, _ = vara("gate", "--json")
    assert (code, json.loads(out)) == (0, verdict(sandbox))


def test_a_red_gate_is_written_before_the_run_fails(sandbox: Sandbox, run: Call, vara: Call) -> None:
    write(sandbox, {"metric": RR, "floor": 0.0}, {"metric": RR, "floor": 1.0})
    value = figures(sandbox)[RR]
    code, out, err = run("pipeline", "--json")
    assert code == 1
    assert err.splitlines()[-1] == (
        "gate problem: red: g1 (metrics/gate.json). `vara gate --last` shows every gate."
    )
    (line,) = out.splitlines()  # other programs still get the whole report
    assert json.loads(line)["metrics"]["gate"] == verdict(sandbox)
    assert (verdict(sandbox)["verdict"], verdict(sandbox)["exit_code"]) == ("red", 1)
    assert [one["verdict"] for one in verdict(sandbox)["gates"]] == ["green", "red"]
    assert run("gate")[0] == 1  # from the store as well
    code, out, _ = vara("gate", "--last")
    assert code == 1
    assert out.splitlines()[2:] == [
        f"red      g1    {RR}  floor 1  {value} is below 1.0",
        "red: g1",
    ]
    assert vara("gate")[0] == 1


def test_without_a_verdict_there_is_no_last_one(sandbox: Sandbox, vara: Call) -> None:
    code, _, err = vara("gate", "--last")
    assert code == 2
    assert err.endswith("gate.json problem: not made yet. Run `dvc repro` first.\n")


GREEN = {
    "dataset": "x",
    "verdict": "green",
    "exit_code": 0,
    "why": "all are green",
    "gates": [],
    "budgets": [],
}
GATE = {"name": "g", "metric": RR, "verdict": "green", "why": "w", "rule": "floor", "limit": 0.0}


@pytest.mark.parametrize(
    "damaged",
    [
        {},
        {**GREEN, "verdict": "fine"},
        {**GREEN, "exit_code": "0"},
        {**GREEN, "exit_code": 1},
        {**GREEN, "exit_code": False},
        {**GREEN, "why": None},
        {**GREEN, "gates": {}},
        {**GREEN, "gates": ["g"]},
        {**GREEN, "gates": [{**GATE, "limit": "0"}]},
        {**GREEN, "gates": [{**GATE, "limit": float("nan")}]},
        {**GREEN, "gates": [{**GATE, "value": float("inf")}]},
        {**GREEN, "gates": [{**GATE, "name": "\ud800"}]},
        {**GREEN, "budgets": [{**GATE}]},
        {**GREEN, "budgets": None},
    ],
    ids=repr,
)
def test_a_damaged_verdict(sandbox: Sandbox, vara: Call, damaged: dict[str, Any]) -> None:
    path = sandbox.root / "metrics/gate.json"
    path.write_text(json.dumps({**GREEN, "gates": [GATE]}))
    assert vara("gate", "--last", "--json")[0] == 0
    path.write_text(json.dumps(damaged))
    for words in ((), ("--json",)):
        code, out, err = vara("gate", "--last", *words)
        assert (code, out) == (2, "")
        assert err.splitlines() == [f"{path} problem: damaged. Run `vara gate`."]


def test_a_trial_is_judged_by_its_own_figures(sandbox: Sandbox, run: Call) -> None:
    write(sandbox, {"metric": "test.reranked.nDCG@4", "floor": 0.0})
    assert run("pipeline", "--set", "evaluate.cutoffs=[2]", "--out", "trials/two")[0] == 1
    (gate,) = verdict(sandbox, "trials/two")["gates"]
    assert (gate["verdict"], gate["value"]) == ("red", None)
    assert gate["why"].startswith("test.reranked.nDCG@4 is missing. Near keys: ")
    assert not (sandbox.root / "metrics/gate.json").exists()
    assert run("pipeline")[0] == 0


def test_another_dataset_is_not_judged(sandbox: Sandbox, run: Call, vara: Call) -> None:
    """A trial on one's own data is no failure of gates that were written for other data; a verdict it is neither."""
    write(sandbox, {"metric": RR, "floor": 1.0})
    shutil.copytree(sandbox.root / "data/small", sandbox.root / "data/mine")
    assert run("pipeline", "--set", "dataset.path=data/mine", "--out", "trials/mine")[0] == 0
    found = verdict(sandbox, "trials/mine")
    assert (found["verdict"], found["exit_code"], found["gates"]) == ("not judged", 2, [])
    assert found["why"] == "gates.yaml is about small, these metrics are of mine"
    write(sandbox, {"metric": RR, "floor": 0.0}, dataset="other")
    assert run("gate")[0] == 0
    assert vara("gate")[0] == vara("gate", "--last")[0] == 2
    code, _, err = vara("gate", "--prove")
    assert code == 2
    assert "gates.yaml problem: it is about other, this run is of small." in err


def test_a_stale_metric_file_is_not_judged(sandbox: Sandbox, vara: Call) -> None:
    (sandbox.root / EVALUATE).write_text("{}")
    code, _, err = vara("gate")
    assert code == 2
    assert err.startswith("metrics/evaluate.json problem: made with other data, parameters or code")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("dataset: small\ngates: [{name: a, metric: test.reranked.RR, floor: 46}]", "gates.yaml problem: line 2: floor: 46 is no share"),
        ("dataset: [", "gates.yaml problem: "),
        (None, "gates.yaml problem: no such file"),
    ],
)  # fmt: skip
def test_a_file_that_does_not_fit(
    sandbox: Sandbox, run: Call, vara: Call, text: str | None, said: str
) -> None:
    path = sandbox.root / "gates.yaml"
    path.unlink() if text is None else path.write_text(text)
    code, _, err = run("gate")
    assert code == 2
    assert err.startswith(said)
    assert not (sandbox.root / "metrics/gate.json").exists()
    assert vara("gate", "--prove")[0] == 2
    assert vara("store", "ls")[0] == 0  # to look is not to judge


def test_an_allowed_drop(sandbox: Sandbox, run: Call) -> None:
    value = figures(sandbox)[RR]
    write(sandbox, {"metric": RR, "max_drop": 0.1, "against": "v1.0"})
    assert run("gate")[0] == 0
    commit = sandbox.run("git", "rev-parse", "v1.0").stdout.strip()
    (gate,) = verdict(sandbox)["gates"]
    assert (gate["against"], gate["commit"], gate["value"]) == ("v1.0", commit, 0.0)
    commit_figures(sandbox, **{RR: value + 0.11})
    write(sandbox, {"metric": RR, "max_drop": 0.1, "against": "HEAD"})
    assert run("gate")[0] == 1
    assert verdict(sandbox)["gates"][0]["value"] == pytest.approx(0.11)


def test_what_a_revision_holds_is_part_of_the_key(sandbox: Sandbox) -> None:
    write(sandbox, {"metric": RR, "max_drop": 0.1, "against": "v1.0"})
    first = key(sandbox)
    assert key(sandbox) == first
    commit_figures(sandbox, **{RR: 1.0})
    assert key(sandbox) == first  # another commit is nobody's business
    sandbox.run("git", "tag", "-f", "v1.0")
    try:
        assert key(sandbox) != first
    finally:
        sandbox.run("git", "tag", "-f", "v1.0", "HEAD~1")
    assert key(sandbox) == first
    write(sandbox, {"metric": RR, "max_drop": 0.2, "against": "v1.0"})
    assert key(sandbox) != first


def test_times_are_part_of_the_key_where_a_gate_asks_for_them(sandbox: Sandbox, run: Call) -> None:
    latency = sandbox.root / "lab/metrics/latency.json"
    write(sandbox, {"metric": RR, "floor": 0.0})
    before = key(sandbox)
    latency.parent.mkdir(parents=True)
    latency.write_text('{"dense.p50_ms": 2.0, "exact.p50_ms": 8.0}')
    assert key(sandbox) == before
    write(sandbox, {"metric": "dense.p50_ms", "max_ratio": 0.25, "over": "exact.p50_ms"})
    before = key(sandbox)
    assert run("gate")[0] == 0
    latency.write_text('{"dense.p50_ms": 2.1, "exact.p50_ms": 8.0}')
    assert key(sandbox) != before
    assert run("gate")[0] == 1
    latency.unlink()
    assert run("gate")[0] == 1
    assert verdict(sandbox)["gates"][0]["why"] == "nothing was timed here: run `make lab`"
    latency.write_text("{")
    code, _, err = run("gate")
    assert (code, err.splitlines()[-1]) == (
        2,
        "lab/metrics/latency.json problem: no JSON object. Restore it, or name another revision.",
    )


def test_an_unknown_revision(sandbox: Sandbox, run: Call) -> None:
    write(sandbox, {"metric": RR, "max_drop": 0.1, "against": "v1.1"})
    code, _, err = run("gate")
    assert code == 2
    assert err.startswith("git problem: no revision 'v1.1', expected a tag or a commit.")


def test_a_shallow_clone(
    sandbox: Sandbox, run: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(sandbox, {"metric": RR, "max_drop": 0.1, "against": "v1.0"})
    sandbox.commit()
    sandbox.run("git", "clone", "-q", "--depth", "1", f"file://{sandbox.root}", str(tmp_path / "clone"))
    monkeypatch.chdir(tmp_path / "clone")
    monkeypatch.setenv("VARA_STORE", str(sandbox.root / ".vara"))
    code, _, err = run("pipeline")
    assert code == 2
    assert err.splitlines()[-1] == (
        "git problem: no revision 'v1.0' in this shallow clone. Fetch the rest: git fetch --unshallow --tags."
    )


def test_a_copy_that_dvc_made_for_an_experiment(
    sandbox: Sandbox, run: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has no tags; the clone is asked for the history, and its store for everything else."""
    write(sandbox, {"metric": RR, "max_drop": 0.1, "against": "v1.0"}, budgets=[budget(allowed=2.9)])
    shutil.copytree(sandbox.root, tmp_path / "copy", ignore=shutil.ignore_patterns(".git", ".vara"))
    monkeypatch.chdir(tmp_path / "copy")
    monkeypatch.setenv("DVC_ROOT", str(sandbox.root))
    assert run("gate")[0] == 0
    assert verdict(Sandbox(tmp_path / "copy"))["budgets"][0]["readings"] == 1


def budget(**changes: Any) -> dict[str, Any]:
    given = {"name": "b", "metric": RR, "target": 1.0, "allowed": 0.5, "window": 3, "when_spent": "fail"}
    return {**given, **changes}


def test_a_budget_over_revisions(sandbox: Sandbox, run: Call) -> None:
    """The newest reading is the run: v1.0 as long as nothing else is committed, and a reading of its own after that."""
    lack = 1 - figures(sandbox)[RR]
    write(sandbox, budgets=[budget(allowed=2.9)])
    assert run("gate")[0] == 0
    (found,) = verdict(sandbox)["budgets"]
    assert (found["readings"], found["missing"], found["verdict"]) == (1, 0, "green")
    assert found["burnt"] == pytest.approx(lack / 2.9)
    before = (sandbox.root / "metrics/gate.json").read_bytes()
    sandbox.commit()
    assert run("gate")[0] == 0
    assert (sandbox.root / "metrics/gate.json").read_bytes() == before  # a commit changes no verdict
    commit_figures(sandbox, **{RR: 0.25})
    commit_figures(sandbox, **{RR: None})
    commit_figures(sandbox, **{RR: 0.0, "dataset": "another"})
    assert run("gate")[0] == 0
    (found,) = verdict(sandbox)["budgets"]  # the run, null, .25; v1.0 is out of the window of three
    assert (found["readings"], found["missing"]) == (3, 1)
    assert found["burnt"] == pytest.approx((lack + 1 + 0.75) / 2.9)
    write(sandbox, budgets=[budget(allowed=1.7)])
    assert run("gate")[0] == 1
    assert verdict(sandbox)["why"] == "red: b"
    write(sandbox, budgets=[budget(allowed=1.7, when_spent="warn")])
    assert run("gate")[0] == 0
    assert verdict(sandbox)["budgets"][0]["verdict"] == "warning"


def test_a_budget_over_a_monitors_readings(sandbox: Sandbox, run: Call) -> None:
    write(sandbox, budgets=[budget(readings="monitor.jsonl", metric="probe.annR@10")])
    code, _, err = run("gate")
    remedy = "Correct `readings` of budget 'b', or let the monitor write it first."
    assert code == 2
    assert err.splitlines()[-1] == f"monitor.jsonl problem: no such file (gates.yaml). {remedy}"
    lines = [{"time": n, "probe.annR@10": value} for n, value in enumerate([0.0, 0.9, 0.8, 0.9])]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (sandbox.root / "monitor.jsonl").write_text(text)
    assert run("gate")[0] == 0  # .1 + .2 + .1 of .5; the first is out of the window
    assert verdict(sandbox)["budgets"][0]["burnt"] == 0.8
    (sandbox.root / "monitor.jsonl").write_text(text + '{"probe.annR@10": 0.7}\n')
    assert run("gate")[0] == 1  # .2 + .1 + .3
    assert verdict(sandbox)["budgets"][0]["burnt"] == 1.2


@pytest.mark.parametrize(
    ("lines", "bad"),
    [("{}\n\n{}\n", 2), ("{}\n{}\nnull\n", 3), ("{\n{}\n{}", 1), ("{}\n{}\n\n", 3), ("[" * 9999 + "\n{}", 1)],
)
def test_a_bad_line_of_a_monitors_readings(sandbox: Sandbox, run: Call, lines: str, bad: int) -> None:
    (sandbox.root / "live.jsonl").write_text("{}\n" * 9 + lines)  # nine older ones, before the window
    write(sandbox, budgets=[budget(readings="live.jsonl", window=4)])
    code, _, err = run("gate")
    assert code == 2
    where = f"live.jsonl:{9 + bad}"
    assert err.splitlines()[-1] == f"{where} problem: no JSON object. Correct the line, or remove it."


def test_prove_finds_a_gate_without_teeth(sandbox: Sandbox, vara: Call) -> None:
    value = figures(sandbox)[RR]
    lasting = budget(target=value, allowed=0.05)  # green now; spent by an arm that lasts
    write(sandbox, {"metric": RR, "floor": 0.0}, {"metric": RR, "floor": value}, budgets=[lasting])
    code, out, err = vara("gate", "--prove", "--json")
    found = json.loads(out)
    assert (code, found["toothless"]) == (1, ["g0"])
    assert err.splitlines()[-1] == (
        "gate problem: g0 stayed green on every broken arm. "
        "Raise their limits, or remove them: nothing that we can break makes them red."
    )
    arms = [
        "shuffled ids",
        "reversed order",
        "half of the pool lost",
        "labels of another split",
        "truncated texts",
    ]
    assert found["cells"]["g0"] == {"this run": "green", **dict.fromkeys([*arms, "dropped prefix"], "green")}
    assert found["cells"]["g1"]["this run"] == "green"
    assert "red" in [found["cells"]["g1"][arm] for arm in arms[:4]]
    assert (found["cells"]["b"]["this run"], found["cells"]["b"]["shuffled ids"]) == ("green", "red")
    assert found["skipped"] == {}
    assert vara("gate", "--prove", "--json")[1] == out


def test_prove_is_content_with_gates_that_bite(sandbox: Sandbox, vara: Call) -> None:
    latency = sandbox.root / "lab/metrics/latency.json"
    latency.parent.mkdir(parents=True)
    latency.write_text('{"dense.p50_ms": 2.0, "exact.p50_ms": 8.0}')
    write(
        sandbox,
        {"metric": RR, "floor": figures(sandbox)[RR]},
        {"metric": "dense.p50_ms", "max_ratio": 0.25, "over": "exact.p50_ms"},
    )
    code, out, _ = vara("gate", "--prove")
    assert code == 0
    head, quality, time = out.splitlines()[:3]
    assert head.split()[:3] == ["gate", "this", "run"]
    assert quality.split()[:2] == ["g0", "green"]
    assert time.split() == ["g1", "green", *["–"] * 6, "red"]
    slow = {"metric": "dense.p50_ms", "max_ratio": 9.9, "over": "exact.p50_ms"}  # ten times 2 is 2.5 times 8
    write(sandbox, slow)
    assert vara("gate", "--prove")[0] == 1


def test_a_model_without_a_prefix_cannot_lose_it(sandbox: Sandbox, vara: Call) -> None:
    sandbox.edit("models.yaml", "query: 'ask '", "query: ''")
    sandbox.edit("models.yaml", "passage: 'tell '", "passage: ''")
    code, out, _ = vara("gate", "--prove")
    assert code == 1  # the sandbox's own gate is a floor of 0
    assert out.splitlines()[-1] == "– no arm 'dropped prefix': tiny has none"
    assert "dropped prefix" not in out.splitlines()[0]


def test_two_questions_at_once(sandbox: Sandbox, vara: Call) -> None:
    assert vara("gate", "--prove", "--last")[0] == 2
