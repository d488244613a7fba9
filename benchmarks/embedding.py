"""Embedding on a CPU: our encoder beside SentenceTransformer.encode(batch_size=32), same model, texts, threads.

    python benchmarks/embedding.py

Both sides run in one process, in turn, three times; medians are compared. Goal: at least 1.2 times as fast in
float32, with vectors that are the same to a cosine of .9999. Ratios carry over to other machines, seconds do not.
"""

from __future__ import annotations

import os
import random
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

os.environ.setdefault("HF_HUB_OFFLINE", "1")

from backends.devices import cpu_path
from backends.encoder import Encoder
from backends.models import load_registry, verify
from backends.network import Dtype
from vara.artifacts.canonical import file_digest

Encode = Callable[[], NDArray[np.float32]]
ROOT = Path(__file__).resolve().parents[1]
TEXTS, ROUNDS, GOAL, SAME = 200, 3, 1.2, 0.9999
VOCABULARY = (  # noqa: SIM905 - read as text, not as a list
    "open the settings page and choose a new password then type your address again printer label roll head "
    "booking calendar customer report branch owner phone network error message update account invoice payment "
    "card refund cancel change email link sign in out device bridge pocket web app screen button menu if when "
    "before after every only not you we they it this that with without from until there are is was can must"
).split()


def articles() -> list[str]:
    """Return texts of the length of help articles: 20 to 160 words, always the same ones."""
    rng = random.Random(1)  # noqa: S311 - the same texts every time
    return [" ".join(rng.choices(VOCABULARY, k=rng.randint(20, 160))) for _ in range(TEXTS)]


def compare(theirs: Encode, ours: Encode) -> tuple[float, float, float]:
    """Return median seconds of both and the smallest cosine between their rows."""
    seconds: dict[str, list[float]] = {"theirs": [], "ours": []}
    rows: dict[str, NDArray[np.float32]] = {}
    for _ in range(ROUNDS):
        for name, encode in (("theirs", theirs), ("ours", ours)):
            start = time.perf_counter()
            rows[name] = encode()
            seconds[name].append(time.perf_counter() - start)
    unit = {name: one / np.linalg.norm(one, axis=1, keepdims=True) for name, one in rows.items()}
    cosine = float((unit["theirs"] * unit["ours"]).sum(axis=1).min())
    return statistics.median(seconds["theirs"]), statistics.median(seconds["ours"]), cosine


def main() -> None:
    import torch
    from sentence_transformers import SentenceTransformer

    entry = load_registry(ROOT / "models.yaml").entry("all-minilm-l6-v2")
    folder = verify(entry, file_digest)
    texts = articles()
    model = SentenceTransformer(str(folder), device="cpu", local_files_only=True)
    cores = len(os.sched_getaffinity(0))

    def theirs() -> NDArray[np.float32]:
        vectors: NDArray[np.float32] = model.encode(texts, batch_size=32, show_progress_bar=False)
        return vectors

    print(f"{TEXTS} texts of 20 to 160 words, {cpu_path()}, {cores} cores, medians of {ROUNDS}")
    print(f"{'dtype':9} threads  theirs s  ours s  texts/s  ratio  smallest cosine")
    dtypes: tuple[Dtype, ...] = ("float32", "bfloat16")
    for threads in sorted({1, cores}):
        torch.set_num_threads(threads)
        for dtype in dtypes:
            encoder = Encoder(entry, folder, dtype=dtype, device="cpu", workers=threads)
            reference, own, cosine = compare(theirs, lambda one=encoder: one.encode(texts, kind="passage"))  # type: ignore[misc]
            ratio = reference / own
            print(
                f"{dtype:9} {threads:7d} {reference:9.2f} {own:7.2f} {TEXTS / own:8.1f} {ratio:6.2f}  {cosine:.6f}"
                + (
                    f"  goal {GOAL}: {'met' if ratio >= GOAL and cosine >= SAME else 'MISSED'}"
                    if dtype == "float32"
                    else ""
                )
            )


if __name__ == "__main__":
    main()
