"""`python -m flows STAGE|pipeline`: run one stage, or all, here or on a Prefect server."""

from __future__ import annotations

import argparse
import json
import os
import sqlite3
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from flows.pipeline import LAB, STEPS
from flows.run import Run, perform, plain, prepare, report
from flows.server import reachable
from flows.terminal import Terminal, log, log_to_stderr
from flows.verdict import refusal
from flows.workspace import find_workspace
from vara import params as parameters
from vara.artifacts.step import Outcome
from vara.errors import Problem, of_the_machine


def main(arguments: list[str] | None = None) -> int:
    """Run a flow and return the exit code: 0, 1 where the gate is red, 2 where input or configuration is wrong."""
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.again and options.stage not in [step.name for step in LAB]:
        parser.error("--again is for measured stages: elsewhere the same input gives the same output")
    log_to_stderr()
    try:
        changes = parameters.read_changes(options.set)
        run = prepare(find_workspace(Path.cwd()), options.stage, changes, options.out)
        run = replace(run, again=options.again)
        outcomes = drive(run)
    except Problem as problem:
        log.error("%s", problem)
        return problem.exit_code
    except (OSError, sqlite3.Error) as error:
        log.error("%s", of_the_machine(error))
        return 2
    except KeyboardInterrupt:
        log.error("Interrupted. What was finished is kept; run the same command again to go on.")
        return 130
    _say(run, outcomes)
    if options.json:
        sys.stdout.write(json.dumps(report(outcomes, run.target), ensure_ascii=False, allow_nan=False) + "\n")
    if failure := refusal(outcomes, run.target):
        log.error("%s", failure)
        return failure.exit_code
    return 0


def drive(run: Run) -> list[Outcome]:
    """Perform the run as a Prefect flow where a server answers, else plainly, and say which."""
    server = reachable(os.environ)
    if server is None:
        return perform(run, plain(run.bench, Terminal()))
    from flows.orchestrated import perform_in_prefect

    return perform_in_prefect(run, server)


def _say(run: Run, outcomes: Sequence[Outcome]) -> None:
    """Log a line for each stage that was asked for or computed, and where the table is."""
    for outcome in outcomes:
        if run.only in (None, outcome.step.name) or outcome.state == "computed":
            log.info("%s", _line(outcome))
    trial = f" --trial {run.target.name}" if run.trial else ""
    if run.only is None:
        log.info("The result table: vara show%s", trial)
    elif run.steps[-1] in LAB:
        log.info("The table: vara show --lab%s", trial)


def _line(outcome: Outcome) -> str:
    words = f"{outcome.step.name:<9} {outcome.state:<8} {outcome.seconds:6.1f} s  {outcome.why}"
    return f"{words} ({outcome.items} items)" if outcome.state == "computed" else words


def _parser() -> argparse.ArgumentParser:
    stages = [step.name for step in STEPS]
    parser = argparse.ArgumentParser(
        prog="python -m flows", description="Run one stage of the pipeline, or all."
    )
    parser.add_argument("stage", choices=[*stages, "pipeline"])
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="another parameter; writes to trials/",
    )
    parser.add_argument("--out", metavar="trials/NAME", help="where to write instead of the workspace")
    parser.add_argument("--again", action="store_true", help="measure anew; only what lab/ holds")
    parser.add_argument("--json", action="store_true", help="end with one line of JSON on stdout")
    return parser


if __name__ == "__main__":
    sys.exit(main())
