"""Which opinion stands, from the lines of the log alone."""

import random
from collections import Counter
from types import SimpleNamespace

import pytest

from app.core.session.log_resolution import (
    CONTENT,
    LATER_CONTENT,
    last_withdrawal,
    resolved_ends,
    resolved_line,
)
from tests.night import seeds


def line(number, at, action="set", *, before=None, target=None, origin="", there=None):
    return SimpleNamespace(
        id=number,
        at=at,
        action=action,
        before_id=before,
        target_id=target,
        origin=origin,
        origin_id=(there or number) if origin else None,
        **{name: None for name in (*CONTENT, *LATER_CONTENT) if name != "action"},
    )


@pytest.mark.parametrize(("lines", "wanted"), [
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
])  # fmt: skip
def test_which_opinion_stands(lines, wanted):
    found = resolved_line(lines, "own")
    assert (None if found is None else found.id) == wanted


def test_corrections_of_a_line_from_a_clock_that_was_ahead():
    """The later correction stands, in whatever order the three lines came into a file."""
    first = line(1, "99")
    early, late = (line(2, "10", before=1), line(3, "11", before=1, origin="own", there=2))
    assert resolved_line([first, early, late], "own") is late
    late, early = (line(2, "11", before=1), line(3, "10", before=1, origin="own", there=2))
    assert resolved_line([first, late, early], "own") is late
    assert resolved_ends([first, late, early], "own") == [late, early]
    again = line(4, "09", before=3, origin="own", there=3)
    assert resolved_line([first, late, early, again], "own") is late
    assert resolved_ends([first, late, early, again], "own") == [late, again]


def test_lines_of_the_same_time_and_of_undo_are_in_the_order_of_their_numbers():
    """Which of two stands is told by where they were written, not by their order here."""
    here, there = line(1, "10"), line(2, "10", origin="z")
    assert resolved_line([here, there], "a") is there
    assert resolved_line([line(1, "10", origin="a"), line(2, "10", origin="z")], "q").id == 2
    assert resolved_line([line(1, "10", origin="z"), line(2, "10", origin="a")], "q").id == 1
    lines = [line(1, "10"), line(2, "99", "undo", target=1), line(3, "05", "redo", target=1)]
    assert resolved_line(lines, "own").id == 1
    lines = [line(1, "10"), line(4, "05", "redo", target=1, origin="own", there=3)]
    lines += [line(5, "99", "undo", target=1, origin="own", there=2)]
    assert resolved_line(lines, "own").id == 1
    lines = [line(1, "10"), line(2, "11", before=1)]
    assert resolved_line(lines, "own", undone=2).id == 1
    undone = [*lines, line(3, "12", "undo", target=2)]
    assert resolved_line(undone, "own").id == 1
    assert resolved_line(undone, "own", redone=2).id == 2


def test_undo_and_redo_in_two_copies():
    """Each knew the first undo only; the later clock decides, and a redo follows its undo."""
    lines = [line(1, "10"), line(2, "11", "undo", target=1, before=1)]
    lines += [line(3, "05", "redo", target=1, before=2)]
    assert resolved_line(lines, "own").id == 1
    assert last_withdrawal(lines, "own", 1) == 3
    lines += [line(4, "06", "redo", target=1, before=2, origin="own", there=3)]
    lines += [line(5, "04", "undo", target=1, before=4, origin="own", there=4)]
    assert resolved_line(lines, "own") is None
    assert last_withdrawal(lines, "own", 1) == 5
    assert last_withdrawal(lines[:1], "own", 1) == 1


@pytest.mark.parametrize("batch", seeds(by_day=1, by_night=20))
def test_the_lines_alone_decide(batch):
    """20,000 logs by night: other ids, another order, whatever the clocks; the same answer."""
    chance = random.Random(batch)
    found = Counter()
    for _ in range(1000 if batch else 200):
        lines = any_log(chance)
        answers = {of_what(resolved_line(other_file(lines, chance), "none")) for _ in range(4)}
        answers.add(of_what(resolved_line(lines, "none")))
        assert len(answers) == 1
        ends = {of_what(each) for each in resolved_ends(other_file(lines, chance), "none")}
        assert answers <= ends or answers == {None} == ends | {None}
        found[len(ends)] += 1
        check_next_deeds(lines, chance)
    assert found[0] and found[1] and found[2]


def any_log(chance):
    """Lines of three sessions with copies, in an order in which they may have been written."""
    lines = []
    for number in range(1, chance.randint(2, 14)):
        origin = chance.choice("abc")
        at, there = str(chance.randint(10, 14)), chance.randint(1, 6)
        here = {"origin": origin, "there": there}
        set_lines = [each.id for each in lines if each.action == "set"]
        if not set_lines or chance.random() < 0.5:
            before = chance.choice([None, *set_lines])
            lines.append(line(number, at, before=before, **here))
            continue
        target = chance.choice(set_lines)
        known = [each.id for each in lines if each.target_id == target]
        before = chance.choice([None, target, *known])  # None: by an older program
        action = chance.choice(["undo", "redo"])
        lines.append(line(number, at, action, target=target, before=before, **here))
    for each in lines:
        each.comment = str(each.id)  # what was said tells them apart
    return lines


def other_file(lines, chance):
    """The same lines as they may stand in another file."""
    left, ids, found = list(lines), {None: None}, []
    while left:
        ready = [each for each in left if each.before_id in ids and each.target_id in ids]
        each = chance.choice(ready)
        left.remove(each)
        ids[each.id] = len(ids)
        moved = {"id": ids[each.id], "before_id": ids[each.before_id]}
        found.append(SimpleNamespace(**vars(each) | moved | {"target_id": ids[each.target_id]}))
    return found


def of_what(found):
    return None if found is None else found.comment


def check_next_deeds(lines, chance):
    """A new verdict stands, and an undo and a redo do what they say, whatever the clock says."""
    number, at = len(lines) + 1, str(chance.randint(8, 16))
    stood = resolved_line(lines, "none")
    new = line(number, at, before=None if stood is None else stood.id)
    assert resolved_line([*lines, new], "none") is new
    target = chance.choice([each.id for each in lines if each.action == "set"])
    for action in ("undo", "redo"):
        as_if = {"undone" if action == "undo" else "redone": target}
        wanted = resolved_line(lines, "none", **as_if)
        before = last_withdrawal(lines, "none", target)
        done = line(number, at, action, target=target, before=before)
        assert resolved_line([*lines, done], "none") is wanted
