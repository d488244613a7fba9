"""Files as lines of bytes: plain, packed by gzip (as their name says), or inside a zip archive; and how far one is."""

from __future__ import annotations

import gzip
import io
import lzma
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Any, Literal, Protocol

from vara.datasets.findings import printable
from vara.errors import Problem
from vara.watch import Watch

GZIP = ".gz"
_CHUNK = 1 << 20


class Readable(Protocol):
    """A file that can be read: a path, a member of an archive, or one of them with a meter."""

    @property
    def name(self) -> str:
        """Return the file's name."""

    def open(self, mode: Literal["rb"], /) -> IO[bytes]:
        """Open it for reading bytes."""


def bare_name(path: Readable) -> str:
    """Return a file's name without .gz.

    Example:
        >>> from pathlib import Path
        >>> bare_name(Path("x/qrels.tsv.gz"))
        'qrels.tsv'
    """
    return path.name.removesuffix(GZIP)


def open_bytes(path: Readable) -> IO[bytes]:
    """Open a file for reading, unpacked where its name ends with .gz.

    Raises:
        OSError: it cannot be opened.
        Problem: it lies in an archive that is encrypted, damaged, or packed in an unknown way.
    """
    try:
        stream: Any = path.open("rb")
    except (
        RuntimeError,
        zipfile.BadZipFile,
    ) as error:  # zipfile's words for a password and for an unknown way
        raise _damaged(path.name, error) from None
    return io.BufferedReader(_Unpacked(stream)) if path.name.endswith(GZIP) else stream


def raw_lines(stream: IO[bytes], name: str) -> Iterator[bytes]:
    """Yield the lines of an open file, each with its LF.

    Raises:
        Problem: the packed file is damaged or cut off.
    """
    try:
        yield from stream
    except (EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile) as error:
        raise _damaged(name, error) from None
    except OSError as error:
        if error.errno is not None:  # of the disk; an unpacker's own (gzip, bz2) has no number
            raise
        raise _damaged(name, error) from None


def _damaged(name: str, error: Exception) -> Problem:
    kind = "unreadable" if isinstance(error, RuntimeError) else "damaged"
    found = printable(str(error).rstrip("."), 120)
    return Problem(name, f"{kind} archive ({found})", remedy="Fetch or make the file again.")


class _Unpacked(gzip.GzipFile):
    """A gzip stream that closes the file below it, too."""

    def __init__(self, stream: IO[bytes]) -> None:
        super().__init__(fileobj=stream, mode="rb")
        self._stream = stream

    def close(self) -> None:
        super().close()
        self._stream.close()


@dataclass(frozen=True, slots=True)
class Metered:
    """A file that tells a watch how far it has been read; in all else the file itself.

    Attributes:
        path: the file, perhaps a member of an archive.
        size: its bytes as they are stored.
        watch: takes the progress, in MB.
    """

    path: Readable
    size: int
    watch: Watch

    @property
    def name(self) -> str:
        """Return the file's name."""
        return self.path.name

    def open(self, mode: Literal["rb"], /) -> IO[bytes]:
        """Open the file for reading bytes."""
        return io.BufferedReader(_Meter(self.path.open(mode), self), _CHUNK)


class _Meter(io.RawIOBase):
    def __init__(self, raw: IO[bytes], file: Metered) -> None:
        self._raw, self._file, self._done = raw, file, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        chunk = self._raw.read(len(buffer))
        buffer[: len(chunk)] = chunk
        self._done += len(chunk)
        total = max(self._file.size, self._done, 1)
        self._file.watch.progress(self._done // 10**6, -(-total // 10**6), f"MB of {self._file.name}")
        return len(chunk)

    def close(self) -> None:
        self._raw.close()
        super().close()
