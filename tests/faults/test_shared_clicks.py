"""Events as UBI's own tools write them: searches of three applications, some of whose clicks were never shown."""

from __future__ import annotations

import json
from pathlib import Path

from flows.judge_clicks import Grading, add_clicks
from vara.judgments.clicks import click_rates, clicked
from vara.judgments.events import read_events


def test_simulated_events(shared: Path, tmp_path: Path) -> None:
    log = read_events(shared / "fixtures/ubi-clicks/ubi_queries_events.ndjson")
    assert (len(log.impressions), sum(one.clicked for one in log.impressions)) == (1932, 164)
    assert (log.n_unshown, log.n_unplaced) == (
        22,
        67,
    )  # others were never shown, or nobody says what was typed
    assert {application for application, _ in (one.position for one in log.impressions)} == {
        "Chorus",
        "esci_ubi_sample",
    }
    rates = click_rates(log.impressions)
    every = clicked([((one.text, one.doc_id), one) for one in log.impressions], rates)
    assert round(sum(one.expected for one in every), 6) == sum(one.clicks for one in every)

    shown = sorted({one.doc_id for one in log.impressions if one.text == "gold"})
    (tmp_path / "corpus.jsonl").write_text("".join(json.dumps({"_id": d, "text": d}) + "\n" for d in shown))
    (tmp_path / "queries.jsonl").write_text('{"_id": "q", "text": "gold", "metadata": {"split": "test"}}\n')
    grading = Grading(thresholds=[1.0, 2.0], fewest=10)
    events = shared / "fixtures/ubi-clicks/ubi_queries_events.ndjson"
    added, lines = add_clicks(events, tmp_path / "qrels.tsv", grading)
    assert {row.source for row in added.merged.labels} == {"click"}
    assert lines[-1] == f"{len(added.merged.labels)} of {len(shown)} pairs were seen often enough"
    first = (tmp_path / "qrels.tsv").read_bytes()
    (tmp_path / "qrels.tsv").unlink()
    (tmp_path / "judgments.csv").unlink()
    add_clicks(events, tmp_path / "qrels.tsv", grading)
    assert (tmp_path / "qrels.tsv").read_bytes() == first
