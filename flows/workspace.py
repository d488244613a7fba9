"""Where a run happens: the workspace, its artifact store, and what is read from the environment for both."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from backends.devices import cpu_path, effective_device
from backends.machine import alone, machine_facts
from vara.artifacts.code import CODE
from vara.artifacts.execute import Bench
from vara.artifacts.ledger import LEDGER, Ledger
from vara.artifacts.step import Settings
from vara.artifacts.store import Store
from vara.errors import Problem, examples

MARK = "vara-store"
"""The file that tells an artifact store from any other folder: nothing is ever removed from one without it."""
VERDICTS = "verdicts.sqlite"
"""The file in an artifact store that remembers what language models judged: it cost money, and no gc removes it."""


@dataclass(frozen=True)
class Workspace:
    """A clone of this repository, or DVC's copy of one."""

    root: Path

    @property
    def params_path(self) -> Path:
        """Return the file of all parameters."""
        return self.root / "params.yaml"

    def trial(self, name: str) -> Path:
        """Return the folder of a run with other parameters.

        Raises:
            Problem: the name would lead out of trials/, or hold what is not printed.
        """
        folder = name.removeprefix("trials/").removesuffix("/")
        if not folder.isprintable() or not folder or folder in (".", "..") or Path(folder).name != folder:
            raise Problem(
                "trial",
                f"{name!r} is not a name",
                expected="trials/NAME",
                remedy="Name one folder in trials/.",
            )
        return self.root / "trials" / folder

    def kept_trial(self, name: str) -> Path:
        """Return the folder of a trial that was run.

        Raises:
            Problem: there is none of this name.
        """
        folder = self.trial(name)
        if not (folder / "params.yaml").is_file():
            kept = sorted(path.parent.name for path in folder.parent.glob("*/params.yaml"))
            raise Problem(
                "trial", f"no trials/{folder.name}", remedy=f"Trials: {examples(kept) or 'none yet'}."
            )
        return folder

    @property
    def ledger(self) -> Ledger:
        """Return the ledger of the store; a store that was never used has none, and it counts nothing."""
        return Ledger(store_path(self.root, os.environ) / LEDGER)

    def bench(self) -> Bench:
        """Return the store and the settings that can change no number."""
        store = Store(usable(store_path(self.root, os.environ)))
        settings = Settings(
            root=self.root,
            collections=store.root / "collections",
            workers=workers(os.environ),
            platform=platform_facts(),
            digest_of=store.digest_of,
            clone=dvc_root(self.root, os.environ),
            qdrant={name: value for name, value in os.environ.items() if name.startswith("QDRANT_")},
            machine=machine_facts(os.environ),
            alone=alone,
        )
        return Bench(store, settings)


def find_workspace(start: Path) -> Workspace:
    """Return the workspace that holds `start`: the nearest folder upwards with params.yaml and dvc.yaml.

    Raises:
        Problem: there is none.
    """
    for folder in (start, *start.parents):
        if (folder / "params.yaml").is_file() and (folder / "dvc.yaml").is_file():
            _check_code(folder)
            return Workspace(folder)
    raise Problem(
        "workspace",
        "no params.yaml and dvc.yaml here or above",
        where=str(start),
        remedy="Run the command inside a clone of vara.",
    )


def _check_code(root: Path) -> None:
    """Refuse to run one clone's code on the workspace of another, whose code may give other numbers."""
    if (root / "flows").is_dir() and root.resolve() != CODE:
        raise Problem(
            "workspace",
            f"the code of {CODE} would run here",
            where=str(root),
            remedy="Activate this clone's own .venv (make setup), or run `python -m …` in its root.",
        )


def store_path(root: Path, environment: Mapping[str, str]) -> Path:
    """Return the artifact store: VARA_STORE, else `.vara` in DVC's root."""
    if named := environment.get("VARA_STORE"):
        return Path(named).expanduser().absolute()
    return dvc_root(root, environment) / ".vara"


def dvc_root(root: Path, environment: Mapping[str, str]) -> Path:
    """Return the clone itself: DVC runs queued experiments in a copy without tags, and names the clone in DVC_ROOT."""
    return Path(environment.get("DVC_ROOT") or root)


def usable(path: Path) -> Path:
    """Return the store's folder, made and marked if it was not there.

    Raises:
        Problem: it holds other files, or is no folder that this process writes to.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
        writable = os.access(path, os.W_OK | os.X_OK)
        if not (path / MARK).is_file() and any(path.iterdir()):
            raise Problem(
                "store",
                f"{path} is a folder with other files",
                remedy="Set VARA_STORE to an empty folder, or unset it.",
            )
        (path / MARK).touch()
    except OSError:
        writable = False
    if not writable:
        raise Problem(
            "store",
            f"{path} is no folder that can be written to",
            remedy="Set VARA_STORE to one, or unset it.",
        )
    return path


def workers(environment: Mapping[str, str]) -> int:
    """Return the number of encoder threads: VARA_WORKERS, else the cores this process may use.

    Raises:
        Problem: VARA_WORKERS is no positive integer.
    """
    named = environment.get("VARA_WORKERS", "")
    if not named:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if not named.isdecimal() or int(named) < 1:
        raise Problem(
            "VARA_WORKERS", f"{named!r}", expected="a positive integer", remedy="Set it to a number of cores."
        )
    return int(named)


def platform_facts() -> dict[str, str]:
    """Return what may change the last bit of a float: architecture, CPU path, device, Python's minor version."""
    return {
        "architecture": platform.machine(),
        "cpu": cpu_path(),
        "device": effective_device(),
        "python": ".".join(platform.python_version_tuple()[:2]),
    }
