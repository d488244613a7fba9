"""BM25 over fields: sums by hand, bm25s and an explicit loop as oracles, and the same bits whatever the order of sets."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

import bm25s
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from backends.lexical import occurrences
from backends.lexical.bm25 import BM25, Field, found
from backends.lexical.matrix import Matrix
from backends.lexical.occurrences import Vocabulary, number
from backends.lexical.terms import Terms
from tests.conftest import ROOT
from vara.errors import Problem

PLAIN = Terms("none")
K = {"k1": 1.2, "b": 0.75}
TEXTS = ["red red apple", "green apple", "", "a blue whale sings"]
# Lengths 3, 2, none, 4: N is 3, the mean 9/3 = 3.


def index(*fields: tuple[Field, Sequence[Sequence[str]]], terms: Terms = PLAIN, **changed: Any) -> BM25:
    return BM25(fields, terms=terms, **{**K, **changed})


def over(texts: Sequence[str], **changed: Any) -> BM25:
    return index((Field("text", 1.0), [[text] for text in texts]), **changed)


def scores(bm25: BM25, query: str) -> NDArray[np.float32]:
    return bm25.answer(query).scores


def test_a_score_computed_by_hand() -> None:
    # red: df 1 of N 3: idf ln(1 + 2.5/1.5) = ln(8/3); tf 2; apple: df 2: idf ln(1 + 1.5/2.5) = ln 1.6; tf 1
    # length of d0 is 3: k1·(1 - b + b·3/3) = 1.2; of d1 2: 1.2·(0.25 + 0.75·2/3) = 0.9
    d0 = math.log(8 / 3) * 2 / (2 + 1.2) + math.log(1.6) * 1 / (1 + 1.2)
    d1 = math.log(1.6) * 1 / (1 + 0.9)
    answer = over(TEXTS).answer("Red apple?")
    assert answer.scores.dtype == np.float32
    assert answer.replaced == {}
    np.testing.assert_array_equal(answer.scores, np.array([d0, d1, 0, 0], dtype=np.float32))
    assert found(answer.scores).tolist() == [True, True, False, False]


def test_a_weighted_field_computed_by_hand() -> None:
    title = (Field("title", 3.0), [["red"], [], ["apple"]])
    text = (Field("text", 0.5), [["red pear"], ["pear pear"], []])
    # |d| = 3·1 + 0.5·2 = 4, then 0.5·2 = 1, then 3·1 = 3: the mean is 8/3. k1 2, b 0.5: the norms are
    # 2·(0.5 + 0.5·4·3/8) = 2.5, 2·(0.5 + 0.5·1·3/8) = 1.375, 2·(0.5 + 0.5·3·3/8) = 2.125
    # red: df 1 (both fields of d0 are one document): ln(1 + 2.5/1.5); tf 3 + 0.5 = 3.5
    # pear: df 2: ln(1 + 1.5/2.5); tf 0.5 in d0, 1 in d1
    d0 = math.log(8 / 3) * 3.5 / (3.5 + 2.5) + math.log(1.6) * 0.5 / (0.5 + 2.5)
    d1 = math.log(1.6) * 1 / (1 + 1.375)
    np.testing.assert_array_equal(
        scores(index(title, text, k1=2.0, b=0.5), "red pear"), np.array([d0, d1, 0], dtype=np.float32)
    )


DOCUMENTS = st.lists(
    st.tuples(
        st.lists(st.sampled_from("abcdef"), max_size=4), st.lists(st.sampled_from("abcdef"), max_size=9)
    ),
    min_size=1,
    max_size=12,
)


@given(
    DOCUMENTS, st.lists(st.sampled_from("abcdef"), min_size=1, max_size=4), st.sampled_from([0.3, 1.0, 2.5])
)
@settings(deadline=None)
def test_any_weights_against_an_explicit_sum(
    documents: list[tuple[list[str], list[str]]], query: list[str], weight: float
) -> None:
    found = scores(
        index(
            (Field("title", weight), [[" ".join(title)] for title, _ in documents]),
            (Field("text", 1.0), [[" ".join(text)] for _, text in documents]),
        ),
        " ".join(query),
    )
    filled = [one for one in documents if one[0] or one[1]]
    mean = sum(weight * len(title) + len(text) for title, text in filled) / max(1, len(filled))
    for (title, text), score in zip(documents, found.tolist(), strict=True):
        expected = 0.0
        for term in query:
            tf = weight * title.count(term) + text.count(term)
            df = sum(term in one[0] or term in one[1] for one in documents)
            if tf:
                idf = math.log(1 + (len(filled) - df + 0.5) / (df + 0.5))
                length = weight * len(title) + len(text)
                expected += idf * tf / (tf + 1.2 * (1 - 0.75 + 0.75 * length / mean))
        assert score == pytest.approx(expected, rel=1e-6)


@given(
    st.lists(st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=9), min_size=1, max_size=20),
    st.integers(1, 30),
)
@settings(deadline=None)
def test_weights_of_one_are_bm25s_own_matrix(documents: list[list[str]], block: int) -> None:
    """However many ranges it is built in, and whichever field a term stands in."""
    vocabulary = Vocabulary()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(occurrences, "BLOCK", block)
        halves = [[one[:2] for one in documents], [one[2:] for one in documents]]
        ours = Matrix(vocabulary, [number(half, vocabulary, weight=1.0) for half in halves], **K)
    theirs = bm25s.BM25(method="lucene", dtype="float64", **K)
    ids = [[vocabulary[term] for term in one] for one in documents]
    theirs.index((ids, dict(vocabulary)), create_empty_token=False, show_progress=False)
    for part in ("indices", "indptr"):
        np.testing.assert_array_equal(ours.scores[part], theirs.scores[part])
    np.testing.assert_allclose(ours.scores["data"], theirs.scores["data"], rtol=1e-12, atol=0)


def test_title_and_text_of_weight_one_are_their_concatenation() -> None:
    rows = [("Red apple", "an apple a day"), ("", "red red"), ("Whale", "")]
    split = index(
        (Field("title", 1.0), [[title] for title, _ in rows]),
        (Field("text", 1.0), [[text] for _, text in rows]),
    )
    whole = over([f"{title}\n{text}" for title, text in rows])
    for query in ("red apple", "day whale red"):
        np.testing.assert_array_equal(scores(split, query), scores(whole, query))


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
    np.testing.assert_array_equal(scores(over(texts), " ".join(query)), np.array(expected).astype(np.float32))


def test_documents_without_terms_weigh_nowhere() -> None:
    padded = scores(over([*TEXTS, "", "?", ""]), "red apple")
    np.testing.assert_array_equal(padded[:4], scores(over(TEXTS), "red apple"))
    assert padded[4:].tolist() == [0, 0, 0]


def test_a_repeated_term_counts_as_often_as_it_stands() -> None:
    bm25 = over(TEXTS)
    np.testing.assert_allclose(scores(bm25, "red red"), 2 * scores(bm25, "red"), rtol=1e-7)


@pytest.mark.parametrize("query", ["", "   ", "unknown words", "?!"])
def test_a_query_without_known_terms_finds_nothing(query: str) -> None:
    bm25 = over(TEXTS)
    for _ in range(2):  # asking makes no word known
        assert scores(bm25, query).tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize("texts", [[], [""], ["", "?"]])
def test_a_corpus_without_terms_is_no_error(texts: list[str]) -> None:
    assert scores(over(texts), "red").tolist() == [0.0] * len(texts)


@pytest.mark.parametrize("weight", [0.0, -1.0, math.nan, math.inf])
def test_a_weight_that_is_none_is_a_problem(weight: float) -> None:
    with pytest.raises(Problem) as caught:
        Field("title", weight)
    assert str(caught.value) == (
        f"lexical.fields problem: weight {weight} of title, expected a number above 0. "
        "Leave a field out that shall not count."
    )


def test_the_same_bits_under_two_hash_seeds() -> None:
    code = (
        "import random, hashlib\n"
        "from backends.lexical.bm25 import BM25, Field; from backends.lexical.terms import Terms\n"
        "rng = random.Random(1); words = [f'w{i}' for i in range(300)]\n"
        "values = [[' '.join(rng.choices(words, k=40))] for _ in range(200)]\n"
        "fields = [(Field('title', 0.3), values), (Field('text', 1.1), values[::-1])]\n"
        "index = BM25(fields, terms=Terms('english'), k1=1.2, b=0.75, fallbacks=('typo', 'prefix'))\n"
        "asked = [' '.join(rng.choices([*words, 'wx', 'www'], k=9)) for _ in range(50)]\n"
        "print(hashlib.sha256(b''.join(index.answer(one).scores.tobytes() for one in asked)).hexdigest())"
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
    scores(over(TEXTS), "red")
    assert capfd.readouterr() == ("", "")
