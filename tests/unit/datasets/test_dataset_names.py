"""What a dataset is called: by its path as typed."""

from __future__ import annotations

import pytest

from tests.unit.datasets.sound_dataset import write_dataset
from vara.datasets.dataset import load_dataset, read_dataset
from vara.datasets.names import dataset_name
from vara.errors import Problem


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("helpdesk", "helpdesk"),
        ("data/helpdesk", "helpdesk"),
        ("data/helpdesk/", "helpdesk"),
        ("data//helpdesk/.", "helpdesk"),
        ("x/sub/..", "x"),
        ("/srv/x", "x"),
        ("/x/..", "/"),
        ("/", "/"),
        ("//", "/"),
        ("v1.2", "v1.2"),
        ("..x", "..x"),
    ],
)
def test_the_last_part_as_typed(path, name):
    assert dataset_name(path) == name


def test_a_path_without_a_last_part_takes_the_name_of_its_folder(tmp_path, monkeypatch):
    inner = tmp_path / "outer" / "inner"
    inner.mkdir(parents=True)
    monkeypatch.chdir(inner)
    names = [dataset_name(path) for path in (".", "", "./", "x/..", "..", "../", "x/../..")]
    assert names == ["inner", "inner", "inner", "inner", "outer", "outer", "outer"]


def test_a_link_keeps_its_own_name(tmp_path):
    """Two names for one folder (DVC links its cache): resolved, both would be called after the cache."""
    write_dataset(tmp_path / "cache", {})
    (tmp_path / "helpdesk").symlink_to(tmp_path / "cache")
    assert dataset_name(str(tmp_path / "helpdesk")) == "helpdesk"
    assert load_dataset(tmp_path / "helpdesk").name == "helpdesk"


def test_the_message_calls_a_dataset_by_the_name_of_its_link(tmp_path):
    write_dataset(tmp_path / "cache", {"corpus.jsonl": None})
    (tmp_path / "helpdesk").symlink_to(tmp_path / "cache")
    with pytest.raises(Problem, match=r"^Dataset helpdesk problem: "):
        load_dataset(tmp_path / "helpdesk")


def test_a_folder_in_the_middle_leaves_no_trace(tmp_path):
    write_dataset(tmp_path / "mini", {})
    (tmp_path / "mini" / "sub").mkdir()
    assert read_dataset(tmp_path / "mini" / "sub" / "..").name == "mini"
