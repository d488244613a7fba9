"""The encoder: the same bits in any company, the right numbers, and refusals that name the text."""

from __future__ import annotations

import json
import random
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from backends.batches import Batch, plan
from backends.encoder import Encoder
from backends.models import Entry, load_registry, verify
from tests.backends.tiny import make_tiny_model
from tests.conftest import ROOT
from vara.artifacts.canonical import file_digest
from vara.errors import Problem
from vara.watch import Silence

WORDS = [
    "open",
    "the",
    "settings",
    "page",
    "and",
    "choose",
    "a",
    "new",
    "password",
    "label",
    "booking",
    "report",
]


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Entry:
    return Entry(**make_tiny_model(tmp_path_factory.mktemp("model") / "tiny"))


def encoder(entry: Entry, **options: Any) -> Encoder:
    return Encoder(entry, verify(entry, file_digest), device="cpu", **options)


@pytest.fixture(scope="module")
def minilm() -> Entry:
    return load_registry(ROOT / "models.yaml").entry("all-minilm-l6-v2")


@pytest.fixture(scope="module")
def texts() -> list[str]:
    """96 texts of 1 to 96 words, so that many widths have several texts and some have one."""
    rng = random.Random(3)
    return [" ".join(rng.choices(WORDS, k=1 + number)) for number in range(96)]


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_a_text_has_the_same_bits_in_any_company(minilm: Entry, texts: list[str], dtype: Any) -> None:
    one = encoder(minilm, dtype=dtype, workers=1)
    assert one.batch_invariant
    base = one.encode(texts, kind="passage")
    order = np.random.default_rng(0).permutation(96)
    shuffled = [texts[row] for row in order]
    # Another batch size is an option for float32 alone: the shorter types owe their bits to a fixed shape.
    other = encoder(minilm, dtype=dtype, workers=3, budget=100 if dtype == "float32" else None)
    large = encoder(minilm, dtype=dtype, workers=2, budget=50_000 if dtype == "float32" else None)
    assert (other.encode(shuffled, kind="passage") == base[order]).all()
    assert (large.encode(shuffled[:31], kind="passage") == base[order[:31]]).all()
    assert (one.encode([texts[40]], kind="query")[0] == base[40]).all()


def test_vectors_are_those_of_sentence_transformers(minilm: Entry, texts: list[str]) -> None:
    """The oracle shares torch and transformers with us, but neither loading, tokenising, batching nor pooling."""
    from sentence_transformers import SentenceTransformer

    oracle = SentenceTransformer(str(verify(minilm, file_digest)), device="cpu", local_files_only=True)
    longer = [" ".join(WORDS * 40)]
    theirs = oracle.encode(texts[::6] + longer, batch_size=8, show_progress_bar=False)
    ours = encoder(minilm).encode(texts[::6] + longer, kind="passage", too_long="truncate")
    np.testing.assert_allclose(ours, theirs, atol=2e-6)


def test_rows_are_float32_of_length_one(tiny: Entry) -> None:
    for dtype in ("float32", "bfloat16", "float16"):
        vectors = encoder(tiny, dtype=dtype).encode(["a", "bc def", "ghi"], kind="passage")
        assert vectors.dtype == np.float32
        np.testing.assert_allclose(np.linalg.norm(vectors.astype(np.float64), axis=1), 1, atol=1e-7)


def test_no_texts_give_no_rows(tiny: Entry) -> None:
    assert encoder(tiny).encode([], kind="query").shape == (0, 16)


def test_pooling_and_prefix_are_those_of_the_entry(tiny: Entry, tmp_path: Path) -> None:
    first = encoder(Entry(**make_tiny_model(tmp_path / "cls", pooling="cls")))
    assert (first.encode(["abc"], kind="query") != encoder(tiny).encode(["abc"], kind="query")).any()
    prefixed = encoder(tiny.model_copy(update={"prefixes": tiny.prefixes.model_copy(update={"query": "q "})}))
    assert (prefixed.encode(["abc"], kind="query") == encoder(tiny).encode(["q abc"], kind="query")).all()
    assert (prefixed.encode(["abc"], kind="passage") == encoder(tiny).encode(["abc"], kind="passage")).all()
    assert prefixed.count(["abc"], kind="query").tolist() == [6]


def test_a_count_is_of_the_whole_text_with_its_special_tokens(tiny: Entry) -> None:
    # One token a letter, [CLS] and [SEP]; the tokenizer's file asks for truncation at 8 and padding to 8.
    assert encoder(tiny, max_length=16).count(["", "a", "abc de", "x" * 99], kind="query").tolist() == [
        2,
        3,
        7,
        101,
    ]


def test_a_text_beyond_the_limit_is_refused_by_name(tiny: Entry) -> None:
    with pytest.raises(Problem) as caught:
        encoder(tiny, max_length=8).encode(
            ["abcdef", "abcdefg", "a" * 20, "b" * 30, "c" * 40],
            kind="passage",
            names=[f"document d{n}" for n in range(5)],
        )
    assert str(caught.value) == (
        "text too long problem: document d1 has 9 tokens, document d2 has 22 tokens, document d3 has 32 tokens and 1 more, "
        "expected at most 8 (4 of 5 texts). Shorten or split them, or set embed.too_long: truncate."
    )


