"""YAML as configuration: plain values only, each key once, no aliases."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import yaml

from vara.errors import Problem


class _Loader(yaml.SafeLoader):
    """PyYAML's safe loader without the two ways in which a small file means something else than it says."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            mark = parent.start_mark if parent is not None else None
            raise yaml.constructor.ConstructorError(None, None, "an alias (*) is not allowed here", mark)
        return super().compose_node(parent, index)

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Hashable, Any]:
        if not isinstance(node, yaml.MappingNode):
            return super().construct_mapping(node, deep=deep)  # which refuses it
        seen: set[Any] = set()
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise yaml.constructor.ConstructorError(
                    None, None, "a list or map that stands as a key", key.start_mark
                )
            if key.value in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f"{key.value!r} stands twice", key.start_mark
                )
            seen.add(key.value)
        return super().construct_mapping(node, deep=deep)


def load_yaml(text: str, where: str) -> Any:
    """Return the value of a YAML text.

    Raises:
        Problem: it is not YAML, uses an alias, repeats a key, or holds what UTF-8 cannot.
    """
    try:
        value = yaml.load(text, _Loader)  # noqa: S506 - derived from the safe loader
        str(value).encode()
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f"line {mark.line + 1}" if mark else ""
        said = (
            getattr(error, "problem", None) if isinstance(error, yaml.constructor.ConstructorError) else None
        )
        raise Problem(where, said or "not valid YAML", where=line, remedy="Correct the line.") from None
    except (ValueError, RecursionError, OverflowError):
        remedy = "Write plain texts, numbers, lists and keys."
        raise Problem(where, "a value that cannot be read", remedy=remedy) from None
    return value


def read_text(path: Any, remedy: str) -> str:
    """Return the text of a configuration file.

    Raises:
        Problem: it is missing, cannot be read, or is not UTF-8.
    """
    try:
        text: str = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise Problem(path.name, "no such file", where=str(path), remedy=remedy) from None
    except (OSError, UnicodeDecodeError) as error:
        found = "not UTF-8" if isinstance(error, UnicodeDecodeError) else str(error.strerror)
        raise Problem(path.name, found, where=str(path), remedy="Make it a readable UTF-8 file.") from None
    return text


def line_of(text: str, path: Sequence[str | int]) -> int:
    r"""Return the line, from 1, of what stands at `path` in a YAML text, or of the nearest thing above it.

    Args:
        text: YAML that `load_yaml` has read.
        path: keys of mappings and places in lists, outermost first.

    Example:
        >>> line_of("gates:\n- name: a\n  floor: 7\n", ["gates", 0, "floor"])
        3
    """
    node, line = yaml.compose(text, _Loader), 0
    for part in path:
        if isinstance(node, yaml.MappingNode):
            found = next((pair for pair in node.value if pair[0].value == part), None)
        elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
            found = (node.value[part], node.value[part])
        else:
            found = None
        if found is None:
            break
        line, node = found[0].start_mark.line, found[1]
    return line + 1
