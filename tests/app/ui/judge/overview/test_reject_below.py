"""Rejecting all below a p(YES): only after some of them were judged blind."""

import json
import math

import pytest
from PySide6.QtCore import Qt

from app.core.queue import EVERYTHING, parse_filter, parse_sort
from app.core.queue.blind_filters import CHECK_FACT
from app.core.session.records import Opinion, Verdict
from app.ui.judge.overview.overview_page import OverviewPage
from app.ui.judge.overview.reject_below import _check_under_way
from app.ui.session.candidate.queue_neighbours import Queue
from tests.app.ui.candidates import sample_file
from tests.app.ui.judge.overview.test_overview_page import drawn, messages_of
from tests.app.ui.judge.overview.test_sheet_view import here, opened
from tests.app.ui.whole_window import CTRL, before_window


@pytest.fixture
def sorted_by_p(qtbot, tmp_path):
    """Someone before 60 candidates, likeliest first; their p(YES) are 0.61 to 0.02."""
    with before_window(qtbot, sample_file(tmp_path, 60)) as person:
        with person.session.database.writing() as connection:
            connection.exec_driver_sql(
                "UPDATE candidates SET agent_verdict = 'NO', agent_model = 'nano',"
                " agent_p_yes = 0.62 - id / 100.0"
            )
        person.current.set_queue(EVERYTHING, parse_sort("p_yes"))
        yield person, opened(person)


def test_some_are_judged_blind_before_the_act_and_one_undo_takes_it_back(sorted_by_p):
    person, page = sorted_by_p
    told = messages_of(person)
    page.sheet.go_to_row(5)  # the sixth has 0.56: 54 are below
    before = person.current.queue
    page.bar.below.click()
    person.wait(page.below.isVisible)
    assert person.current.blind_mode.is_on
    person.wait(lambda: page.model.rowCount() == 20 and not page.loader.is_counting)
    drawn_ids = set(page.below.check.drawn)
    assert len(drawn_ids) == 20 and min(drawn_ids) > 6
    assert page.below.text.text().endswith("from 54 below p(YES) 0.56: 0 of 20 judged blind")
    assert not page.below.go_on.isEnabled()
    person.window.commands.run("reject_below")
    assert told[-1] == "Judge those drawn first: 20 left"
    person.wait(lambda: page.model.rowCount() == 20 and not page.loader.is_counting)
    drawn(person, page)
    page.sheet.go_to_row(0)
    page.sheet.setFocus()
    for key in "aau" + 16 * "x":
        person.press(key)
    person.wait(lambda: len(person.verdicts()) == 19)
    person.wait(lambda: "19 of 20" in page.below.text.text())
    assert page.confirm.isHidden() and here(page) == 19
    person.press("x")
    person.wait(page.confirm.isVisible)
    said = page.confirm.text.text()
    assert "Of 20 drawn from 54 below p(YES) 0.56 you rejected 17, accepted 2" in said
    assert "unsure of 1. Among the other 34 up to 12 may deserve" in said
    blind = {entry.candidate_id: entry.shown for entry in person.log()}
    assert {entry.order_met for entry in person.log()} == {"list:up"}  # as they were shown
    assert set(blind) == drawn_ids and not blind[max(drawn_ids)]  # it was on no sheet before
    person.wait(page.confirm.hasFocus)
    person.press(Qt.Key.Key_Return)
    person.wait(lambda: len(person.verdicts()) == 54 and not page.acts.is_busy)
    assert list(person.verdicts().values()).count("REJECT") == 51
    assert person.current.queue == before and not person.current.blind_mode.is_on
    assert page.below.isHidden()
    person.press(Qt.Key.Key_Z, CTRL)
    person.wait(lambda: set(person.verdicts()) == drawn_ids and not page.acts.is_busy)


def test_after_a_restart_it_goes_on(qtbot, sorted_by_p):
    person, page = sorted_by_p
    before = person.current.queue
    page.sheet.go_to_row(5)
    page.bar.below.click()
    person.wait(lambda: page.below.isVisible() and page.model.rowCount() == 20)
    drawn, reject = page.below.check.drawn, Opinion(verdict=Verdict.REJECT)
    for number in drawn[:7]:
        person.session.record_verdict(number, reject)
    person.wait(lambda: "7 of 20" in page.below.text.text())
    place, key = person.session.location, f"{CHECK_FACT}:Ada"
    text = json.loads(person.session.fact(key))
    person.window.close()
    with before_window(qtbot, None) as again:
        again.window.opening.open_session(place)
        again.wait(lambda: again.window.view is not None and again.current.row is not None)
        assert again.view.page == "overview_page" and again.current.blind_mode.is_on
        page = again.view.findChild(OverviewPage)
        again.wait(lambda: "from 54 below p(YES) 0.56: 7 of 20 judged" in page.below.text.text())
        assert page.below.isVisible() and page.below.check.drawn == drawn
        for number in drawn[7:]:
            again.session.record_verdict(number, reject)
        again.wait(page.confirm.isVisible)
        again.press(Qt.Key.Key_Return)
        again.wait(lambda: len(again.verdicts()) == 54 and not page.acts.is_busy)
        assert again.current.queue == before and again.session.fact(key) == ""
        again.current.blind_mode.set_on(True)
        for odd in ("[", "[]", "[" * 100_000, {**text, "p_yes": math.nan},
                    {**text, "ids": 3}, {**text, "drawn": [999]}, {**text, "order": 7},
                    {**text, "p_yes": None}, {**text, "filter": "("}):  # fmt: skip
            again.session.set_fact(key, odd if isinstance(odd, str) else json.dumps(odd))
            assert _check_under_way(again.session) is None


def test_it_is_stopped_and_too_few_or_hidden_ones_are_not_drawn_from(sorted_by_p):
    person, page = sorted_by_p
    told = messages_of(person)
    page.sheet.go_to_row(47)
    person.window.commands.run("reject_below")
    person.wait(lambda: told)
    assert told.pop() == "Too few are below p(YES) 0.14 to draw from: 12" and page.below.isHidden()
    person.current.blind_mode.set_on(True)
    person.window.commands.run("reject_below")
    assert told.pop() == "Choose a candidate whose p(YES) is shown first"
    person.current.blind_mode.set_on(False)
    queue = Queue(tree=parse_filter("id>10"), sort=parse_sort("p_yes"))
    person.current.set_queue(queue.tree, queue.sort)
    person.wait(lambda: page.model.rowCount() == 50 and not page.loader.is_counting)
    person.wait(lambda: page.model.blocks.row(0) is not None)
    page.sheet.go_to_row(0)
    for stop in (page.below.stop.click, lambda: person.current.blind_mode.set_on(False)):
        person.window.commands.run("reject_below")
        person.wait(page.below.isVisible)
        stop()
        assert page.below.isHidden() and person.current.queue == queue
        assert not person.current.blind_mode.is_on and person.verdicts() == {}
        person.wait(lambda: page.model.rowCount() == 50 and not page.loader.is_counting)
        person.wait(lambda: page.model.blocks.row(0) is not None)
        page.sheet.go_to_row(0)
    person.press(Qt.Key.Key_1, CTRL)
    told.clear()
    person.window.commands.run("reject_below")
    assert told == ["Open the overview first"] and Verdict.REJECT not in person.verdicts().values()
