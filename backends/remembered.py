"""An encoder with a memory: a text whose vector is in the per-item cache is not encoded again."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from vara.artifacts.canonical import digest
from vara.artifacts.code import CODE, closure
from vara.artifacts.step import Job

if TYPE_CHECKING:
    from backends.encoder import Encoder

_COUNT = struct.Struct("<i")


class RememberingEncoder:
    """Encodes the texts of one job, each at most once in the life of the store.

    Attributes:
        encoded: texts that were really encoded.
        truncated: texts longer than the limit, remembered ones included.
    """

    def __init__(self, job: Job) -> None:
        self.encoded = 0
        self.truncated = 0
        self._job = job
