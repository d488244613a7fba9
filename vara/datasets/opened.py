"""Files as lines of bytes, packed by gzip or not, as their name says."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from vara.errors import Problem

GZIP = ".gz"


def bare_name(path: Path) -> str:
    """Return a file's name without .gz.

    Example:
        >>> bare_name(Path("x/qrels.tsv.gz"))
        'qrels.tsv'
    """
    return path.name.removesuffix(GZIP)


def open_bytes(path: Path) -> IO[bytes]:
    """Open a file for reading, unpacked where its name ends with .gz.

    Raises:
        OSError: it cannot be opened.
    """
    if path.suffix == GZIP:
        return io.BufferedReader(gzip.GzipFile(path))  # type: ignore[arg-type]  # it reads, and that is all
    return path.open("rb")


def raw_lines(stream: IO[bytes], name: str) -> Iterator[bytes]:
    """Yield the lines of an open file, each with its LF.

    Raises:
        Problem: the packed file is damaged or cut off.
    """
    try:
        yield from stream
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        found = str(error).rstrip(".").lower()
        raise Problem(name, f"damaged gzip ({found})", remedy="Fetch or make the file again.") from None
