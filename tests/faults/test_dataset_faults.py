"""Broken datasets end the validate step with one whole message, and nothing else; sound ones leave tables."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from tasks import validate
from tests.faults.dataset_cases import CASES, LABELS, SOUND, Case
from vara.datasets.tables import read_table, table_digest
from vara.errors import Problem


class Notes:
    """A watch that remembers its notes."""

    def __init__(self):
        self.texts = []

    def note(self, text):
        self.texts.append(text)

    def progress(self, done, total, unit):
        raise AssertionError(f"{done} of {total} {unit}")


def job(root, path, folder):
    """Return what the step may touch; it reads nothing but this."""
    folder.mkdir()
    settings = SimpleNamespace(
        root=root, digest_of=lambda file: hashlib.sha256(file.read_bytes()).hexdigest()
    )
    return SimpleNamespace(params={"dataset.path": path}, settings=settings, folder=folder, watch=Notes())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_broken_dataset_is_refused_with_its_whole_report(case, tmp_path):
    folder = case.build(tmp_path)
    work = job(tmp_path, "broken", tmp_path / "out")
    with pytest.raises(Problem) as caught:
        validate.run(work)
    assert str(caught.value) == case.message_for(folder)
    assert caught.value.exit_code == 2
    assert list(work.folder.iterdir()) == []
    assert work.watch.texts == []


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_recipe_of_a_broken_dataset_can_be_made(case, tmp_path):
    """The store asks for the digests of the files before the step can say what is wrong with them."""
    case.build(tmp_path)
    work = job(tmp_path, "broken", tmp_path / "out")
    assert set(validate.files(work.params, work.settings)) <= case.files.keys()


def test_a_sound_dataset_becomes_three_tables_and_facts_without_floats(tmp_path):
    case = Case("sound but for a warning", {**SOUND, "qrels.tsv": f"{LABELS}q1\tdx\t1\n"}, "")
    case.build(tmp_path)
    work = job(tmp_path, str(tmp_path / "broken"), tmp_path / "out")  # an absolute path is taken as it is
    made = validate.run(work)
    assert sorted(path.name for path in work.folder.iterdir()) == [
        "documents.parquet",
        "labels.parquet",
        "queries.parquet",
    ]
    for name, keys in (
        ("documents", ["doc_id"]),
        ("queries", ["query_id"]),
        ("labels", ["query_id", "doc_id"]),
    ):
        frame = read_table(work.folder / f"{name}.parquet", name)
        assert made.outputs[name] == {
            "rows": frame.height,
            "digest": table_digest(frame),
            "ids_digest": table_digest(frame.select(keys)),
        }
    assert made.items == 2
    assert " ".join(work.watch.texts) == (
        "warning unknown-document (1): a label names a document that corpus.jsonl lacks, so that no system can find it "
        "(qrels.tsv:4 document dx). Add the document, correct the id, or drop the label."
    )
    text = json.dumps([made.outputs, made.metrics], allow_nan=False, sort_keys=True)
    assert str(tmp_path) not in text
    assert "." not in text  # no float, no path


def test_the_same_dataset_gives_the_same_bytes_wherever_it_lies(tmp_path):
    payloads = []
    for place in ("here", "there"):
        (tmp_path / place).mkdir()
        Case("sound", SOUND, "").build(tmp_path / place)
        work = job(tmp_path / place, "broken", tmp_path / place / "out")
        made = validate.run(work)
        payloads.append((made, {path.name: path.read_bytes() for path in work.folder.iterdir()}))
    assert payloads[0] == payloads[1]


def test_every_file_that_is_read_is_part_of_the_recipe(tmp_path):
    header = LABELS.splitlines(keepends=True)[0]
    files = {key: SOUND[key] for key in ("corpus.jsonl", "queries.jsonl")}
    Case("", {**files, "qrels/dev.tsv": f"{header}q1\td1\t1\n", "qrels/test.tsv": header}, "").build(tmp_path)
    work = job(tmp_path, "broken", tmp_path / "out")
    digests = validate.files(work.params, work.settings)
    assert list(digests) == ["corpus.jsonl", "queries.jsonl", "qrels/dev.tsv", "qrels/test.tsv"]
    assert digests["qrels/test.tsv"] == hashlib.sha256(header.encode()).hexdigest()
    assert validate.STEP.params == ("dataset.path",)


def test_a_link_to_the_data_is_followed(tmp_path):
    """DVC may link its cache into the workspace."""
    Case("sound", SOUND, "").build(tmp_path / "cache")
    folder: Path = tmp_path / "broken"
    folder.mkdir()
    for name in SOUND:
        (folder / name).symlink_to(tmp_path / "cache" / "broken" / name)
    assert validate.run(job(tmp_path, "broken", tmp_path / "out")).items == 2