def test_a_cut_text_keeps_its_first_tokens_and_the_special_ones(tiny: Entry) -> None:
    short = encoder(tiny, max_length=8)
    cut = short.encode(["abcdefghij", "z"], kind="passage", too_long="truncate")
    assert (cut == short.encode(["abcdef", "z"], kind="passage")).all()


def test_a_limit_that_is_no_multiple_of_sixteen_works(tiny: Entry) -> None:
    assert encoder(tiny, max_length=63).encode(["a" * 61], kind="passage").shape == (1, 16)


def test_a_text_is_padded_by_its_own_length_alone() -> None:
    # 16 and 3 tokens go into 16, 17 into 32; 49 would need 64, but the limit is 50.
    assert plan([16, 49, 3, 17, 5], limit=50, budget=32, fixed=False) == [
        Batch(50, 1, (1,)),
        Batch(32, 1, (3,)),
        Batch(16, 2, (0, 2)),
        Batch(16, 1, (4,)),
    ]
    assert plan([16, 3, 5], limit=50, budget=32, fixed=True) == [Batch(16, 2, (0, 1)), Batch(16, 2, (2,))]


def test_a_worker_computes_with_one_torch_thread(tiny: Entry) -> None:
    import torch

    made, seen = encoder(tiny, workers=2), []
    forward = made._network.forward
    made._network.forward = lambda **inputs: (seen.append(torch.get_num_threads()), forward(**inputs))[1]
    torch.set_num_threads(2)
    made.encode(["a", "b" * 20, "c" * 40], kind="passage")
    assert seen == [1, 1, 1]


def test_progress_ends_at_the_number_of_texts(tiny: Entry) -> None:
    class Seen:
        states: list[tuple[int, int, str]] = []  # noqa: RUF012 - one instance

        def note(self, text: str) -> None:
            raise AssertionError(text)

        def progress(self, done: int, total: int, unit: str) -> None:
            self.states.append((done, total, unit))

    seen = Seen()
    encoder(tiny).encode(["a", "b" * 20, "c" * 40], kind="passage", watch=seen)
    assert seen.states[-1] == (3, 3, "texts")
    assert [done for done, _, _ in seen.states] == sorted(done for done, _, _ in seen.states)


class Interrupted(Silence):
    """A watch during whose first progress somebody presses Ctrl-C."""

    def progress(self, done: int, total: int, unit: str) -> None:
        raise KeyboardInterrupt(f"after {done} of {total} {unit}")


@pytest.mark.parametrize("workers", [1, 3])
def test_an_interrupt_waits_for_the_batches_in_work_and_not_for_all(tiny: Entry, workers: int) -> None:
    made, ran = encoder(tiny, workers=workers, budget=16), []
    forward = made._network.forward

    def slowly(**inputs: Any) -> Any:
        ran.append(inputs["input_ids"].shape)
        time.sleep(0.005)
        return forward(**inputs)

    made._network.forward = slowly
    with pytest.raises(KeyboardInterrupt):
        made.encode(
            ["a"] * 600, kind="passage", watch=Interrupted()
        )  # 600 batches of one text, 3 s of one worker
    after = len(ran)
    assert 1 <= after < 300
    time.sleep(0.05)
    assert len(ran) == after  # and nothing goes on behind the caller's back
    ran.clear()
    assert made.encode(["a"] * 3, kind="passage").shape == (3, 16)  # the next one is whole
    assert ran == [(1, 16)] * 3


def test_weights_of_another_architecture_are_refused(tmp_path: Path) -> None:
    entry = make_tiny_model(tmp_path / "tiny")
    config = tmp_path / "tiny/config.json"
    config.write_text(
        json.dumps({**json.loads(config.read_text()), "num_hidden_layers": 1, "intermediate_size": 33})
    )
    entry["files"]["config.json"] = file_digest(config)
    with pytest.raises(
        Problem, match=r"^model weights problem: encoder.layer.1.attention.output.LayerNorm.bias is unknown"
    ):
        encoder(Entry(**entry))


def test_code_that_comes_with_a_model_does_not_run(tmp_path: Path) -> None:
    entry = make_tiny_model(tmp_path / "tiny")
    config = tmp_path / "tiny/config.json"
    (tmp_path / "tiny/evil.py").write_text("raise SystemExit('ran')")
    automatic = {"AutoConfig": "evil.Evil", "AutoModel": "evil.Evil"}
    config.write_text(json.dumps({**json.loads(config.read_text()), "auto_map": automatic}))
    entry["files"]["config.json"] = file_digest(config)
    assert encoder(Entry(**entry)).encode(["a"], kind="query").shape == (1, 16)
    config.write_text(json.dumps({**json.loads(config.read_text()), "model_type": "evil"}))
    entry["files"]["config.json"] = file_digest(config)
    with pytest.raises(Problem, match="unknown architecture 'evil'"):
        encoder(Entry(**entry))
