"""An encoder with a memory: a text whose vector is in the per-item cache is not encoded again."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from backends.models import Entry, fingerprint, verify
from backends.tokens import Kind, check_lengths
from vara.artifacts.canonical import digest
from vara.artifacts.code import CODE, closure
from vara.artifacts.items import ItemCache
from vara.artifacts.step import Settings
from vara.watch import Watch

if TYPE_CHECKING:
    from backends.encoder import Encoder

_SLICE = 256
"""Texts that are looked up at once, and encoded before their vectors are kept; an interruption loses at most these."""


class RememberingEncoder:
    """Encodes each text at most once in the life of a store, where the encoder's mode allows it.

    A value in the cache is the text's number of tokens (int32) and its vector (float32), little-endian.

    Attributes:
        encoded: texts that were really encoded.
        truncated: texts longer than the limit, remembered ones included.
    """

    def __init__(
        self, entry: Entry, params: Mapping[str, Any], *, settings: Settings, items: ItemCache, watch: Watch
    ) -> None:
        """Name the model; it is loaded when the first text has to be encoded.

        Args:
            entry: the model.
            params: embed.dtype, embed.max_length and embed.too_long are read.
            settings: workers, platform, and the digest of files.
            items: the cache.
            watch: takes progress.
        """
        self.encoded = 0
        self.truncated = 0
        self._entry, self._params, self._settings = entry, params, settings
        self._items, self._watch = items, watch

    def encode(self, texts: Sequence[str], names: Sequence[str], *, kind: Kind) -> NDArray[np.float32]:
        """Return float32 (n, dim), unit rows in the order of `texts`.

        Args:
            texts: n texts.
            names: n names of the texts, for messages.
            kind: "passage" or "query"; decides the prefix.

        Raises:
            Problem: texts are too long and embed.too_long is reject; at most three are named.
        """
        prefix = self._entry.prefixes.query if kind == "query" else self._entry.prefixes.passage
        keys = [hashlib.sha256((prefix + text).encode()).hexdigest() for text in texts]
        first: dict[str, int] = {}  # a text that occurs twice is encoded once
        twins = np.fromiter((first.setdefault(key, row) for row, key in enumerate(keys)), np.int64, len(keys))
        vectors = np.zeros((len(texts), self._entry.dimension), dtype=np.float32)
        counts = self._recall(keys, vectors)
        missing = np.flatnonzero((counts < 0) & (twins == np.arange(len(keys))))
        if missing.size:
            counts[missing] = self._encoder.count([texts[row] for row in missing.tolist()], kind=kind)
        counts = counts[twins]
        self.truncated += check_lengths(
            counts, names, limit=self._params["embed.max_length"], too_long=self._params["embed.too_long"]
        )
        missing = missing[np.argsort(-counts[missing], kind="stable")]  # texts of one length share batches
        for start in range(0, len(missing), _SLICE):
            rows = missing[start : start + _SLICE].tolist()
            watch = _Offset(self._watch, start, len(missing))
            vectors[rows] = self._encode(
                [texts[row] for row in rows], [names[row] for row in rows], kind, watch
            )
            self._keep({keys[row]: _value(counts[row], vectors[row]) for row in rows})
        again = np.flatnonzero(twins != np.arange(len(keys)))
        vectors[again] = vectors[twins[again]]
        return vectors

    def _recall(self, keys: Sequence[str], vectors: NDArray[np.float32]) -> NDArray[np.int64]:
        """Fill in the vectors that the cache holds and return int64 (n,): tokens of those texts, −1 for the others.

        One slice of the cache is in memory at a time, so that a million known texts cost their vectors once.
        """
        counts = np.full(len(keys), -1, dtype=np.int64)
        for start in range(0, len(keys), _SLICE):
            part = keys[start : start + _SLICE]
            known = self._items.get(self._space, part)
            for row, key in enumerate(part, start):
                if key in known:
                    counts[row], vectors[row] = _count(known[key]), _vector(known[key])
        return counts

    def _encode(
        self, texts: Sequence[str], names: Sequence[str], kind: Kind, watch: Watch
    ) -> NDArray[np.float32]:
        self.encoded += len(texts)
        return self._encoder.encode(texts, kind=kind, too_long="truncate", names=names, watch=watch)

    def _keep(self, values: Mapping[str, bytes]) -> None:
        if self._encoder.batch_invariant:
            self._items.put(self._space, values)

    @cached_property
    def _encoder(self) -> Encoder:
        from backends.encoder import Encoder

        self._watch.note(f"loading {self._entry.source}")
        return Encoder(
            self._entry,
            verify(self._entry, self._settings.digest_of),
            dtype=self._params["embed.dtype"],
            max_length=self._params["embed.max_length"],
            workers=self._settings.workers,
        )

    @cached_property
    def _space(self) -> str:
        """Return what decides a vector beside its text: model, encoder code, libraries, arithmetic, platform."""
        code = closure("backends.remembered", CODE)
        model = fingerprint(self._entry, max_length=self._params["embed.max_length"])
        platform = {**self._settings.platform, **code.labels}
        return digest([model, self._params["embed.dtype"], code.meaning, code.versions, platform])


class _Offset:
    """A watch that sees one slice of the work as a part of the whole."""

    def __init__(self, watch: Watch, before: int, total: int) -> None:
        self._watch, self._before, self._total = watch, before, total

    def note(self, text: str) -> None:
        self._watch.note(text)

    def progress(self, done: int, total: int, unit: str) -> None:  # noqa: ARG002 - the slice's own total
        self._watch.progress(self._before + done, self._total, unit)


def _value(count: int | np.int64, vector: NDArray[np.float32]) -> bytes:
    return int(count).to_bytes(4, "little", signed=True) + bytes(vector.astype("<f4").data)


def _count(value: bytes) -> int:
    return int.from_bytes(value[:4], "little", signed=True)


def _vector(value: bytes) -> NDArray[np.float32]:
    return np.frombuffer(value, dtype="<f4", offset=4)
