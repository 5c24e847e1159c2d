"""The line about a round of repeats starts and stops it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.core.session.records import Verdict
from app.core.statistics.repeats import repeats_of
from tests.app.ui.candidates import sample_file
from tests.app.ui.repeating import HERE, go_to_repeat, judged, person
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


def test_a_sub_class_in_a_round_is_kept_with_the_repeat(person):
    person.window.settings.change(subclass_seconds=20.0)
    session, number = person.view.session, person.current.repeat_round.plan[0]
    lines = len(list(session.history()))
    go_to_repeat(person, 0)
    person.press("a")
    go_to_repeat(person, 1)
    person.press("d")
    (repeat,) = repeats_of(session)
    assert (repeat.candidate_id, repeat.second.subclass) == (number, "DN")
    assert session.judgement(number).opinion.subclass == ""  # the first verdict stays
    assert len(list(session.history())) == lines
