"""The encoder with a memory: what was finished before an interruption is not encoded again."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from backends.encoder import Encoder
from backends.models import Entry, verify
from backends.remembered import RememberingEncoder
from tests.backends.tiny import make_tiny_model
from vara.artifacts.canonical import file_digest
from vara.artifacts.items import ItemCache
from vara.artifacts.step import Settings
from vara.errors import Problem
from vara.watch import Silence, Watch

SLICE = 256
PARAMS: dict[str, Any] = {"embed.dtype": "float32", "embed.max_length": 64, "embed.too_long": "reject"}


class Progress:
    """A watch that keeps what it is told, and is interrupted where so many texts are done."""

    def __init__(self, until: int | None = None) -> None:
        self.until = until
        self.states: list[tuple[int, int, str]] = []
        self.notes: list[str] = []

    def note(self, text: str) -> None:
        self.notes.append(text)

    def progress(self, done: int, total: int, unit: str) -> None:
        self.states.append((done, total, unit))
        if self.until is not None and done >= self.until:
            raise KeyboardInterrupt


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Entry:
    return Entry(**make_tiny_model(tmp_path_factory.mktemp("model") / "tiny"))


@pytest.fixture(scope="module")
def texts() -> list[str]:
    """In no order, all different: a slice of texts of 31 to 60 letters, and 44 shorter ones, of 4 to 29."""
    rng = random.Random(5)
    letters = "abcdefghijklmnopqrstuvwxyz"
    long = ["".join(rng.choices(letters, k=31 + number % 30)) for number in range(SLICE)]
    short = ["".join(rng.choices(letters, k=4 + number % 26)) for number in range(44)]
    mixed = [*long, *short]
    rng.shuffle(mixed)
    assert len(set(mixed)) == 300
    return mixed


def remembering(entry: Entry, folder: Path, watch: Watch | None = None, **changes: Any) -> RememberingEncoder:
    settings = Settings(
        root=folder, collections=folder, workers=2, platform={"device": "cpu"}, digest_of=file_digest
    )
    items = ItemCache(folder / "items.db")
    return RememberingEncoder(
        entry, {**PARAMS, **changes}, settings=settings, items=items, watch=watch or Silence()
    )


def encode(encoder: RememberingEncoder, texts: list[str]) -> np.ndarray:
    return encoder.encode(texts, [f"d{number}" for number in range(len(texts))], kind="passage")


def test_what_was_finished_before_an_interrupt_is_kept(tiny: Entry, texts: list[str], tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        encode(remembering(tiny, tmp_path, Progress(until=SLICE + 1)), texts)
    # The first slice are the longest texts; all of them are kept …
    again = remembering(tiny, tmp_path)
    encode(again, [text for text in texts if len(text) > 30])
    assert again.encoded == 0
    # … so that the second run encodes the others alone, and gives what an encoder without a memory gives.
    again = remembering(tiny, tmp_path)
    vectors = encode(again, texts)
    assert again.encoded == 44
    plain = Encoder(tiny, verify(tiny, file_digest), device="cpu").encode(texts, kind="passage")
    assert (vectors == plain).all()


def test_an_interrupt_in_the_first_slice_keeps_nothing(tiny: Entry, texts: list[str], tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        encode(remembering(tiny, tmp_path, Progress(until=SLICE)), texts)
    again = remembering(tiny, tmp_path)
    encode(again, texts)
    assert again.encoded == 300


def test_progress_is_that_of_all_that_is_missing(tiny: Entry, texts: list[str], tmp_path: Path) -> None:
    encode(remembering(tiny, tmp_path), texts[:10])
    watch = Progress()
    encode(remembering(tiny, tmp_path, watch), texts)
    done = [state[0] for state in watch.states]
    assert done == sorted(done)
    assert SLICE in done
    assert watch.states[-1] == (290, 290, "texts")
    assert {state[1:] for state in watch.states} == {(290, "texts")}
    assert watch.notes == [f"loading {tiny.source}"]


def test_nothing_is_loaded_where_nothing_is_missing(tiny: Entry, tmp_path: Path) -> None:
    encode(remembering(tiny, tmp_path), ["abc", "de"])
    watch = Progress()
    again = remembering(tiny, tmp_path, watch)
    encode(again, ["de", "abc"])
    assert (again.encoded, watch.notes, watch.states) == (0, [], [])


def test_a_refused_text_leaves_nothing_and_a_remembered_one_is_still_counted(
    tiny: Entry, tmp_path: Path
) -> None:
    longer = ["ab", "c" * 70]
    with pytest.raises(Problem) as caught:
        encode(remembering(tiny, tmp_path), longer)
    assert str(caught.value) == (
        "text too long problem: d1 has 72 tokens, expected at most 64 (1 of 2 texts). "
        "Shorten or split them, or set embed.too_long: truncate."
    )
    for encoded in (2, 0):
        one = remembering(tiny, tmp_path, **{"embed.too_long": "truncate"})
        encode(one, longer)
        assert (one.encoded, one.truncated) == (encoded, 1)
    with pytest.raises(Problem, match="d1 has 72 tokens"):
        encode(remembering(tiny, tmp_path), longer)


def test_a_text_that_stands_twice_is_encoded_once(tiny: Entry, tmp_path: Path) -> None:
    encoder = remembering(tiny, tmp_path)
    vectors = encode(encoder, ["one text", "another", "one text", "one text"])
    assert encoder.encoded == 2
    assert np.array_equal(vectors[0], vectors[2])
    assert np.array_equal(vectors[0], vectors[3])
    assert not np.array_equal(vectors[0], vectors[1])


def test_one_slice_of_the_memory_is_read_at_a_time(
    tiny: Entry, texts: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = encode(remembering(tiny, tmp_path), texts)
    asked: list[int] = []
    get = ItemCache.get

    def recording(cache: ItemCache, space: str, items: Sequence[str]) -> dict[str, bytes]:
        asked.append(len(items))
        return get(cache, space, items)

    monkeypatch.setattr(ItemCache, "get", recording)
    again = remembering(tiny, tmp_path)
    assert (encode(again, texts) == first).all()
    assert (again.encoded, asked) == (0, [SLICE, 300 - SLICE])
