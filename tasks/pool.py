"""The pool stage: freeze the candidates of each query, and the BM25 baseline beside them."""

from __future__ import annotations

from collections.abc import Iterator

from tasks.read import Corpus, read_corpus
from vara.artifacts.step import Job, Made, Step
from vara.index.candidates import Asked, freeze
from vara.index.exact import score_blocks
from vara.index.frozen import order_digest, write_pool
from vara.index.scope import Scope
from vara.index.vectors import read_embeddings

SETTINGS = ("depth", "exclude_self", "filter", "retriever", "search")


def run(job: Job) -> Made:
    """Rank all visible documents for each query and keep the first `pool.depth`."""
    corpus = read_corpus(job)
    search = None
    if job.params["pool.search"] == "ann":
        from tasks.approximate import searcher

        search = searcher(job, corpus)
    asked = _asked(job, corpus)
    candidates = list(
        freeze(
            asked,
            corpus.doc_ids,
            depth=job.params["pool.depth"],
            retriever=job.params["pool.retriever"],
            approximate=search,
        )
    )
    runs = write_pool(candidates, corpus.doc_ids, job.folder)
    settings = {
        **job.inputs["embed"].facts["settings"],
        **{name: job.params[f"pool.{name}"] for name in SETTINGS},
    }
    facts = {
        "queries": len(candidates),
        "depth": job.params["pool.depth"],
        "retriever": job.params["pool.retriever"],
        "settings": settings,
    }
    digests = {f"{name}_digest": order_digest(ranking) for name, ranking in runs.items()}
    return Made(outputs={"pool": {**facts, **digests}}, bodies={"pool": runs}, items=len(candidates))


def _asked(job: Job, corpus: Corpus) -> Iterator[Asked]:
    from backends.lexical import BM25

    documents, queries = corpus.documents, corpus.queries
    scope = Scope(
        documents["archived"].to_list(),
        documents["audience"].to_list(),
        documents["metadata"].to_list(),
        job.params["pool.filter"],
    )
    bm25 = BM25(corpus.texts)
    vectors = read_embeddings(job.inputs["embed"].folder)
    scores = score_blocks(vectors.documents, vectors.queries)
    rows = queries.select("query_id", "text", "allowed").iter_rows()
    for number, ((query_id, text, allowed), dense) in enumerate(zip(rows, scores, strict=True)):
        visible = scope.visible(allowed)
        if job.params["pool.exclude_self"]:
            visible = visible & (corpus.id_array != query_id)
        job.watch.progress(number + 1, queries.height, "queries")
        yield Asked(query_id, dense, bm25.scores(text), visible)


STEP = Step(
    name="pool",
    run=run,
    outputs=("pool",),
    reads=("documents", "queries", "embed"),
    reads_when={("pool.search", "ann"): ("index",)},
    params=tuple(f"pool.{name}" for name in SETTINGS),
)
