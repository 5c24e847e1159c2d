"""YAML of strangers, looked through before anything is made of it.

A loader takes minutes for some kilobytes of brackets in brackets, and a few hundred bytes of
aliases stand for gigabytes.
"""

from collections.abc import Iterator
from importlib import import_module
from typing import Any

MOST_NESTED = 32  # the deepest that is published has eight levels


class NotPlain(ValueError):
    """What the text has or is, so that it is not read."""


def plain_events(content: str | bytes) -> Iterator[Any]:
    """What is in it, piece by piece. Raises NotPlain and YAMLError."""
    yaml: Any = import_module("yaml")  # comes with astropy; slow to load
    depth = 0
    for event in yaml.parse(content, Loader=yaml.SafeLoader):
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > MOST_NESTED:
            raise NotPlain("is nested too deeply")
        if getattr(event, "anchor", None) is not None:  # aliases name theirs, too
            raise NotPlain("has anchors or aliases, which are not read")
        yield event


def plain_yaml(content: str | bytes) -> Any:
    """Its only document. Raises NotPlain and YAMLError, and ValueError for a wrong value."""
    yaml: Any = import_module("yaml")
    for _ in plain_events(content):
        pass
    return yaml.safe_load(content)
