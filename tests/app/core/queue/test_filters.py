"""Invalid filters are refused; filters are combined without duplicates."""

from __future__ import annotations

import pytest

from app.core.queue import EVERYTHING, UNJUDGED, FilterError, combine
from app.core.queue.filters import (
    AgentVerdict,
    And,
    Anywhere,
    Flag,
    InList,
    MyVerdict,
    Not,
    Number,
    Or,
    OwnColumnFilter,
    Words,
    checked,
)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Number("p_yes", "<", float("nan")),
        lambda: Number("p_yes", "<", float("inf")),
        lambda: Number("sql", "<", 1.0),
        lambda: Number("snr", "contains", 1.0),
        lambda: OwnColumnFilter("mag", "<", "bright"),
        lambda: OwnColumnFilter("mag", "is", "1"),
        lambda: OwnColumnFilter("", "=", "1"),
        lambda: Words("object", "=", "a\0b"),
        lambda: Words("object", "<", "a"),
        lambda: Words("own", "=", "a"),
        lambda: Anywhere("x" * 201),
        lambda: Anywhere("\n"),
        lambda: AgentVerdict("YES"),
        lambda: InList(0),
        lambda: InList(2**40),
        lambda: checked(And(())),
        lambda: checked(Or((MyVerdict(None),) * 65)),
    ],
)
def test_filters_that_cannot_be(make):
    with pytest.raises(FilterError):
        make()


def test_a_filter_nested_too_deep():
    tree = UNJUDGED
    for _ in range(40):
        tree = Not(tree)
    with pytest.raises(FilterError, match="deep"):
        checked(tree)


def test_both_says_nothing_twice():
    assert combine() == EVERYTHING
    assert combine(EVERYTHING, UNJUDGED) == UNJUDGED
    assert combine(And((UNJUDGED, Flag("a"))), Flag("b")) == And((UNJUDGED, Flag("a"), Flag("b")))
