"""The one way this product says that something is wrong. No other module composes such a message."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence


class Problem(Exception):  # noqa: N818 - the message reads "… problem: …", and so does the class
    """A mistake in the input or the configuration; the command ends with exit code 2 and no traceback.

    Args:
        subject: what is wrong, as the user knows it ("params.yaml", "corpus.jsonl").
        found: what was there.
        expected: what should have been there; left out where `found` says it all.
        where: file and line, query or row.
        remedy: what to do, as a whole sentence.
    """

    exit_code = 2

    def __init__(self, subject: str, found: str, *, expected: str = "", where: str = "", remedy: str) -> None:
        super().__init__(subject, found, expected, where, remedy)
        self.subject, self.found, self.expected, self.where, self.remedy = (
            subject,
            found,
            expected,
            where,
            remedy,
        )

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle by facts, so that a worker process can raise it in its parent."""
        return (_rebuild, (type(self), *self.args))

    def __str__(self) -> str:
        """Return "*subject* problem: *found*, expected … (*where*). *remedy*"."""
        expected = f", expected {self.expected}" if self.expected else ""
        where = f" ({self.where})" if self.where else ""
        return f"{self.subject} problem: {self.found}{expected}{where}. {self.remedy}"


class Failure(Problem):
    """A hard assertion, gate or comparison that was asked to fail; exit code 1."""

    exit_code = 1


def _rebuild(
    kind: type[Problem], subject: str, found: str, expected: str, where: str, remedy: str
) -> Problem:
    return kind(subject, found, expected=expected, where=where, remedy=remedy)


def examples(items: Sequence[str], limit: int = 3) -> str:
    """Return at most `limit` items, then how many more there are: "a, b, c and 4 more"."""
    shown = ", ".join(items[:limit])
    return shown if len(items) <= limit else f"{shown} and {len(items) - limit} more"


def near_names(name: str, known: Iterable[str], what: str = "names") -> str:
    """Return "Near names: a, b." of what was probably meant, or "Known names: …" where nothing is near."""
    options = list(known)
    near = difflib.get_close_matches(name, options, n=3, cutoff=0.7)
    return f"Near {what}: {', '.join(near)}." if near else f"Known {what}: {examples(options) or 'none'}."


def of_the_machine(error: Exception) -> Problem:
    """Return a trouble of the disk or of permissions (full, not writable, a name too long) as a problem."""
    where = str(getattr(error, "filename", None) or "")
    found = str(getattr(error, "strerror", None) or error)
    return Problem(
        "file", found, where=where, remedy="Make room, or correct the path or its permissions; run it again."
    )
