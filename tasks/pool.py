"""The pool stage: freeze the candidates of each query, and the BM25 baseline beside them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial

import numpy as np

from tasks.admission import PARAMS as ADMISSION
from tasks.admission import QUERY_COLUMNS, Admission, Query
from tasks.approximate import Engine, searching
from tasks.lexical import PARAMS as LEXICAL
from tasks.lexical import by_fallback, lexical_index
from tasks.read import Corpus, read_corpus
from vara.artifacts.step import Job, Made, Step
from vara.errors import Problem
from vara.index.candidates import Asked, Candidates, freeze
from vara.index.exact import score_blocks
from vara.index.frozen import order_digest, write_pool
from vara.index.retrieval import PARAMS as RETRIEVAL
from vara.index.retrieval import Retrieval, Rows, retrieval_of
from vara.index.titles import Titles
from vara.index.vectors import read_embeddings

PARAMS = (*ADMISSION, *RETRIEVAL, "pool.search", "pool.title_guarantee")


def run(job: Job) -> Made:
    """Rank all visible documents for each query and keep the first `pool.depth`."""
    corpus, retrieval = read_corpus(job), retrieval_of(job.params)
    with _engine(job, corpus, retrieval) as engine:
        if engine is not None:
            job.watch.note(engine.says)
        candidates = list(freeze(_asked(job, corpus, engine), corpus.doc_ids, retrieval))
    tracked = write_pool(candidates, corpus.doc_ids, job.folder)
    facts = {
        "queries": len(candidates),
        "depth": retrieval.kept,
        "settings": {
            **job.inputs["embed"].facts["settings"],
            **{name.removeprefix("pool."): job.params[name] for name in PARAMS},
            **{name: job.params[name] for name in LEXICAL},
        },
        **{f"{name}_digest": order_digest(tracked[name]) for name in ("first_stage", "bm25")},
        **({"ann_depth": retrieval.asked_of("dense")} if "index" in job.inputs else {}),
    }
    for line in _acted(candidates):
        job.watch.note(line)
    return Made(outputs={"pool": facts}, bodies={"pool": tracked}, items=len(candidates))


def _engine(job: Job, corpus: Corpus, retrieval: Retrieval) -> AbstractContextManager[Engine | None]:
    """Return the approximate search where one is asked for.

    Raises:
        Problem: nobody says how many candidates it has to find.
    """
    if "index" not in job.inputs:
        return nullcontext()
    if "dense" in retrieval.lists and retrieval.asked_of("dense") is None:
        found = "no number for the dense list, which an approximate search has to be told"
        raise Problem(
            "pool.cap", found, remedy="Set one, as in pool.cap={dense: 1000}, or pool.search=exact."
        )
    index = job.inputs["index"].facts
    params = {f"index.{name}": index[name] for name in ("engine", "m", "ef_construct")}
    return searching(job, corpus, params, exact=False)


def _asked(job: Job, corpus: Corpus, engine: Engine | None) -> Iterator[Asked]:
    admission, lexical = Admission(corpus, job.params), lexical_index(corpus.documents, job.params)
    titled = _titled(job, corpus)
    vectors = read_embeddings(job.inputs["embed"].folder)
    scores = score_blocks(vectors.documents, vectors.queries)
    rows = corpus.queries.select(QUERY_COLUMNS).iter_rows()
    for number, (row, dense) in enumerate(zip(rows, scores, strict=True)):
        query = Query(*row)
        visible = admission.visible(query)
        words = lexical.answer(query.text, visible)
        job.watch.progress(number + 1, corpus.queries.height, "queries")
        yield Asked(
            query.query_id,
            dense=dense,
            lexical=words.scores,
            visible=visible,
            titled=titled(query.text),
            stood_in=by_fallback(words.replaced),
            approximate=None
            if engine is None
            else partial(engine.find, vectors.queries[number], admission.only(query)),
        )


def _titled(job: Job, corpus: Corpus) -> Callable[[str], Rows]:
    """Return what finds the documents that are guaranteed to a query for their title."""
    if not job.params["pool.title_guarantee"]:
        return lambda _: np.empty(0, dtype=np.int64)
    return Titles(corpus.documents["title"].to_list()).holding


def _acted(candidates: Sequence[Candidates]) -> Iterator[str]:
    """Yield, in counts, what an engine missed and where a guarantee or a fallback acted."""
    recalled = [one.recalled for one in candidates if one.recalled is not None]
    if recalled:
        found, expected = (sum(column) for column in zip(*recalled, strict=True))
        yield f"the collection found {found} of the {expected} documents of the exact ranking"
    behind = [one.pool.size - one.scores.size for one in candidates]
    if any(behind):
        yield f"title guarantee: {sum(behind)} documents behind the ranking of {np.count_nonzero(behind)} queries"
    for kind in ("prefix", "typo"):
        terms = [len(one.stood_in[kind]) for one in candidates if kind in one.stood_in]
        if terms:
            yield f"{kind} fallback: {sum(terms)} unknown terms of {len(terms)} queries"


STEP = Step(
    name="pool",
    run=run,
    outputs=("pool",),
    reads=("documents", "queries", "embed"),
    reads_when={("pool.search", "ann"): ("index",)},
    spared={"tasks.approximate": ("pool.search", "ann")},
    params=(*LEXICAL, *PARAMS),
)
