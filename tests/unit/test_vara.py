"""What a notebook finds under `vara`."""

from __future__ import annotations

import pytest

import vara
from vara.datasets.dataset import load_dataset
from vara.quality.comparison import compare
from vara.quality.evaluation import evaluate


def test_what_there_is_to_find() -> None:
    assert dir(vara) == sorted(vara.__all__) == ["compare", "evaluate", "load_dataset"]
    assert vara.compare is compare
    assert vara.evaluate is evaluate
    assert vara.load_dataset is load_dataset


def test_what_is_not_there() -> None:
    with pytest.raises(AttributeError) as caught:
        vara.load_datasets  # noqa: B018
    assert str(caught.value) == "module 'vara' has no attribute 'load_datasets'"
