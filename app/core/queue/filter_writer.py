"""Writes a filter as text that `parse_filter` reads back."""

import re
from typing import assert_never

from app.core.queue import filters
from app.core.queue.filters import Filter
from app.core.session.records import Verdict

# Text that never needs quotes.
PLAIN = re.compile(r"[^\W\d_][\w.]*")


def filter_text(tree: Filter) -> str:
    """The filter as text; empty for a filter that matches everything."""
    return "" if isinstance(tree, filters.Everything) else _text(tree)


def _text(tree: Filter) -> str:
    match tree:
        case filters.Everything():
            return "id>0"
        case filters.And():
            return " ".join(map(_inner, tree.terms))
        case filters.Or():
            return " or ".join(map(_inner, tree.terms))
        case filters.Not():
            return f"not {_inner(tree.term)}"
        case filters.MyVerdict():
            return f"verdict:{_verdict(tree.verdict)}"
        case filters.AnyVerdict():
            return f"any:{_verdict(tree.verdict)}"
        case filters.AgentVerdict():
            return f"agent:{tree.answer}"
        case filters.Number():
            return f"{tree.field}{tree.compare}{tree.value!r}"
        case filters.Words():
            return f"{tree.field}{_sign(tree.compare)}{_quoted(tree.text)}"
        case filters.OwnColumnFilter():
            return f"own.{_quoted(tree.column)}{_sign(tree.compare)}{_quoted(tree.text)}"
        case filters.EvidenceState():
            return f"{tree.service}={tree.word}"
        case filters.Flag():
            return f"flag:{_quoted(tree.name)}"
        case filters.Anywhere():
            return _always_quoted(tree.text)
        case filters.Disagree():
            return f"disagree:{tree.between}"
        case filters.Has():
            return f"has:{tree.thing}"
        case filters.InList():
            return f"list:{tree.number}"
        case filters.InspectedBy():
            name = tree.model if tree.sha256 is None else f"{tree.model}#{tree.sha256}"
            return f"inspected:{_quoted(name)}"
        case filters.AssignedTo():
            return f"assigned:{_quoted(tree.person)}"
        case _:
            assert_never(tree)


def _inner(tree: Filter) -> str:
    return f"({_text(tree)})" if isinstance(tree, filters.And | filters.Or) else _text(tree)


def _verdict(verdict: Verdict | None) -> str:
    return "unjudged" if verdict is None else str(verdict).lower()


def _sign(compare: str) -> str:
    return "~" if compare == "contains" else compare


def _quoted(text: str) -> str:
    return text if PLAIN.fullmatch(text) else _always_quoted(text)


def _always_quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
