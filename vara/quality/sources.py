"""What each source of labels says by itself: counts, and every measure with the labels of that source alone.

**Conventions**: a label of another source is none here. So R@k divides by the relevant documents that this source
knows, a document that only others judged counts as unjudged, and a query whose relevant documents are all from others
is not evaluated: n_evaluated stands beside the numbers. Values of two sources are comparable only where they judged
the same pairs. Where all labels of a split have one source its measures are those of the split and are not repeated.
"""

from __future__ import annotations

from collections.abc import Mapping

from vara.quality.bootstrap import mean
from vara.quality.figures import NOTHING_RELEVANT, Figures, significant, silence
from vara.quality.judging import Qrels
from vara.quality.split import Runs, Settings, Split, measure_split


def by_source(split: Split, sources: Mapping[str, Qrels], *, runs: Runs, settings: Settings) -> Figures:
    """Yield the flat keys of every source that labels a query of the split, without the split's name.

    Args:
        split: measured with all labels together.
        sources: source → query_id → doc_id → grade; each label stands under one source.
        runs: system → query_id → document ids, best first.
        settings: how; a source with fewer than `min_group` evaluated queries shows no value.
    """
    ids = {query.query_id for query in split.queries}
    counts = {
        name: sum(len(labels) for query_id, labels in qrels.items() if query_id in ids)
        for name, qrels in sorted(sources.items())
    }
    present = [name for name, n in counts.items() if n]
    for name in present:
        yield f"source.{name}.n_labels", counts[name]
        if len(present) > 1:
            alone = measure_split(
                split.name,
                split.queries,
                runs=runs,
                qrels=sources[name],
                measures=split.measures,
                settings=settings,
            )
            yield from ((f"source.{name}.{key}", value) for key, value in _measured(alone, settings))


def _measured(split: Split, settings: Settings) -> Figures:
    n = len(split.evaluated)
    few = n < max(1, settings.min_group)
    yield "n_evaluated", n
    if few:
        yield "reason", f"too few: n={n}" if n else NOTHING_RELEVANT
    for system, table in split.values.items():
        silent = split.silent(system)
        if not few and (reason := silence(split, system)):
            yield f"{system}.reason", reason
        for column in split.shown():
            value = None if few or silent else significant(mean(table[:, column]))
            yield f"{system}.{split.measures[column]}", value
