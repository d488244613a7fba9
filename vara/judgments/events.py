"""Events of User Behavior Insights (OpenSearch UBI), as newline-delimited JSON: who was shown what, and clicked.

Bulk action lines between the records are passed over, as are events other than impressions and clicks. Who searched
(client, session, user) is not read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from vara.datasets.beir import read_objects
from vara.datasets.findings import Findings, refuse
from vara.errors import Problem

_SHOWN, _CLICKED = "impression", "click"


@dataclass(frozen=True, slots=True)
class Impression:
    """A document shown to somebody once.

    Attributes:
        text: what was typed.
        doc_id: the document.
        position: application and rank, as the log counts it (from 0 or from 1).
        clicked: at least once.
    """

    text: str
    doc_id: str
    position: tuple[str, int]
    clicked: bool


@dataclass(slots=True)
class Log:
    """What was read.

    Attributes:
        impressions: one a search and document.
        n_unshown: clicks on what the log never says was shown; they count nowhere, since nobody knows where it stood.
        n_unplaced: impressions without a search, a text, a document or a rank; they count nowhere.
    """

    impressions: list[Impression] = field(default_factory=list)
    n_unshown: int = 0
    n_unplaced: int = 0


def read_events(path: Path) -> Log:
    """Return the impressions of a log.

    **Conventions** An impression is a search (query_id) and a document (object_id); shown or clicked again within the
    search it counts once, at its first rank. The text is the event's user_query, else that of the search's own record.

    Raises:
        Problem: the file cannot be read, a line is no JSON object, or there is no impression.
    """
    findings = Findings()
    shown: dict[tuple[str, str], tuple[str, int]] = {}
    texts: dict[str, str] = {}
    clicked: set[tuple[str, str]] = set()
    log = Log()
    for _, record in read_objects(path, findings, file=path.name):
        search, text, action = (record.get(name) for name in ("query_id", "user_query", "action_name"))
        if isinstance(search, str) and isinstance(text, str):
            texts.setdefault(search, text)
        if action not in (_SHOWN, _CLICKED):
            continue
        doc, rank = _object(record)
        if not isinstance(search, str) or doc is None or (rank is None and action == _SHOWN):
            log.n_unplaced += action == _SHOWN
            log.n_unshown += action == _CLICKED
        elif action == _CLICKED:
            clicked.add((search, doc))
        elif rank is not None:
            shown.setdefault((search, doc), (str(record.get("application", "")), rank))
    refuse(f"events {path.name}", findings.all(), done="Nothing was written")
    for (search, doc), position in shown.items():
        if search in texts:
            log.impressions.append(Impression(texts[search], doc, position, (search, doc) in clicked))
        else:
            log.n_unplaced += 1
    log.n_unshown += len(clicked - shown.keys())
    if not log.impressions:
        remedy = "Log what is shown, with event_attributes.object.object_id and position.ordinal."
        raise Problem(f"events {path.name}", "no impression", remedy=remedy)
    return log


def _object(record: Mapping[str, Any]) -> tuple[str | None, int | None]:
    """Return the document and its rank, as far as the event names them."""
    attributes = _member(record, "event_attributes")
    doc = _member(attributes, "object").get("object_id")
    rank = _member(attributes, "position").get("ordinal")
    whole = isinstance(rank, int) and not isinstance(rank, bool)
    return (doc if isinstance(doc, str) and doc else None), (rank if whole else None)


def _member(value: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    member = value.get(name)
    return member if isinstance(member, dict) else {}
