"""The embed stage: documents and queries become unit vectors; a text seen before is not encoded again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from backends.models import fingerprint, load_registry
from tasks.read import read_corpus
from vara.artifacts.canonical import digest
from vara.artifacts.step import Job, Made, Settings, Step
from vara.index.vectors import Embeddings, write_embeddings

SETTINGS = ("dtype", "max_length", "model", "too_long")


def run(job: Job) -> Made:
    """Embed all documents that have a text, and all queries."""
    from backends.remembered import RememberingEncoder

    corpus = read_corpus(job)
    entry = load_registry(job.settings.root / "models.yaml").entry(job.params["embed.model"])
    encoder = RememberingEncoder(entry, job.params, settings=job.settings, items=job.items, watch=job.watch)
    query_ids: list[str] = corpus.queries["query_id"].to_list()
    documents = encoder.encode(corpus.texts, corpus.doc_ids, kind="passage")
    queries = encoder.encode(corpus.queries["text"].to_list(), query_ids, kind="query")
    write_embeddings(Embeddings(corpus.doc_ids, documents, query_ids, queries), job.folder)
    facts = {
        "settings": {
            **{name: job.params[f"embed.{name}"] for name in SETTINGS},
            "model_fingerprint": fingerprint(entry, max_length=job.params["embed.max_length"]),
        },
        "documents": len(documents),
        "queries": len(queries),
        "dimension": documents.shape[1],
        "truncated": encoder.truncated,
        "doc_ids_digest": digest(corpus.doc_ids),
        "query_ids_digest": digest(query_ids),
    }
    return Made(outputs={"embed": facts}, items=encoder.encoded)


def models(params: Mapping[str, Any], settings: Settings) -> dict[str, str]:
    """Return the fingerprint of the model that embeds."""
    entry = load_registry(settings.root / "models.yaml").entry(params["embed.model"])
    return {"embed.model": fingerprint(entry, max_length=params["embed.max_length"])}


STEP = Step(
    name="embed",
    run=run,
    outputs=("embed",),
    reads=("documents", "queries"),
    params=tuple(f"embed.{name}" for name in SETTINGS),
    models=models,
)
