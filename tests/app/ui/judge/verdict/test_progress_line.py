"""Progress, and the time left at the present pace."""

from agent.tasks.catalogue import find_task
from app.core.session.records import Opinion, Verdict
from app.core.session.session import new_session
from app.ui.program.top_bar import ProgressLine
from tests.app.ui.conftest import opened_context
from tests.app.ui.steps import shown_in


def words(qtbot, line, wanted):
    qtbot.waitUntil(lambda: wanted in line.text.text())


def test_done_left_and_pace_follow_every_verdict(qtbot, context, session):
    line = shown_in(qtbot, ProgressLine(context))
    line.resize(700, line.height())
    words(qtbot, line, "0 done · 12 left")
    for number, seconds in ((1, 4.0), (2, 8.0), (3, 6.0)):
        session.record_verdict(number, Opinion(verdict=Verdict.REJECT), seconds=seconds)
    words(qtbot, line, "3 done · 9 left · 6.0 s each, about a minute to go")
    session.undo()
    words(qtbot, line, "2 done · 10 left")


def test_where_room_is_short_the_counts_stay_and_the_pace_is_a_tooltip(qtbot, context, session):
    line = shown_in(qtbot, ProgressLine(context))
    words(qtbot, line, "0 done · 12 left")
    width = line.sizeHint().width()
    line.resize(width + 10, line.height())
    for number in (1, 2, 3):
        session.record_verdict(number, Opinion(verdict=Verdict.REJECT), seconds=6.0)
    words(qtbot, line, "3 done · 9 left")
    assert line.text.text() == "3 done · 9 left"
    assert line.text.toolTip() == "6.0 s each, about a minute to go"
    # The bar above the page asks for no more room once the pace is known, so the plot stays.
    assert line.sizeHint().width() <= width + 10
    line.resize(700, line.height())
    words(qtbot, line, "6.0 s each")


def test_an_empty_and_a_finished_list_say_so(qtbot, context, session, tmp_path):
    line = shown_in(qtbot, ProgressLine(context))
    for number in range(1, 13):
        session.record_verdict(number, Opinion(verdict=Verdict.UNSURE), seconds=1.0)
    words(qtbot, line, "All 12 judged")
    with (
        new_session(tmp_path / "empty", find_task("CV"), "Ada") as empty,
        opened_context(empty) as context,
    ):
        none = shown_in(qtbot, ProgressLine(context))
        words(qtbot, none, "No candidates yet")


def test_long_times_are_in_hours(qtbot, context):
    line = shown_in(qtbot, ProgressLine(context))
    assert line._time(30) == "a minute" and line._time(40 * 60) == "40 min"
    assert line._time(5400) == "1.5 h"
    words(qtbot, line, "12 left")
