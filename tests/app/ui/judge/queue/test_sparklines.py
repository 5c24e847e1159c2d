"""Small spectra: only what is on screen is read, and a broken file is an empty place."""

import numpy as np
import pytest

from app.core.session.records import Change
from app.ui.judge.queue import sparklines
from app.ui.judge.queue.queue_panel import QueuePanel
from app.ui.judge.queue.sparklines import UNREADABLE, Sparklines
from tests.app.ui.conftest import opened_context
from tests.app.ui.judge.comparison.conftest import put
from tests.app.ui.judge.queue.conftest import ready
from tests.app.ui.steps import shown_in


@pytest.fixture
def lines(context, session):
    return Sparklines(session, context.runner)


def test_a_line_comes_stays_and_a_broken_file_is_an_empty_place(qtbot, lines, session, tmp_path):
    candidate = session.candidate(1)
    assert lines.of(candidate) == (None, "…")
    with qtbot.waitSignal(lines.arrived) as signal:
        pass
    assert signal.args[0] == {1}
    line, text = lines.of(candidate)
    assert text == "" and 50 < line.count() <= 200
    assert all(0 <= point.x() <= 1 and 0 <= point.y() <= 1 for point in line)
    good = session.candidate(2).path
    put(session, 2, path=str(tmp_path / "gone"))
    with qtbot.waitSignal(lines.arrived):
        lines.of(session.candidate(2))
    assert lines.of(session.candidate(2)) == (None, UNREADABLE)
    put(session, 2, path=good)
    lines.session_changed(Change(aspect="spectrum"))
    with qtbot.waitSignal(lines.arrived):
        lines.of(session.candidate(2))
    assert lines.of(session.candidate(2))[0] is not None


def test_a_scroll_forgets_what_was_not_begun(qtbot, lines, session):
    read = []
    lines.arrived.connect(read.append)
    for number in range(1, 13):
        lines.of(session.candidate(number))
    lines.forget_waiting()
    lines.of(session.candidate(12))
    qtbot.waitUntil(lambda: lines.of(session.candidate(12))[0] is not None)
    assert len(frozenset().union(*read)) < 12


def test_memory_is_bounded(qtbot, lines, session, monkeypatch):
    monkeypatch.setattr(sparklines, "HELD", 3)
    for number in range(1, 9):
        lines.of(session.candidate(number))
    qtbot.waitUntil(lambda: lines.of(session.candidate(8))[0] is not None)
    assert len(lines._held) <= 3


def test_a_long_list_asks_for_what_is_seen_only(qtbot, long_session, monkeypatch):
    asked, forgotten, forget = [], [], Sparklines.forget_waiting
    monkeypatch.setattr(Sparklines, "forget_waiting", lambda made: forgotten.append(forget(made)))
    monkeypatch.setattr(
        sparklines, "_line", lambda session, key: asked.append(key) or np.empty((0, 2))
    )
    with opened_context(long_session) as context:
        panel = shown_in(qtbot, QueuePanel(context), 500, 500)
        panel.store.show("spectrum", True)
        ready(qtbot, panel)
        bar = panel.table.verticalScrollBar()
        for part in range(20):
            bar.setValue(bar.maximum() * part // 20)
        bar.setValue(bar.maximum())
        qtbot.waitUntil(lambda: any(key.candidate_id == 30_000 for key in asked))
        assert len(asked) < 1000 and len(forgotten) >= 20
