"""Which opinion stands, from the lines of the log alone."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from app.core.session.standing import CONTENT, standing_line


def line(number, at, action="set", *, before=None, target=None, origin=""):
    return SimpleNamespace(
        id=number,
        at=at,
        action=action,
        before_id=before,
        target_id=target,
        origin=origin,
        origin_id=number if origin else None,
        **{name: None for name in CONTENT if name != "action"},
    )


@pytest.mark.parametrize(
    ("lines", "wanted"),
    [
        ([], None),
        ([line(1, "10")], 1),
        ([line(1, "10"), line(2, "11", "undo", target=1)], None),
        ([line(1, "10"), line(2, "11", before=1)], 2),
        # a clock set back
        ([line(1, "10"), line(2, "05", before=1)], 2),
        ([line(1, "10"), line(2, "05", before=1), line(3, "04", "undo", target=2)], 1),
        (
            [
                line(1, "10"),
                line(2, "05", before=1),
                line(3, "04", "undo", target=2),
                line(4, "03", "redo", target=2),
            ],
            2,
        ),
        # merged in: the later one
        ([line(1, "10"), line(2, "09", origin="x")], 1),
        ([line(1, "10"), line(2, "11", origin="x")], 2),
        ([line(1, "10"), line(2, "10", origin="x")], 2),
        # what followed it there, by a clock that was wrong
        ([line(1, "10"), line(2, "12", origin="x"), line(3, "01", origin="x", before=2)], 3),
        # taken back there: the own one, or nothing
        (
            [line(1, "10"), line(2, "12", origin="x"), line(3, "13", "undo", target=2, origin="x")],
            1,
        ),
        ([line(1, "10"), line(2, "13", "undo", target=1, origin="x")], None),
        # said here in knowledge of what was merged in
        ([line(1, "10"), line(2, "20", origin="x"), line(3, "15", before=2)], 3),
        # taken back in a copy, done again here later
        (
            [
                line(1, "10"),
                line(2, "11", "undo", target=1),
                line(3, "14", "redo", target=1),
                line(4, "12", "undo", target=1, origin="x"),
            ],
            1,
        ),
    ],
)
def test_which_opinion_stands(lines, wanted):
    found = standing_line(lines, "own")
    assert (None if found is None else found.id) == wanted


def test_as_if_now():
    lines = [line(1, "10"), line(2, "11", before=1)]
    assert standing_line(lines, "own", undone=2).id == 1
    undone = [*lines, line(3, "12", "undo", target=2)]
    assert standing_line(undone, "own").id == 1
    assert standing_line(undone, "own", redone=2).id == 2
