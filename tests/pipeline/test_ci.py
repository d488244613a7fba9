"""The recipe for CI: every command that it runs is there, with its options; and no text of a request becomes code."""

from __future__ import annotations

import os
import re
import shlex
import stat
import subprocess
from collections.abc import Iterator
from itertools import dropwhile, takewhile
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml

from cli.main import app
from tests.conftest import ROOT
from tests.workspace import Sandbox, make_sandbox

WORKFLOW = ROOT / ".github/workflows/vara.yml"
GUIDE = ROOT / "docs/guides/ci.md"
SHELL = {"echo", "cat", "awk", "export", "git", "gh", "tail"}
"""Programs that every runner has."""
GRAMMAR = {"{", "}", "if", "then", "else", "fi"}
VERBS = set(re.findall(r"^([a-z]+):.*## ", (ROOT / "Makefile").read_text(), re.MULTILINE))
STAGES = set(yaml.safe_load((ROOT / "dvc.yaml").read_text())["stages"])

Tree = dict[str, Any]


def workflow() -> Tree:
    tree: Tree = yaml.safe_load(WORKFLOW.read_text(encoding="utf-8"))
    return tree


def jobs() -> dict[str, Tree]:
    found: dict[str, Tree] = workflow()["jobs"]
    return found


def steps() -> list[Tree]:
    return [step for job in jobs().values() for step in job["steps"]]


