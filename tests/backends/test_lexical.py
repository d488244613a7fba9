"""BM25 against a hand-computed example, and the same bits whatever the order of sets."""

from __future__ import annotations

import math
import os
import subprocess
import sys

import numpy as np
import pytest

from backends.lexical import BM25, found, tokens
from tests.conftest import ROOT

TEXTS = ["red red apple", "green apple", "", "a blue whale sings"]
# Lengths 3, 2, 0, 4: the mean is 9/4 = 2.25.


def test_a_score_computed_by_hand() -> None:
    # red: df 1 of N 4: idf ln(1 + 3.5/1.5) = ln(10/3); tf 2; apple: df 2: idf ln(1 + 2.5/2.5) = ln 2; tf 1
    # length of d0 is 3: k1·(1 - b + b·3/2.25) = 1.2·(0.25 + 1.0) = 1.5; d1: 1.2·(0.25 + 0.75·2/2.25) = 1.1
    d0 = math.log(10 / 3) * 2 / (2 + 1.5) + math.log(2) * 1 / (1 + 1.5)
    d1 = math.log(2) * 1 / (1 + 1.1)
    scores = BM25(TEXTS).scores("Red apple?")
    assert scores.dtype == np.float32
    np.testing.assert_array_equal(scores, np.array([d0, d1, 0, 0], dtype=np.float32))
    assert found(scores).tolist() == [True, True, False, False]


def test_scores_are_summed_in_double_precision_and_rounded_once() -> None:
    rng = np.random.default_rng(0)
    texts = [" ".join(f"w{word}" for word in rng.zipf(1.5, size=rng.integers(1, 60)) % 50) for _ in range(80)]
    query = [f"w{word}" for word in range(0, 50, 3)]
    rows = [text.split() for text in texts]
    mean = sum(map(len, rows)) / len(rows)
    expected = []
    for row in rows:
        score = 0.0
        for term in query:
            df = sum(term in other for other in rows)
            tf = row.count(term)
            if tf:
                idf = math.log(1 + (80 - df + 0.5) / (df + 0.5))
                score += idf * (tf / (1.2 * (0.25 + 0.75 * len(row) / mean) + tf))
        expected.append(score)
    np.testing.assert_array_equal(BM25(texts).scores(" ".join(query)), np.array(expected).astype(np.float32))


def test_a_repeated_term_counts_as_often_as_it_stands() -> None:
    index = BM25(TEXTS)
    np.testing.assert_allclose(index.scores("red red"), 2 * index.scores("red"), rtol=1e-7)


@pytest.mark.parametrize("query", ["", "   ", "unknown words", "?!"])
def test_a_query_without_known_terms_finds_nothing(query: str) -> None:
    assert BM25(TEXTS).scores(query).tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize("texts", [[], [""], ["", "?"]])
def test_a_corpus_without_terms_is_no_error(texts: list[str]) -> None:
    assert BM25(texts).scores("red").tolist() == [0.0] * len(texts)


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("The user's PK-03_x", ["the", "user", "s", "pk", "03", "x"]),
        ("Ｆｕｌｌ ﬁle", ["full", "file"]),  # noqa: RUF001 - NFKC is what is tested
        ("cafe\u0301 café", ["café", "café"]),
        ("ÉCOLE Straße", ["école", "straße"]),
        ("用户abc登录", ["用", "户", "abc", "登", "录"]),
    ],
)
def test_terms(text: str, terms: list[str]) -> None:
    assert tokens(text) == terms


def test_the_same_bits_under_two_hash_seeds() -> None:
    code = (
        "import random, hashlib; from backends.lexical import BM25\n"
        "rng = random.Random(1); words = [f'w{i}' for i in range(300)]\n"
        "index = BM25([' '.join(rng.choices(words, k=40)) for _ in range(200)])\n"
        "print(hashlib.sha256(b''.join(index.scores(' '.join(rng.choices(words, k=9))).tobytes() for _ in range(50))).hexdigest())"
    )
    seen = {
        subprocess.run(
            [sys.executable, "-c", code],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(seen) == 1


def test_nothing_is_printed(capfd: pytest.CaptureFixture[str]) -> None:
    BM25(TEXTS).scores("red")
    assert capfd.readouterr() == ("", "")
