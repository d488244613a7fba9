"""The neural network of a model: its architecture from config.json, its weights from safetensors.

Only verified files are read, whatever else lies in the folder. No hub is asked, and no code that comes with a
model can run: the architecture is looked up by its name among those of transformers.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from backends.models import CONFIG, WEIGHTS
from backends.onednn import pack
from vara.errors import Problem, examples

if TYPE_CHECKING:
    import torch

Dtype = Literal["float32", "bfloat16", "float16"]

# Buffers and heads that are saved with a model and that an encoder has no use for.
_UNUSED = ("pooler.", "embeddings.position_ids", "embeddings.token_type_ids")


def load_network(folder: Path, *, dtype: Dtype, device: str) -> torch.nn.Module:
    """Load the network in evaluation mode.

    Args:
        folder: holds config.json and model.safetensors, verified.
        dtype: what it computes in.
        device: "cpu" or "cuda".

    Raises:
        Problem: the architecture is unknown, or the weights are not those of the architecture.
    """
    for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"):
        os.environ.setdefault(name, "1")
    import torch
    from safetensors.torch import load_file
    from transformers import AutoModel

    network: torch.nn.Module = AutoModel.from_config(_config(folder / CONFIG))
    weights = load_file(folder / WEIGHTS)
    _check(network.state_dict(), weights, folder)
    network.load_state_dict(weights, strict=False)
    network = network.to(device=device, dtype=getattr(torch, dtype)).eval()
    if (device, dtype) == ("cpu", "float32"):
        pack(network)
    return network


def _config(file: Path) -> Any:
    from transformers import AutoConfig

    settings = json.loads(file.read_text(encoding="utf-8"))
    kind = settings.pop("model_type", None)
    try:
        return AutoConfig.for_model(kind, **settings)
    except ValueError:
        raise Problem(
            "model",
            f"unknown architecture {kind!r}",
            where=str(file),
            remedy="Choose a model that transformers knows.",
        ) from None


def _check(wanted: dict[str, torch.Tensor], found: dict[str, torch.Tensor], folder: Path) -> None:
    wrong = [f"{name} is missing" for name in wanted if name not in found and not name.startswith(_UNUSED)]
    wrong += [f"{name} is unknown" for name in found if name not in wanted and not name.startswith(_UNUSED)]
    wrong += [
        f"{name} has shape {tuple(found[name].shape)}"
        for name in wanted
        if name in found and found[name].shape != wanted[name].shape
    ]
    if wrong:
        raise Problem(
            "model weights",
            examples(wrong),
            expected="exactly the weights of the architecture in config.json",
            where=str(folder / WEIGHTS),
            remedy="Use the model's files as they were published.",
        )
