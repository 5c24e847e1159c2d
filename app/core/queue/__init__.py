"""What a person sees next: filters, orders, and pages of a list of any length.

Everything here costs the same for a hundred candidates and for a million.
"""

from app.core.queue.counts import Count, count, position_of
from app.core.queue.filter_parser import parse_filter
from app.core.queue.filter_words import filter_text
from app.core.queue.filters import EVERYTHING, UNJUDGED, Filter, FilterError, both
from app.core.queue.in_use import ListColumnInUse, flags_in_use, own_columns
from app.core.queue.neighbours import Neighbour, neighbours
from app.core.queue.order_indexes import drop_order_indexes
from app.core.queue.pages import (
    QueuePage,
    QueueRow,
    matching,
    next_line,
    next_unjudged,
    page,
    previous_line,
    row_of,
)
from app.core.queue.search import find
from app.core.queue.sorts import LIST_ORDER, QueuePosition, Sort, parse_sort, sort_text

__all__ = [
    "EVERYTHING",
    "LIST_ORDER",
    "UNJUDGED",
    "Count",
    "Filter",
    "FilterError",
    "ListColumnInUse",
    "Neighbour",
    "QueuePage",
    "QueuePosition",
    "QueueRow",
    "Sort",
    "both",
    "count",
    "drop_order_indexes",
    "filter_text",
    "find",
    "flags_in_use",
    "matching",
    "neighbours",
    "next_line",
    "next_unjudged",
    "own_columns",
    "page",
    "parse_filter",
    "parse_sort",
    "position_of",
    "previous_line",
    "row_of",
    "sort_text",
]