def gitlab() -> Tree:
    (text,) = re.findall(r"```yaml\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    tree: Tree = yaml.safe_load(text)
    return tree


def scripts() -> dict[str, str]:
    """Return every script of both recipes, and the commands that the guide begins with."""
    job = gitlab()["vara"]
    guide = re.findall(r"^    ((?:make|dvc|vara) [^#\n]*)", GUIDE.read_text(encoding="utf-8"), re.MULTILINE)
    return {
        **{f"github {n}": step["run"] for n, step in enumerate(steps()) if "run" in step},
        **{f"gitlab {n}": one for n, one in enumerate([*job["script"], *job["after_script"]])},
        "guide": "\n".join(guide),
    }


def commands(script: str) -> Iterator[list[str]]:
    """Yield the words of each simple command of a script, without redirections and what is only grammar."""
    inside = r"\$\(((?:[^()']|'[^']*')*)\)"
    lexer = shlex.shlex(re.sub(rf"\w+={inside}", "", script), posix=True, punctuation_chars=";&|<>\n")
    lexer.whitespace, lexer.whitespace_split = " \t\r", True
    words: list[str] = []
    for token in (*lexer, "\n"):
        if not set(token) <= set(";&|\n"):
            words.append(token)
            continue
        told = list(
            dropwhile(GRAMMAR.__contains__, takewhile(lambda word: not set(word) <= set("<>"), words))
        )
        if told and told[0] != "[":
            yield told
        words = []
    for one in re.findall(inside, script):
        yield from commands(one)


def check_vara(words: list[str]) -> None:
    """Follow a command line through the commands of `vara`, and let it be parsed without being run."""
    command: Any = typer.main.get_command(app)
    while isinstance(command, typer.core.TyperGroup):
        name, *words = words
        assert name in command.commands, f"vara has no command {name}"
        command = command.commands[name]
    command.make_context(command.name, words)


def test_the_reader_of_scripts_finds_commands() -> None:
    script = 'if [ -n "$A" ]; then\n  vara show "q 1" > "$B"; { echo x; awk "y z" f; } > g\nfi\nlast=$(gh api | tail -n 1)\n'
    assert list(commands(script)) == [
        ["vara", "show", "q 1"], ["echo", "x"], ["awk", "y z", "f"], ["gh", "api"], ["tail", "-n", "1"],
    ]  # fmt: skip


@pytest.mark.parametrize("name", scripts())
def test_every_command_exists(name: str) -> None:
    found = list(commands(scripts()[name]))
    assert found
    for called, *words in found:
        program = called.removeprefix(".venv/bin/")
        if program == "make":
            assert set(words) <= VERBS
        elif program == "vara":
            check_vara(words)
        elif program == "dvc":
            assert words[0] == "repro"
            assert set(words[1:]) <= STAGES
        else:
            assert program in SHELL


@pytest.mark.parametrize(
    "words", ["shoe", "store gone", "compare . . --mark-down", "gate --first", "compare ."]
)
def test_a_command_that_is_not_there_is_noticed(words: str) -> None:
    with pytest.raises((AssertionError, typer.TyperException)):
        check_vara(words.split())


def test_what_the_issue_asks_for_is_run() -> None:
    run = [" ".join(words) for script in scripts().values() for words in commands(script)]
    for wanted in ("make test", "dvc repro", "vara compare origin/$BASE . --markdown", "vara gate --last"):
        assert wanted in run


def test_no_text_of_a_request_becomes_code() -> None:
    """Expressions reach scripts through the environment alone: a branch called `$(…)` stays a name."""
    assert not [step["run"] for step in steps() if "${{" in step.get("run", "")]
    assert not [step for step in steps() if "script" in step.get("with", {})]
    text = WORKFLOW.read_text(encoding="utf-8")
    assert not re.findall(
        r"github\.(?:head_ref|event\.pull_request\.(?:title|body|head\.ref|head\.label))", text
    )
    for name in ("BASE", "NUMBER", "last"):
        uses = [line for step in steps() for line in step.get("run", "").splitlines() if f"${name}" in line]
        assert uses
        assert all(re.search(rf'"[^"]*\${name}\b[^"]*"', line) for line in uses), f"${name} is not quoted"


def test_rights_are_the_least() -> None:
    tree = workflow()
    assert set(tree[True]) == {"pull_request", "push"}  # YAML 1.1 takes the key `on` for true
    assert tree["permissions"] == {"contents": "read"}
    assert "secrets." not in WORKFLOW.read_text(encoding="utf-8")
    writing = {name: job for name, job in jobs().items() if "permissions" in job}
    assert {name: job["permissions"] for name, job in writing.items()} == {
        "comment": {"pull-requests": "write"}
    }
    for job in writing.values():  # it runs nothing of the repository, and not for a fork
        assert "head.repo.full_name == github.repository" in job["if"]
        assert [step["uses"] for step in job["steps"] if "uses" in step] == ["actions/download-artifact@v4"]
        for step in job["steps"]:
            assert not {words[0] for words in commands(step.get("run", ""))} & {"make", "vara", "dvc", "git"}
    (checkout,) = (step for step in steps() if step.get("uses", "").startswith("actions/checkout@"))
    assert checkout["with"] == {"fetch-depth": 0, "persist-credentials": False}


def test_actions_are_githubs_own_by_version() -> None:
    used = [step["uses"] for step in steps() if "uses" in step]
    assert all(re.fullmatch(r"actions/[a-z/-]+@v\d+", one) for one in used)


def test_the_store_is_cached_by_the_lock_file() -> None:
    restore, save = (step["with"] for step in steps() if step.get("uses", "").startswith("actions/cache/"))
    assert restore["path"] == save["path"] == ".vara"
    assert restore["key"] == save["key"]
    assert "hashFiles('requirements.lock')" in restore["key"]
    prefixes = restore["restore-keys"].split("\n")[:-1]
    assert all(restore["key"].startswith(prefix) for prefix in prefixes)
    (python,) = (step["with"] for step in steps() if step.get("uses", "").startswith("actions/setup-python@"))
    assert (python["cache"], python["cache-dependency-path"]) == ("pip", "requirements.lock")
    kept = (ROOT / ".gitignore").read_text().splitlines()
    assert ".vara/" in kept


STUB = """#!/usr/bin/env bash
printf '%s\\n' "$*" >> "$CALLS"
for word in "$@"; do [[ $word == body=@* ]] && cp "${word#body=@}" "$CALLS.body"; done
[[ $* == *--paginate* ]] && printf '%s' "$FOUND" || true
"""
"""Stands for GitHub's `gh`: notes what it is called with, and finds the comments that it is told to."""


@pytest.mark.parametrize(
    ("found", "call"),
    [
        ("", "api --silent --method POST repos/me/mine/issues/7/comments --field body=@comment.md"),
        ("11\n12\n", "api --silent --method PATCH repos/me/mine/issues/comments/12 --field body=@comment.md"),
    ],
)
def test_there_is_one_comment(tmp_path: Path, found: str, call: str) -> None:
    (script,) = (step["run"] for step in jobs()["comment"]["steps"] if "run" in step)
    stub = tmp_path / "gh"
    stub.write_text(STUB)
    stub.chmod(stub.stat().st_mode | stat.S_IXUSR)
    (tmp_path / "comparison.md").write_text("# A | B – `x`\n" + "line\n" * 20_000)
    env = {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}", "CALLS": str(tmp_path / "calls"), "FOUND": found, "GITHUB_REPOSITORY": "me/mine", "NUMBER": "7"}  # fmt: skip
    subprocess.run(["bash", "-eo", "pipefail", "-c", script], cwd=tmp_path, env=env, check=True)
    asked, written = (tmp_path / "calls").read_text().rstrip().rsplit("\n", 1)
    assert asked.startswith("api --paginate repos/me/mine/issues/7/comments --jq .[]")
    assert written == call
    body = (tmp_path / "calls.body").read_text()
    assert body.startswith("<!-- vara compare -->\n# A | B – `x`\nline\n")
    assert 59_000 < len(body) < 65_536  # what GitHub takes


def steps_run(sandbox: Sandbox, summary: Path) -> dict[str, int]:
    """Run the measuring job's scripts in a workspace, but for its environment and tests; {step: exit code}, to the first failure."""
    codes = {}
    env = {"BASE": "main", "GITHUB_STEP_SUMMARY": str(summary)}
    for step in jobs()["measure"]["steps"]:
        script = step.get("run", "")
        if not script or "make " in script or (any(codes.values()) and "cancelled" not in step.get("if", "")):
            continue
        # `vara` on PATH is this repository's; in the sandbox its own code runs
        script = re.sub(r"^vara ", "python -m cli.main ", script, flags=re.MULTILINE)
        codes[step["name"]] = sandbox.run(
            "bash", "-eo", "pipefail", "-c", script, env=env, check=False
        ).returncode
    return codes


@pytest.mark.slow
def test_the_recipe_runs(tmp_path: Path) -> None:
    """A pull request on top of its base; then one whose gate is red: what moved is said all the same."""
    sandbox, summary = make_sandbox(tmp_path / "work space", dvc=True), tmp_path / "summary"
    sandbox.run("dvc", "repro")
    sandbox.commit()
    sandbox.run("git", "update-ref", "refs/remotes/origin/main", "HEAD")
    sandbox.edit("params.yaml", "weight: 0.6", "weight: 0.5")
    codes = steps_run(sandbox, summary)
    assert list(codes) == ["Pipeline", "Compare with the base", "Judge", "Verdict", "Drop from the store what this revision does not use"]  # fmt: skip
    assert not any(codes.values())
    said = (sandbox.root / "comparison.md").read_text(encoding="utf-8")
    assert said == summary.read_text(encoding="utf-8")
    assert said.startswith("# `origin/main` against `.`\n")
    assert "* Test values of 2 settings were computed on these labels" in said
    assert "| never_shown@4 |" in said
    sandbox.edit("gates.yaml", "floor: 0.0", "floor: 1.0")
    sandbox.edit("params.yaml", "weight: 0.5", "weight: 0.4")
    codes = steps_run(sandbox, summary)
    assert (codes["Compare with the base"], codes["Judge"], codes["Verdict"]) == (0, 255, 1)
    assert "3 settings" in summary.read_text(encoding="utf-8")
