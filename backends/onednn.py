"""Float32 layers on a CPU through oneDNN, with weights arranged for it once.

PyTorch sends float32 products to MKL, which takes its slow path on processors of other makers. oneDNN measured
225-250 GFLOP/s where MKL gave 103-108 (one AMD core, AVX-512), and 1.1 times MKL under AVX2, at the same
accuracy. A row's bits do not depend on how many rows stand beside it, which the tests of the encoder watch.
The two operators are PyTorch's own for its compiler; its version is pinned, and part of every vector's key.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch


def pack(network: torch.nn.Module) -> None:
    """Replace every linear layer below `network` by one that computes the same through oneDNN, in place.

    Nothing happens where this torch was built without oneDNN.
    """
    import torch

    if not torch.backends.mkldnn.is_available():  # type: ignore[no-untyped-call]
        return
    for name, child in network.named_children():
        if isinstance(child, torch.nn.Linear):
            setattr(network, name, _packed(child))
        else:
            pack(child)


def _packed(linear: torch.nn.Linear) -> torch.nn.Module:
    import torch

    class Packed(torch.nn.Module):
        """x · weight + bias."""

        def __init__(self) -> None:
            super().__init__()
            self.weight = torch.ops.mkldnn._reorder_linear_weight(linear.weight.detach(), None)  # noqa: SLF001
            self.bias = None if linear.bias is None else linear.bias.detach()

        def forward(self, rows: torch.Tensor) -> torch.Tensor:
            result: torch.Tensor = torch.ops.mkldnn._linear_pointwise(  # noqa: SLF001 - see the module's head
                rows, self.weight, self.bias, "none", [], ""
            )
            return result

    return Packed()
