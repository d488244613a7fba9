"""The fallbacks: when they act, on what, in which order, and that nothing forbidden shows."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
import pytest
import rapidfuzz.process

from backends.lexical.bm25 import BM25, Field
from backends.lexical.fallbacks import Fallback, StandIns
from backends.lexical.terms import Terms

TEXTS = [
    "reset the password",
    "a password and a passport",
    "printer printers printing",
    "printer and A52 and A53",
    "rest",
]
BOTH: tuple[Fallback, ...] = ("typo", "prefix")


def over(texts: Sequence[str], on: Collection[Fallback], stem: str = "none") -> BM25:
    values = [[text] for text in texts]
    return BM25([(Field("text", 1.0), values)], terms=Terms(stem), k1=1.2, b=0.75, fallbacks=on)


def replaced(
    query: str,
    on: Collection[Fallback] = BOTH,
    *,
    texts: Sequence[str] = TEXTS,
    visible: Sequence[bool] | None = None,
) -> dict[str, StandIns]:
    seen = None if visible is None else np.array(visible)
    return dict(over(texts, on).answer(query, seen).replaced)


def test_both_are_off_by_default() -> None:
    bm25 = BM25([(Field("text", 1.0), [[text] for text in TEXTS])], terms=Terms("none"), k1=1.2, b=0.75)
    answer = bm25.answer("pasword print")
    assert answer.replaced == {}
    assert not answer.scores.any()


def test_a_misspelt_word_finds_what_it_meant_and_says_so() -> None:
    bm25 = over(TEXTS, ["typo"])
    answer = bm25.answer("reset my pasword")
    assert answer.replaced == {"pasword": StandIns("typo", ("password",))}
    np.testing.assert_array_equal(answer.scores, bm25.answer("reset password").scores)


@pytest.mark.parametrize(
    ("term", "words", "expected"),
    [
        ("hpo", ["hop"], ("hop",)),  # two letters exchanged are one edit
        ("hxpx", ["hops"], None),  # two edits in four characters
        ("hxpxy", ["hopsy"], None),  # and in five
        ("hxpxyz", ["hopsyz"], ("hopsyz",)),  # in six they may be
        ("hxpxyq", ["hopsyz"], None),  # three never
        ("ho", ["hop"], None),  # below three characters nothing
        ("a5", ["a52"], None),
        ("a54", ["a52"], None),  # two products
        ("h0use", ["house"], None),
        ("hopp", ["hop1"], None),  # nor is a name what a word meant
        ("hop", ["hop/2"], None),
    ],
)
def test_how_far_a_typo_goes(term: str, words: list[str], expected: tuple[str, ...] | None) -> None:
    found = replaced(term, ["typo"], texts=words)
    assert found == ({} if expected is None else {term: StandIns("typo", expected)})


@pytest.mark.parametrize(
    ("term", "expected"),
    [
        ("prin", ("printer", "printers", "printing")),
        ("pr", None),
        ("a5", None),
        ("print", ("printer", "printers", "printing")),
    ],
)
def test_the_beginning_of_a_word(term: str, expected: tuple[str, ...] | None) -> None:
    found = replaced(term, ["prefix"])  # printer stands in two documents
    assert found == ({} if expected is None else {term: StandIns("prefix", expected)})


def test_a_name_may_be_completed() -> None:
    assert replaced("sm525", ["prefix"], texts=["SM525F"]) == {"sm525": StandIns("prefix", ("sm525f",))}


def test_the_order_is_edits_then_documents_then_bytes_and_five_at_most() -> None:
    texts = ["hopsan", "hopsam hopsat hopsal", "hopsat", "hopsax hopsay", "hopxxs hopsas"]
    # hopsaz: one edit: hopsat in 2 documents; hopsal, hopsam, hopsan, hopsas, hopsax, hopsay in 1; two edits: none
    assert replaced("hopsaz", ["typo"], texts=texts)["hopsaz"].terms == (
        *("hopsat", "hopsal", "hopsam", "hopsan", "hopsas"),
    )
    texts = ["hopsxx", "hopsxx", "hopsaa"]
    # hopsab: hopsaa one edit in 1 document, hopsxx two edits in 2 documents
    assert replaced("hopsab", ["typo"], texts=texts)["hopsab"].terms == ("hopsaa", "hopsxx")


def test_a_beginning_comes_before_a_typo() -> None:
    texts = ["printer", "paint"]
    assert replaced("print", texts=texts) == {"print": StandIns("prefix", ("printer",))}
    assert replaced("print", ["typo"], texts=texts) == {"print": StandIns("typo", ("paint",))}
    assert replaced("piant", texts=texts) == {"piant": StandIns("typo", ("paint",))}


def test_a_document_gets_its_best_stand_in_and_not_their_sum() -> None:
    bm25 = over(TEXTS, ["prefix"])
    each = np.stack([bm25.answer(word).scores for word in ("printer", "printers", "printing")])
    np.testing.assert_array_equal(bm25.answer("prin").scores, each.max(axis=0))
    # asked twice it counts twice, beside what is known
    twice = bm25.answer("prin prin a52").scores
    np.testing.assert_allclose(twice, 2 * each.max(axis=0) + bm25.answer("a52").scores, rtol=1e-6)


def test_a_word_of_forbidden_documents_neither_acts_nor_shows() -> None:
    texts = ["the canary sings", "the canal", "the sea"]
    visible = [False, True, True]
    assert replaced("canry", texts=texts)["canry"].terms == ("canary",)
    assert replaced("canry", texts=texts, visible=visible) == {}
    assert replaced("cana", ["prefix"], texts=texts)["cana"].terms == ("canal", "canary")
    assert replaced("cana", ["prefix"], texts=texts, visible=visible)["cana"].terms == ("canal",)
    # Typed rightly it is as unknown as any other word: what is visible answers.
    typed = replaced("canary", texts=texts, visible=visible)["canary"]
    assert typed == StandIns("typo", ("canal",))
    assert typed == replaced("canary", texts=["sings", *texts[1:]], visible=visible)["canary"]
    answer = over(texts, BOTH).answer("canary", np.array(visible))
    assert (answer.scores > 0).tolist() == [False, True, False]
    texts[1] = "the canaries"
    answer = over(texts, BOTH).answer("canaryes", np.array(visible))
    assert answer.replaced == {"canaryes": StandIns("typo", ("canaries",))}
    assert answer.scores[0] == 0
    assert answer.scores[1] > 0


def test_the_number_of_documents_is_that_of_the_visible_ones() -> None:
    texts = ["hopsal", "hopsal", "hopsam", "sea"]
    assert replaced("hopsax", texts=texts)["hopsax"].terms == ("hopsal", "hopsam")
    visible = [False, True, True, True]
    assert replaced("hopsax", texts=[*texts, "hopsam"], visible=[*visible, True])["hopsax"].terms == (
        "hopsam",
        "hopsal",
    )


def test_a_known_query_pays_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    bm25 = over(TEXTS, BOTH)
    plain = over(TEXTS, ())

    def scanned(*arguments: object, **names: object) -> object:
        raise AssertionError("the vocabulary was read")

    monkeypatch.setattr(rapidfuzz.process, "extract", scanned)
    monkeypatch.setattr("backends.lexical.fallbacks.bisect_left", scanned)
    for visible in (None, np.array([True] * 5)):
        answer = bm25.answer("reset password", visible)
        assert answer.replaced == {}
        np.testing.assert_array_equal(answer.scores, plain.answer("reset password").scores)
    with pytest.raises(AssertionError, match="was read"):
        bm25.answer("pasword")


def test_stems_are_what_is_compared() -> None:
    bm25 = over(["printing a ticket"], ["prefix"], stem="english")
    assert bm25.answer("pri").replaced == {"pri": StandIns("prefix", ("print",))}


def test_an_empty_index_has_no_stand_ins() -> None:
    assert replaced("password", texts=[]) == {}
    assert replaced("password", texts=["?"]) == {}
