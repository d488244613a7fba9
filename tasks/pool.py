"""The pool stage: freeze the candidates of each query, and the BM25 baseline beside them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import nullcontext

from tasks.approximate import searching
from tasks.read import Corpus, read_corpus
from vara.artifacts.step import Job, Made, Step
from vara.index.candidates import Asked, Candidates, freeze
from vara.index.exact import score_blocks
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
        **_recalled(job, candidates),
    }
    return Made(outputs={"pool": facts}, bodies={"pool": runs}, items=len(candidates))


def _asked(job: Job, corpus: Corpus) -> Iterator[Asked]:
    from backends.lexical import BM25

    hidden = corpus.documents.select("archived", "audience", "metadata").to_dict(as_series=False)
    scope = Scope(hidden["archived"], hidden["audience"], hidden["metadata"], job.params["pool.filter"])
    bm25 = BM25(corpus.texts)
    vectors = read_embeddings(job.inputs["embed"].folder)
    scores = score_blocks(vectors.documents, vectors.queries)
    rows = corpus.queries.select("query_id", "text", "allowed").iter_rows()
    for number, ((query_id, text, allowed), dense) in enumerate(zip(rows, scores, strict=True)):
        visible = scope.visible(allowed)
        if job.params["pool.exclude_self"]:
            visible = visible & (corpus.id_array != query_id)
        job.watch.progress(number + 1, corpus.queries.height, "queries")
        yield Asked(query_id, dense, bm25.scores(text), visible)


def _recalled(job: Job, candidates: Sequence[Candidates]) -> dict[str, dict[str, int]]:
    """Say what an approximate search found of the exact pool: annR as counts, and in words."""
    counts = [one.recalled for one in candidates if one.recalled is not None]
    if not counts:
        return {}
    found, expected = (sum(column) for column in zip(*counts, strict=True))
    shares = sorted(got / wanted for got, wanted in counts if wanted)
    if shares:
        low = shares[-(-len(shares) // 20) - 1]  # the 5th percentile, as an order statistic
        mean = sum(shares) / len(shares)
        job.watch.note(f"annR@{job.params['pool.depth']} {mean:.4f}, 5th percentile {low:.4f}")
    return {"ann": {"credited": found, "expected": expected}}


STEP = Step(
    name="pool",
    run=run,
    outputs=("pool",),
    reads=("documents", "queries", "embed"),
    reads_when={("pool.search", "ann"): ("index",)},
    spared={"tasks.approximate": ("pool.search", "ann")},
    params=tuple(f"pool.{name}" for name in SETTINGS),
)
