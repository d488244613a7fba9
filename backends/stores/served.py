"""Collections on a server that are visible whole or not at all, whoever else builds the same one.

A collection is filled under a name of its own, checked, and only then given its alias, in one operation. Its own
name says who builds it and since when. So what a killed builder left behind can be told from what another machine
is building: builders that share a folder take turns, and all that carries the sign of that folder is left over.
"""

from __future__ import annotations

import platform
import time
import uuid
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from backends.stores.protocol import Info
from backends.stores.retries import Absent, Refused, Unreachable
from backends.stores.server import ServerStore
from backends.stores.shelf import alone
from vara.artifacts.canonical import digest
from vara.errors import Problem
from vara.watch import Watch

_DAY_S = 86_400  # nobody builds one collection for longer
_ROUNDS = 3


@dataclass(frozen=True)
class Served:
    """A collection that many may want, and build, at the same time.

    Attributes:
        store: the server.
        alias: the collection's name for everybody.
        is_whole: whether what is there is what is wanted.
        fill: makes a collection of the given name, and checks it.
        watch: is told what happens.
    """

    store: ServerStore
    alias: str
    is_whole: Callable[[Info], bool]
    fill: Callable[[str], object]
    watch: Watch

    def ready(self, root: Path) -> Info:
        """Return what the server says of the collection, after building it where it is missing or not whole.

        Args:
            root: a folder that the builders of this machine share; they take turns there.

        Raises:
            Problem: it could not be made, or others removed it again and again.
        """
        with alone(root, self.alias) as lock:
            for _ in range(_ROUNDS):
                with suppress(Absent):  # another builder was first, and took ours for a leftover
                    info = self._look() or self._build(_sign(lock))
                    if info is not None:
                        return info
        found = f"{self.alias} was removed {_ROUNDS} times while it was built"
        raise Problem("collection", found, remedy="See who else clears this server, and run the stage again.")

    def _look(self) -> Info | None:
        """Return what the alias means, if that is whole; a collection that was changed since is not."""
        if self.store.meaning(self.alias) is None:
            return None
        try:
            info = self.store.info(self.alias)
        except (Unreachable, Refused):
            raise
        except Problem:  # gone in this moment, or without a recipe
            return None
        return info if self.is_whole(info) else None

    def _build(self, sign: str) -> Info | None:
        self._sweep(sign)
        own = f"{self.alias}-{sign}-{int(time.time()):x}-{uuid.uuid4().hex[:6]}"
        self.watch.note(f"building collection {own}")
        try:
            self.fill(own)
            theirs, before = self._look(), self.store.meaning(self.alias)
            if theirs is None:
                self.store.switch(self.alias, own)
        except Unreachable:
            raise  # nothing more can be sent; the next builder sweeps
        except BaseException:
            with suppress(Problem):
                self.store.drop(own)
            raise
        if theirs is not None:  # another machine was first
            self.store.drop(own)
            return theirs
        self._tidy(own, before)
        return self._look()

    def _tidy(self, own: str, before: str | None) -> None:
        """Remove what had the alias before; ours where another machine switched in the same moment."""
        if before is not None:
            self.store.drop(before)
        if self.store.meaning(self.alias) not in (own, None):
            self.store.drop(own)

    def _sweep(self, sign: str) -> None:
        """Remove what builders left behind: all with our sign, since it is our turn, and all that is a day old."""
        used = self.store.meaning(self.alias)
        for name in self.store.names():
            head, *parts = name.rsplit("-", 3)
            if head != self.alias or name == used or len(parts) != 3:
                continue
            with suppress(ValueError):  # no date: not a name of ours
                if parts[0] == sign or time.time() - int(parts[1], 16) > _DAY_S:
                    self.store.drop(name)
                    self.watch.note(f"removed {name}, which a builder had left behind")


def _sign(lock: Path) -> str:
    """Return the sign of whoever holds this lock file: another machine or folder has another."""
    stat = lock.stat()
    return digest([platform.node(), str(lock.resolve()), stat.st_dev, stat.st_ino])[:8]
