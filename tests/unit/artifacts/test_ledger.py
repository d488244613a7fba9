"""The ledger: each setting counts once on the same labels, whoever enters it, and is never lost silently."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT
from vara.artifacts.ledger import Ledger
from vara.errors import Problem


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger(tmp_path / "new" / "ledger.sqlite")


def test_the_same_setting_counts_once(ledger: Ledger) -> None:
    for setting in ("a", "b", "a"):
        ledger.enter("labels", setting)
    ledger.enter("other labels", "a")
    assert ledger.count("labels") == 2
    assert ledger.count("other labels") == 1
    assert ledger.count("labels of nobody") == 0


def test_it_is_kept(ledger: Ledger) -> None:
    ledger.enter("labels", "a")
    assert Ledger(ledger.path).count("labels") == 1


def test_asking_makes_no_file(ledger: Ledger) -> None:
    assert ledger.count("labels") == 0
    assert not ledger.path.parent.exists()


def test_a_damaged_ledger_is_no_ledger_of_nothing(ledger: Ledger) -> None:
    ledger.enter("labels", "a")
    ledger.path.write_bytes(b"no database, but longer than nothing" * 100)
    for ask in (lambda: ledger.count("labels"), lambda: ledger.enter("labels", "b")):
        with pytest.raises(Problem) as caught:
            ask()
        assert str(caught.value) == (
            f"ledger problem: damaged (file is not a database) ({ledger.path}). "
            "Put a copy of it back; or remove it, and the count begins anew."
        )
    assert ledger.path.read_bytes().startswith(b"no database")


ENTER = """
import sys
from pathlib import Path
from vara.artifacts.ledger import Ledger
for n in range(50):
    Ledger(Path(sys.argv[1])).enter("labels", f"{sys.argv[2]} {n}" if n % 2 else f"shared {n}")
"""


def test_processes_lose_nothing_of_each_other(ledger: Ledger) -> None:
    """Three enter at once: 25 settings that all three have, and 25 of each one's own."""
    command = [sys.executable, "-c", ENTER, str(ledger.path)]
    at_work = [subprocess.Popen([*command, name], cwd=ROOT) for name in "abc"]
    assert [process.wait() for process in at_work] == [0, 0, 0]
    assert ledger.count("labels") == 25 + 3 * 25
