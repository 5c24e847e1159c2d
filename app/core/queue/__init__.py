"""The queue of candidates: filters, orders and pages of a list of any length.

Every operation takes about the same time for a hundred candidates and for a million.
"""

from app.core.queue.filter_parser import filter_text, parse_filter
from app.core.queue.filters import (
    EVERYTHING,
    MINE,
    UNJUDGED,
    Filter,
    FilterError,
    combine,
    conjuncts,
)
from app.core.queue.neighbours import Neighbour, neighbours
from app.core.queue.order_indexes import drop_order_indexes
from app.core.queue.pages import (
    Count,
    QueueRow,
    count,
    find,
    matching,
    matching_ids,
    next_row,
    next_unjudged,
    page,
    previous_row,
    row_of,
)
from app.core.queue.sorts import LIST_ORDER, QueuePosition, Sort, parse_sort, sort_text

__all__ = [
    "EVERYTHING", "LIST_ORDER", "MINE", "UNJUDGED", "Count", "Filter", "FilterError", "Neighbour",
    "QueuePosition", "QueueRow", "Sort", "combine", "conjuncts", "count", "drop_order_indexes",
    "filter_text", "find", "matching", "matching_ids", "neighbours", "next_row", "next_unjudged",
    "page", "parse_filter", "parse_sort", "previous_row", "row_of", "sort_text",
]  # fmt: skip
