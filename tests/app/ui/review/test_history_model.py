"""The cells of the log: who, what, when, and the result that was shown."""

from __future__ import annotations

from app.core.session.finer_values import field_values
from app.core.session.records import Opinion, Verdict
from app.ui.review.history_model import local_time
from app.ui.review.history_page import HistoryPage
from tests.app.core.judged_sessions import A, R, say

SEEN = {"verdict": "YES", "p_yes": 0.875, "model": "nano"}


def rows(page):
    model = page.model
    return [
        [model.index(row, column).data() for column in range(model.columnCount())]
        for row in range(model.rowCount())
    ]


def test_every_line_tells_who_what_when_and_what_they_had_seen(qtbot, context, session, shown):
    say(session, "Li Wei", {2: R})
    opinion = Opinion(verdict=Verdict.ACCEPT, confidence=3, flags=("star",), comment="宽\nline")
    session.record_verdict(1, opinion, seconds=4.25, shown=SEEN)
    session.undo()
    page = shown(HistoryPage(context))
    undone, mine, theirs = rows(page)
    name = session.candidate(1).object_id
    assert undone[1:4] == ["Ada", name, "undone, now: not judged"]
    assert mine[1:] == [
        "Ada",
        name,
        "✓ accepted · probable · star",
        "4.2",
        "YES · 0.88 · nano",
        "宽 line",
    ]
    assert theirs[1] == "Li Wei"
    assert theirs[3:6] == ["✕ rejected", "", ""]
    assert len(mine[0]) == len("2026-01-01 00:00:00")


def test_blind_mode_hides_what_others_had_been_shown(qtbot, context, session, shown):
    say(session, "Li Wei", {2: R}, shown=SEEN)
    say(session, "Ada", {1: A}, shown=SEEN)
    context.current.blind_mode.set_on(True)
    page = shown(HistoryPage(context))
    mine, theirs = rows(page)
    assert mine[5] == "YES · 0.88 · nano"
    assert theirs[5] == "hidden in blind mode"
    context.current.blind_mode.set_on(False)
    qtbot.waitUntil(lambda: rows(page)[1][5] == "YES · 0.88 · nano")


def test_a_time_that_is_none_is_shown_as_it_is():
    assert local_time("yesterday") == "yesterday"


def test_sub_classes_and_fields_are_told(qtbot, context, session, shown):
    session.record_verdict(
        1,
        Opinion(
            verdict=Verdict.ACCEPT,
            subclass="DN/WZ Sge",
            fields=field_values({"ebv": 0.25, "seen": True}),
        ),
    )
    (row,) = rows(shown(HistoryPage(context)))
    assert row[3] == "✓ accepted · DN › WZ Sge · ebv = 0.25 · seen = yes"
