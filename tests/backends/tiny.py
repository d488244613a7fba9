"""A tiny BERT with random weights, made in milliseconds without torch, for every test that has to embed."""

from __future__ import annotations

import json
import string
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import save_file
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from vara.artifacts.canonical import file_digest

LAYERS, WIDTH, INNER, POSITIONS = 2, 16, 32, 64
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]


def make_tiny_model(
    folder: Path, *, pooling: str = "mean", seed: int = 7, positions: int = POSITIONS
) -> dict[str, Any]:
    """Write a model's files into `folder` and return its entry for models.yaml."""
    folder.mkdir(parents=True, exist_ok=True)
    vocabulary = _vocabulary()
    config = {
        "architectures": ["BertModel"],
        "model_type": "bert",
        "hidden_size": WIDTH,
        "intermediate_size": INNER,
        "num_attention_heads": 2,
        "num_hidden_layers": LAYERS,
        "max_position_embeddings": positions,
        "vocab_size": len(vocabulary),
        "pad_token_id": 0,
    }
    (folder / "config.json").write_text(json.dumps(config))
    save_file(_weights(len(vocabulary), positions, np.random.default_rng(seed)), folder / "model.safetensors")
    _tokenizer(vocabulary).save(str(folder / "tokenizer.json"))
    files = {
        name: file_digest(folder / name) for name in ("config.json", "model.safetensors", "tokenizer.json")
    }
    return {
        "source": f"path:{folder.resolve()}",
        "files": files,
        "pooling": pooling,
        "normalise": True,
        "prefixes": {"query": "", "passage": ""},
        "max_length": positions,
        "dimension": WIDTH,
        "licence": "Apache-2.0",
    }


def _vocabulary() -> dict[str, int]:
    letters = string.ascii_lowercase + string.digits
    words = [*SPECIAL, *letters, *(f"##{one}" for one in letters), *string.punctuation]
    return {word: number for number, word in enumerate(words)}


def _tokenizer(vocabulary: dict[str, int]) -> Tokenizer:
    """One token a letter. Truncation and padding are on in the file, as in published ones: both must be ignored."""
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))  # noqa: S106 - a word of the vocabulary
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    tokenizer.enable_truncation(8)
    tokenizer.enable_padding(length=8)
    return tokenizer


def _weights(words: int, positions: int, rng: np.random.Generator) -> dict[str, np.ndarray]:
    def linear(name: str, rows: int, columns: int) -> dict[str, np.ndarray]:
        return {f"{name}.weight": random(rows, columns), f"{name}.bias": random(rows)}

    def norm(name: str) -> dict[str, np.ndarray]:
        return {f"{name}.weight": np.ones(WIDTH, np.float32), f"{name}.bias": np.zeros(WIDTH, np.float32)}

    def random(*shape: int) -> np.ndarray:
        return rng.normal(0, 0.5, shape).astype(np.float32)

    weights = {
        f"embeddings.{name}_embeddings.weight": random(rows, WIDTH)
        for name, rows in (("word", words), ("position", positions), ("token_type", 2))
    }
    weights |= norm("embeddings.LayerNorm")
    for number in range(LAYERS):
        layer = f"encoder.layer.{number}"
        for part in (
            "attention.self.query",
            "attention.self.key",
            "attention.self.value",
            "attention.output.dense",
        ):
            weights |= linear(f"{layer}.{part}", WIDTH, WIDTH)
        weights |= norm(f"{layer}.attention.output.LayerNorm") | norm(f"{layer}.output.LayerNorm")
        weights |= linear(f"{layer}.intermediate.dense", INNER, WIDTH) | linear(
            f"{layer}.output.dense", WIDTH, INNER
        )
    return weights
