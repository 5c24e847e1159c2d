"""Filters and orders that give away what blind mode hides: agents' opinions, the list's label."""

from __future__ import annotations

from app.core.queue.filters import (
    AgentVerdict,
    And,
    Disagree,
    Filter,
    InspectedBy,
    Not,
    Number,
    Or,
    Words,
)
from app.core.queue.sorts import Sort

TELLING_SORTS = frozenset({"p_yes", "uncertain", "surprising", "disagreeing"})


def breaks_blind_mode(tree: Filter, sort: Sort) -> bool:
    """Whether somebody who walks through this queue could guess."""
    return sort.key in TELLING_SORTS or _tells(tree)


def _tells(tree: Filter) -> bool:
    if isinstance(tree, And | Or):
        return any(_tells(term) for term in tree.terms)
    if isinstance(tree, Not):
        return _tells(tree.term)
    if isinstance(tree, Number):
        return tree.field == "p_yes"
    if isinstance(tree, Words):
        return tree.field == "label"
    if isinstance(tree, Disagree):
        return tree.between != "people"
    return isinstance(tree, AgentVerdict | InspectedBy)
