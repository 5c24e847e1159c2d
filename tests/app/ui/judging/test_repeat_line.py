"""The line about a round of repeats starts and stops it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.core.session.records import Verdict
from tests.app.ui.candidates import sample_file
from tests.app.ui.repeating import HERE, judged, person
from tests.app.ui.whole_window import before_window

__all__ = ["judged", "person"]
Key = Qt.Key


def test_stop_leads_back(person):
    QTest.mouseClick(person.view.judging.repeat_line.stop, Qt.MouseButton.LeftButton)
    person.sees(HERE)
    assert not person.current.repeat_round.is_on
    assert person.current.opinion.verdict is Verdict.ACCEPT


def test_too_few_verdicts_to_repeat(qtbot, tmp_path):
    with before_window(qtbot, sample_file(tmp_path, 3)) as person:
        person.window.commands.run("show_again")
        person.wait(lambda: "Nothing to repeat" in person.view.status.message.full_text)
        assert person.number == 1 and not person.current.repeat_round.is_on
