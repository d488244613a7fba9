"""vara: measure a vector search. For notebooks: `load_dataset`, `evaluate`, `compare`; all else by module.

Example:
    >>> import vara
    >>> callable(vara.load_dataset) and callable(vara.evaluate) and callable(vara.compare)
    True
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vara.datasets.dataset import load_dataset
    from vara.quality.comparison import compare
    from vara.quality.evaluation import evaluate

__all__ = ["compare", "evaluate", "load_dataset"]


def __dir__() -> list[str]:
    """List what there is to find here."""
    return __all__


def __getattr__(name: str) -> Any:
    """Import on first use, so that `import vara.errors` costs nothing."""
    if name == "load_dataset":
        from vara.datasets.dataset import load_dataset

        return load_dataset
    if name == "evaluate":
        from vara.quality.evaluation import evaluate

        return evaluate
    if name == "compare":
        from vara.quality.comparison import compare

        return compare
    raise AttributeError(f"module 'vara' has no attribute {name!r}")
