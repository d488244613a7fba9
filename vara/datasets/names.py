"""What a dataset is called: the last part of its path as typed, in every table, report and message."""

from __future__ import annotations

import os
from pathlib import Path


def dataset_name(path: str) -> str:
    """Return the name of the dataset in a folder.

    **Definition** The last part of `os.path.normpath(path)`. A link keeps its own name, whatever it points to.

    **Conventions** A path without such a part (".", "..", "/") takes the name of the folder that it resolves
    to; the root, which has none, is "/".

    Args:
        path: the folder, as a person typed it.

    Example:
        >>> [dataset_name(path) for path in ("data/helpdesk", "x/", "x/sub/..", "./x/.")]
        ['helpdesk', 'x', 'x', 'x']
    """
    name = os.path.normpath(path).rpartition(os.sep)[2]
    return Path(path).resolve().name or "/" if name in ("", ".", "..") else name
