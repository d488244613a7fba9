"""The code fingerprint: what a step's code means, so that only a change of meaning computes again.

The fingerprint covers every module of this repository that the step's module imports, directly or not, as a
normalised syntax tree. Comments, formatting, docstrings and text for people do not count. Imports must be written
out (`import a.b`, `from a import b`); an import by name is invisible here, and a lint test forbids it.
"""

from __future__ import annotations

import ast
import hashlib
import sys
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import metadata
from pathlib import Path

CODE = Path(__file__).resolve().parents[2]
"""The repository whose code runs."""

ROOMS = ("tasks", "backends", "vara")
"""Packages whose code can reach a number."""

PLUMBING = (
    "vara",
    "vara.artifacts.aside",
    "vara.artifacts.code",
    "vara.artifacts.execute",
    "vara.artifacts.items",
    "vara.artifacts.ledger",
    "vara.artifacts.memo",
    "vara.artifacts.recipe",
    "vara.artifacts.sqlite",
    "vara.artifacts.step",
    "vara.artifacts.store",
    "vara.errors",
    "vara.params",
    "vara.sections",
    "vara.watch",
    "vara.yaml",
)
"""Modules that carry numbers and never change one; neither they nor what they import counts."""

TEXT_KEYWORDS = frozenset({"rule", "remedy"})
"""Keyword arguments that are text for people wherever they occur."""

SPEAKING = frozenset({"note", "debug", "info", "warning", "error"})
LISTENERS = frozenset({"watch", "log", "logger"})
"""Arguments of these methods of these objects (job.watch.note, log.info) are text for people."""

DISTRIBUTIONS = {
    "Stemmer": "PyStemmer",
    "qdrant_client": "qdrant-client",
    "qdrant_edge": "qdrant-edge-py",
    "yaml": "PyYAML",
}
"""Distributions whose name is not that of their import."""


_SNAPSHOT = {path: path.read_bytes() for room in ROOMS for path in (CODE / room).rglob("*.py")}
"""The code as it was when this process began: what it imports later must not be taken for something else."""


@dataclass(frozen=True)
class Closure:
    """The code behind one module.

    Attributes:
        modules: {module name: its file}, sorted by name.
        imports: top-level names of third-party packages, sorted.
    """

    modules: dict[str, Path]
    imports: tuple[str, ...]

    @cached_property
    def meaning(self) -> dict[str, str]:
        """Return {module: digest of its normalised tree}."""
        return {name: _meaning(_read(path)) for name, path in self.modules.items()}

    @cached_property
    def texts(self) -> dict[str, str]:
        """Return {module: digest of its file as it is}, to tell a change of text from one of meaning."""
        return {name: hashlib.sha256(_read(path)).hexdigest() for name, path in self.modules.items()}

    @property
    def is_current(self) -> bool:
        """Return whether the files are still what they were when this process first read them."""
        return all(path.is_file() and path.read_bytes() == _read(path) for path in self.modules.values())

    @cached_property
    def versions(self) -> dict[str, str]:
        """Return {distribution: public version} of the third-party packages."""
        return {name: version.partition("+")[0] for name, version in self._installed.items()}

    @cached_property
    def labels(self) -> dict[str, str]:
        """Return {distribution: local label} ("cpu" of "2.13.0+cpu") of those that have one: facts of the platform."""
        return {
            name: version.partition("+")[2] for name, version in self._installed.items() if "+" in version
        }

    @cached_property
    def _installed(self) -> dict[str, str]:
        names = [DISTRIBUTIONS.get(name, name) for name in self.imports]
        return {name: metadata.version(name) for name in sorted(names)}


def _read(path: Path) -> bytes:
    """Return a file as this process first saw it, if it is code that this process may run."""
    return _SNAPSHOT.get(path) or path.read_bytes()


def closure(module: str, root: Path, without: Collection[str] = ()) -> Closure:
    """Follow the imports of `module` through the repository.

    Args:
        module: where to start ("tasks.embed").
        root: the repository.
        without: modules that are left out, with what only they import.
    """
    modules: dict[str, Path] = {}
    imports: set[str] = set()
    waiting = [module]
    while waiting:
        name = waiting.pop()
        path = _file(name, root)
        if path is None or name in modules or name in PLUMBING or name in without:
            continue
        modules[name] = path
        package = name if path.name == "__init__.py" else name.rpartition(".")[0]
        for target in _targets(_read(path), package):
            top = target.split(".")[0]
            if top in ROOMS:
                waiting.extend(_packages(target))
            elif top not in sys.stdlib_module_names:
                imports.add(top)
    return Closure(dict(sorted(modules.items())), tuple(sorted(imports)))


def _packages(target: str) -> Iterator[str]:
    """Yield "a.b.c", "a.b", "a": importing a module runs its packages too."""
    parts = target.split(".")
    return (".".join(parts[:end]) for end in range(len(parts), 0, -1))


def _file(name: str, root: Path) -> Path | None:
    base = root.joinpath(*name.split("."))
    for path in (base / "__init__.py", base.with_suffix(".py")):
        if path.is_file():
            return path
    return None


@cache
def _targets(source: bytes, package: str) -> frozenset[str]:
    """Return every dotted name that a module imports at run time; "from a import b" gives "a" and "a.b"."""
    targets: set[str] = set()
    for node in _run_time(ast.parse(source)):
        if isinstance(node, ast.Import):
            targets.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parts = package.split(".")
            above = parts[: len(parts) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            targets.update([base, *(f"{base}.{alias.name}" for alias in node.names)])
    return frozenset(targets)


def _run_time(tree: ast.AST) -> Iterator[ast.AST]:
    """Walk `tree` without the bodies of "if TYPE_CHECKING:"."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING"):
            waiting.extend(node.orelse)
        else:
            waiting.extend(ast.iter_child_nodes(node))


@cache
def _meaning(source: bytes) -> str:
    tree = _Normaliser().visit(ast.parse(source))
    return hashlib.sha256(_dump(tree).encode()).hexdigest()


class _Normaliser(ast.NodeTransformer):
    """Removes what no number can depend on: docstrings and other bare strings, and text for people."""

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        if isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            return None
        return self.generic_visit(node)

    def visit_Raise(self, node: ast.Raise) -> ast.AST:
        if isinstance(node.exc, ast.Call):
            node.exc = node.exc.func
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if (
            isinstance(node.func, ast.Attribute)
            and node.func.attr in SPEAKING
            and _is_listener(node.func.value)
        ):
            node.args = []
        node.keywords = [word for word in node.keywords if word.arg not in TEXT_KEYWORDS]
        return self.generic_visit(node)


def _is_listener(value: ast.expr) -> bool:
    return ast.unparse(value).rpartition(".")[2].lstrip("_") in LISTENERS


def _dump(node: object) -> str:
    """Return a text of the tree that is the same under every Python version: empty fields are left out."""
    if isinstance(node, ast.AST):
        fields = (
            (name, getattr(node, name, None))
            for name in node._fields
            if name not in ("ctx", "kind", "type_comment")
        )
        inner = ",".join(
            f"{name}={_dump(value)}" for name, value in fields if value is not None and value != []
        )
        return f"{type(node).__name__}({inner})"
    if isinstance(node, list):
        return f"[{','.join(_dump(item) for item in node)}]"
    return repr(node)
