"""Each rule, by the whole line that a person reads. A case changes one file of a sound dataset."""

from __future__ import annotations

import pytest

from tests.unit.datasets.rule_cases_labels import JUDGMENTS, LINKS
from tests.unit.datasets.rule_cases_rows import FILES, IDS, ROWS
from tests.unit.datasets.sound_dataset import SOUND, more
from vara.datasets.lint.rules import LINT
from vara.datasets.rules import HIDING, RULES
from vara.datasets.source_rules import SOURCES

CORPUS, QUERIES, LABELS = "corpus.jsonl", "queries.jsonl", "qrels.tsv"
GROUPS = {"files": FILES, "ids": IDS, "rows": ROWS, "judgments": JUDGMENTS, "links": LINKS}
PARAMS = [
    pytest.param(*case, id=f"{group}-{name}")
    for group, cases in GROUPS.items()
    for name, case in cases.items()
]


def test_a_sound_dataset_has_no_findings(lint):
    assert lint({}) == []


@pytest.mark.parametrize(("changes", "line"), PARAMS)
def test_rule(lint, changes, line):
    found = lint(changes)
    assert found[0] == line
    # What an added query brings along is no fault of the rule; nothing else may follow.
    assert all(other.startswith("notice unanswerable-query") for other in found[1:])


def test_every_rule_has_a_case():
    shown = {line.split()[1] for cases in GROUPS.values() for _, line in cases.values()}
    assert shown == (
        RULES.keys()
        - {"missing-folder"}  # its message holds a path: tests/faults
        - {rule.code for rule in (*LINT, *SOURCES)}  # test_dataset_lint.py, tests/unit/datasets/importing
    )


def test_rules_that_hide_rows_exist():
    assert not HIDING - RULES.keys()


def test_one_unreadable_line_does_not_cause_other_findings(lint):
    """The id of the broken line is labelled: it must not be reported as unknown, too."""
    broken = SOUND[CORPUS].replace('"text": "Printers print."', '"text": ')
    assert [line.split()[1] for line in lint({CORPUS: broken})] == ["bad-json"]


def test_problems_of_all_files_are_reported_at_once(lint):
    changes = {
        **more(CORPUS, '{"_id": 3, "text": "x"}'),
        **more(QUERIES, '{"_id": "q3", "text": ""}'),
        **more(LABELS, "q1\td2\t0.5"),
    }
    assert [line.split()[1] for line in lint(changes)] == [
        "id-not-string",
        "empty-query",
        "bad-relevance",
        "missing-split",
    ]
