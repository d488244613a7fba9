"""Predictions: read strictly, judged by interval and p, never by a hair."""

from __future__ import annotations

import pytest

from vara.errors import Problem
from vara.quality.comparison import compare
from vara.quality.predictions import judged, read_predictions

UP = ({f"q{n}": {"RR": 0.2} for n in range(8)}, {f"q{n}": {"RR": 0.4} for n in range(8)})
# +.4 and −.3 by turns: mean .05, the interval goes from below 0 to above
UNCLEAR = (
    {f"q{n}": {"RR": 0.5} for n in range(8)},
    {f"q{n}": {"RR": 0.9 if n % 2 else 0.2} for n in range(8)},
)
SAME = (UP[0], UP[0])


def outcome(sides, **entry):
    [prediction] = read_predictions([{"measure": "RR"} | entry], "p.yaml")
    return judged(prediction, compare(*sides, seed=0), *sides)[0]


@pytest.mark.parametrize(
    ("sides", "entry", "expected"),
    [
        (UP, {"direction": "up"}, "confirmed"),
        (UP, {"direction": "up", "at_least": 0.2}, "confirmed"),
        (UP, {"direction": "up", "at_least": 0.3}, "refuted"),  # the whole interval is .2
        (UP, {"direction": "down"}, "refuted"),
        (UP, {"direction": "same"}, "refuted"),
        (UP, {"direction": "same", "within": 0.25}, "confirmed"),
        (UP, {"direction": "same", "within": 0.1}, "refuted"),
        (UNCLEAR, {"direction": "up"}, "undecided"),
        (UNCLEAR, {"direction": "down"}, "undecided"),
        (UNCLEAR, {"direction": "up", "at_least": 0.5}, "refuted"),
        (UNCLEAR, {"direction": "down", "at_least": 0.5}, "refuted"),
        (UNCLEAR, {"direction": "same"}, "undecided"),
        (UNCLEAR, {"direction": "same", "within": 0.01}, "undecided"),
        (UNCLEAR, {"direction": "same", "within": 0.5}, "confirmed"),
        (UP[::-1], {"direction": "same", "within": 0.1}, "refuted"),
        (UP[::-1], {"direction": "down", "at_least": 0.1}, "confirmed"),
        (UP[::-1], {"direction": "up"}, "refuted"),
        (SAME, {"direction": "same"}, "confirmed"),
        (SAME, {"direction": "up"}, "refuted"),
        (UP, {"direction": "up", "measure": "AP"}, "undecided"),
        (UNCLEAR, {"direction": "up", "query": "q1"}, "confirmed"),
        (UNCLEAR, {"direction": "up", "query": "q1", "at_least": 0.5}, "refuted"),
        (UNCLEAR, {"direction": "down", "query": "q0"}, "confirmed"),
        (UNCLEAR, {"direction": "same", "query": "q0"}, "refuted"),
        (SAME, {"direction": "same", "query": "q0"}, "confirmed"),
        (SAME, {"direction": "up", "query": "q0"}, "refuted"),
        (UP, {"direction": "up", "query": "q9"}, "undecided"),
    ],
)
def test_what_becomes_of_a_prediction(sides, entry, expected):
    assert outcome(sides, **entry) == expected


def test_in_words():
    tree = [
        {"measure": "nDCG( gain='exp' )@10", "direction": "up", "at_least": 0.01},
        {"measure": "RR", "direction": "same", "within": 0.02, "query": "q7"},
    ]
    shown = [str(one) for one in read_predictions(tree, "p.yaml")]
    assert shown == ["nDCG(gain='exp')@10 up by at least 0.01", "RR of q7 same within 0.02"]


@pytest.mark.parametrize(
    ("tree", "message"),
    [
        ({}, "p.yaml problem: no list: found dict. "),
        (None, "p.yaml problem: no list: found NoneType. "),
        ([{"measure": "RR"}], "p.yaml problem: entry 1: missing key 'direction'. "),
        (
            [{"measure": "RR", "direction": "up"}, {"measure": "RR", "direction": "up", "atleast": 1}],
            "p.yaml problem: entry 2: unknown key 'atleast' (Near names: at_least). ",
        ),
        (
            [{"measure": "RR", "direction": "up", "within": 0.1}],
            "p.yaml problem: entry 1: within goes with same; write at_least. ",
        ),
        (
            [{"measure": "RR", "direction": "same", "at_least": 0.1}],
            "p.yaml problem: entry 1: at_least goes with up and down; write within. ",
        ),
    ],
)
def test_what_is_no_prediction(tree, message):
    with pytest.raises(Problem) as caught:
        read_predictions(tree, "p.yaml")
    remedy = "Write a list of entries like {measure: nDCG@10, direction: up, at_least: 0.01}."
    assert str(caught.value) == message + remedy


def test_a_measure_that_does_not_exist():
    with pytest.raises(Problem, match="Did you mean nDCG"):
        read_predictions([{"measure": "ndgc@10", "direction": "up"}], "p.yaml")
