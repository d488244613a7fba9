"""The pool stage: freeze the candidates of each query, and the BM25 baseline beside them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import nullcontext

from tasks.approximate import searching
from tasks.read import Corpus, read_corpus
from vara.artifacts.step import Job, Made, Step
from vara.index.candidates import Asked, Candidates, freeze
from vara.index.exact import score_blocks
from vara.index.facets import Only, conditions
from vara.index.frozen import order_digest, write_pool
from vara.index.scope import Scope
from vara.index.vectors import read_embeddings

SETTINGS = ("depth", "exclude_self", "filter", "retriever", "search")


def run(job: Job) -> Made:
    """Rank all visible documents for each query and keep the first `pool.depth`."""
    corpus = read_corpus(job)
    depth, retriever = job.params["pool.depth"], job.params["pool.retriever"]
    with searching(job, corpus) if "index" in job.inputs else nullcontext() as approximate:
        asked = _asked(job, corpus)
        frozen = freeze(asked, corpus.doc_ids, depth=depth, retriever=retriever, approximate=approximate)
        candidates = list(frozen)
    runs = write_pool(candidates, corpus.doc_ids, job.folder)
    facts = {
        "queries": len(candidates),
        "depth": depth,
        "retriever": retriever,
        "settings": {
            **job.inputs["embed"].facts["settings"],
            **{name: job.params[f"pool.{name}"] for name in SETTINGS},
        },
        **{f"{name}_digest": order_digest(ranking) for name, ranking in runs.items()},
    }
    recalled = _recalled(job, candidates)
    return Made(outputs={"pool": facts}, bodies={"pool": {**runs, **recalled}}, items=len(candidates))


def _asked(job: Job, corpus: Corpus) -> Iterator[Asked]:
    from backends.lexical import BM25

    hidden = corpus.documents.select("archived", "audience", "metadata").to_dict(as_series=False)
    scope = Scope(hidden["archived"], hidden["audience"], hidden["metadata"], job.params["pool.filter"])
    # Archived documents are outside search: their words must not weigh in anybody's scores.
    bm25 = BM25(
        [text if not gone else "" for text, gone in zip(corpus.texts, hidden["archived"], strict=True)]
    )
    vectors = read_embeddings(job.inputs["embed"].folder)
    scores = score_blocks(vectors.documents, vectors.queries)
    rows = corpus.queries.select("query_id", "text", "allowed").iter_rows()
    for number, ((query_id, text, allowed), dense) in enumerate(zip(rows, scores, strict=True)):
        visible, without = scope.visible(allowed), frozenset[str]()
        if job.params["pool.exclude_self"]:
            visible, without = visible & (corpus.id_array != query_id), frozenset([query_id])
        only = Only(conditions(allowed, job.params["pool.filter"]), without)
        job.watch.progress(number + 1, corpus.queries.height, "queries")
        yield Asked(query_id, dense, bm25.scores(text), visible, only)


def _recalled(job: Job, candidates: Sequence[Candidates]) -> dict[str, dict[str, tuple[int, int]]]:
    """Return what an approximate search found of the exact pool, as counts a query; nothing after an exact search."""
    counts = {one.query_id: one.recalled for one in candidates if one.recalled is not None}
    if not counts:
        return {}
    found, expected = (sum(column) for column in zip(*counts.values(), strict=True))
    job.watch.note(f"the collection found {found} of the {expected} documents of the exact pools")
    return {"recalled": counts}


STEP = Step(
    name="pool",
    run=run,
    outputs=("pool",),
    reads=("documents", "queries", "embed"),
    reads_when={("pool.search", "ann"): ("index",)},
    spared={"tasks.approximate": ("pool.search", "ann")},
    params=tuple(f"pool.{name}" for name in SETTINGS),
)
