"""The door: `vara …`. One module a command; what they do lives in flows/ and vara/."""

from __future__ import annotations

import sqlite3
import sys

import typer

from cli import check, compare, evaluate, export, gate, import_, judge, show, store, why
from flows.terminal import log, log_to_stderr
from vara.errors import Problem, of_the_machine

app = typer.Typer(
    name="vara",
    help="Measure a vector search: what it finds, and whether it still does.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command("check")(check.check)
app.command("evaluate")(evaluate.evaluate)
app.command("import")(import_.import_)
app.command("export")(export.export)
app.command("gate")(gate.gate)
app.command("show")(show.show)
app.command("why")(why.why)
app.command("compare")(compare.compare)
app.add_typer(judge.app, name="judge")
app.add_typer(store.app, name="store")


def main() -> None:
    """Run the command line; a Problem becomes one line on stderr and its exit code."""
    log_to_stderr()
    try:
        app()
    except Problem as problem:
        log.error("%s", problem)
        sys.exit(problem.exit_code)
    except (OSError, sqlite3.Error) as error:
        log.error("%s", of_the_machine(error))
        sys.exit(2)


if __name__ == "__main__":
    main()
