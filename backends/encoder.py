"""Texts become unit vectors. The same text gives the same bits, whatever else is encoded beside it.

Which model is meant, and whether its files are the right ones, is the affair of `models`; remembering vectors
is that of `remembered`.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backends.batches import Batch, fill, plan
from backends.devices import effective_device
from backends.models import TOKENIZER, Entry, check_length
from backends.network import Dtype, load_network
from backends.pooling import pool, unit_rows
from backends.tokens import Kind, Tokeniser, TooLong, check_lengths
from vara.errors import Problem
from vara.watch import Silence, Watch

# Tokens a batch, padding included. On a CPU float32 is fastest near 1,024; the shorter types run in batches
# of a fixed shape, where small ones waste least; a GPU wants large ones.
_BUDGET = {"float32": 1024, "bfloat16": 256, "float16": 256}
_BUDGET_GPU = 32_768


class Encoder:
    """One model, ready to encode.

    Attributes:
        dimension: components of a vector.
        max_length: the most tokens of a text that are read.
        device: "cpu" or "cuda".
        batch_invariant: whether a text's vector is the same bits in every batch, so that it may be kept for
            it alone. True on a CPU: float32 by padding each text to its own length, the shorter types by
            batches of a fixed shape besides. Not claimed on a GPU, whose kernels are chosen by shape.
    """

    def __init__(
        self,
        entry: Entry,
        folder: Path,
        *,
        dtype: Dtype = "float32",
        max_length: int | None = None,
        device: str | None = None,
        workers: int = 1,
        budget: int | None = None,
    ) -> None:
        """Load tokenizer and network.

        Args:
            entry: the model's entry in the registry.
            folder: its files, as `models.verify` returned it.
            dtype: what the network computes in; vectors are float32 in any case.
            max_length: tokens, at most the model's own; None: the model's own.
            device: "cpu" or "cuda"; None: what `devices.effective_device` names.
            workers: threads on a CPU, each with one torch thread; changes no bit.
            budget: tokens a batch; changes no bit of a float32 vector on a CPU. None: what is fast.

        Raises:
            Problem: `max_length` is beyond the model's own, or torch cannot use the device.
        """
        self.max_length = entry.max_length if max_length is None else max_length
        check_length(entry, self.max_length)
        self.dimension = entry.dimension
        self.device = _device(device)
        self.batch_invariant = self.device == "cpu"
        self._entry = entry
        self._fixed = self.device == "cpu" and dtype != "float32"
        self._workers = workers if self.device == "cpu" else 1
        self._budget = budget or (_BUDGET[dtype] if self.device == "cpu" else _BUDGET_GPU)
        self._tokeniser = Tokeniser(folder / TOKENIZER, entry.prefixes)
        self._network = load_network(folder, dtype=dtype, device=self.device)
        _check_entry(entry, self._network.config)
        self._pad = int(getattr(self._network.config, "pad_token_id", None) or 0)

    def count(self, texts: Sequence[str], *, kind: Kind) -> NDArray[np.int64]:
        """Return int64 (n,): the tokens of each whole text, prefix and special tokens included."""
        return self._tokeniser.count(texts, kind)

    def encode(
        self,
        texts: Sequence[str],
        *,
        kind: Kind,
        too_long: TooLong = "reject",
        names: Sequence[str] | None = None,
        watch: Watch | None = None,
    ) -> NDArray[np.float32]:
        """Encode texts.

        Args:
            texts: n texts.
            kind: "query" or "passage": which prefix the model expects.
            too_long: what becomes of a text beyond `max_length` tokens: "reject" or "truncate".
            names: n names of the texts for messages ("document 7"); None: "text 0", "text 1", …
            watch: is told how many texts are done.

        Returns:
            float32 (n, dimension), rows of length 1, row i belongs to texts[i].

        Raises:
            Problem: texts are too long, or vectors come out zero or not finite; both name the texts.
        """
        names = [f"text {number}" for number in range(len(texts))] if names is None else names
        rows, counts = self._tokeniser.rows(texts, kind, self.max_length)
        check_lengths(counts, names, limit=self.max_length, too_long=too_long)
        lengths = [len(row) for row in rows]
        batches = plan(lengths, limit=self.max_length, budget=self._budget, fixed=self._fixed)
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        done, watch = 0, watch or Silence()
        threads = ThreadPoolExecutor(self._workers, initializer=_one_thread)
        try:
            running = {threads.submit(self._vectors, batch, rows): batch for batch in batches}
            for finished in as_completed(running):
                texts_of_batch = list(running[finished].texts)
                vectors[texts_of_batch] = finished.result()
                done += len(texts_of_batch)
                watch.progress(done, len(texts), "texts")
        finally:
            threads.shutdown(cancel_futures=True)  # an interrupt waits for the batches in work, not for all
        return unit_rows(vectors, names, subject="embeddings")

    def _vectors(self, batch: Batch, rows: Sequence[NDArray[np.int64]]) -> NDArray[np.float32]:
        import torch

        ids, mask = (torch.from_numpy(part).to(self.device) for part in fill(batch, rows, self._pad))
        with torch.inference_mode():
            hidden = self._network(input_ids=ids, attention_mask=mask).last_hidden_state
            pooled = pool(hidden, mask, self._entry.pooling)
        vectors: NDArray[np.float32] = pooled[: len(batch.texts)].cpu().numpy()
        return vectors


def _check_entry(entry: Entry, config: Any) -> None:
    """Refuse an entry of models.yaml that says something else than the model's own config.json.

    Raises:
        Problem: another dimension, or a limit beyond the positions that the model knows.
    """
    dimension = getattr(config, "hidden_size", entry.dimension)
    positions = getattr(config, "max_position_embeddings", entry.max_length)
    remedy = "Write what config.json says."
    if entry.dimension != dimension:
        raise Problem("models.yaml", f"dimension {entry.dimension}", expected=str(dimension), remedy=remedy)
    if entry.max_length > positions:
        raise Problem(
            "models.yaml", f"max_length {entry.max_length}", expected=f"at most {positions}", remedy=remedy
        )


def _one_thread() -> None:
    # Two torch threads give other bits than one, and stall at barriers on a busy machine.
    import torch

    torch.set_num_threads(1)


def _device(asked: str | None) -> str:
    import torch

    device = asked or effective_device().partition(":")[0]
    if device == "cuda" and not torch.cuda.is_available():
        raise Problem(
            "device",
            "an NVIDIA GPU that torch cannot use",
            expected="a driver that fits this torch",
            remedy="Update the driver, or set CUDA_VISIBLE_DEVICES= (empty) to compute on the CPU.",
        )
    return device
