"""Filters and orders that reveal what blind mode hides.

These are agents' opinions, the list's labels, and what services say that know the class.
"""

from app.core.queue import filters
from app.core.queue.column_values import gives_class_away
from app.core.queue.filters import Filter
from app.core.queue.sorts import Sort

FACT = "blind"  # of a session: "yes" where what agents say is hidden before a verdict
CHECK_FACT = "reject_below"  # Of a person's check before rejecting; their name follows.
REVEALING_SORTS = frozenset({"p_yes", "p_combined", "uncertain", "surprising", "disagreeing"})


def breaks_blind_mode(tree: Filter, sort: Sort) -> bool:
    """Whether the queue's order or content reveals an agent's opinion or a label."""
    if sort.key == "own" and gives_class_away(sort.own):
        return True
    return sort.key in REVEALING_SORTS or _is_revealing(tree)


def _is_revealing(tree: Filter) -> bool:
    if isinstance(tree, filters.And | filters.Or):
        return any(_is_revealing(term) for term in tree.terms)
    if isinstance(tree, filters.Not):
        return _is_revealing(tree.term)
    if isinstance(tree, filters.Number):
        return tree.field in ("p_yes", "p_combined")
    if isinstance(tree, filters.Words):
        return tree.field == "label"
    if isinstance(tree, filters.OwnColumnFilter):
        return gives_class_away(tree.column)
    if isinstance(tree, filters.EvidenceState):
        return gives_class_away(tree.service)
    if isinstance(tree, filters.Disagree):
        return tree.between != "people"
    return isinstance(tree, filters.AgentVerdict | filters.InspectedBy)
