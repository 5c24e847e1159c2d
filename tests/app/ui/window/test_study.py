"""A study in the window: its order, what its arms show, and what they hide."""

import re
import shutil
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.core.inspections.seen import read_seen
from app.core.inspections.store import add_inspection
from app.core.session.assignments import STUDY_FACT
from app.core.session.records import Opinion
from app.core.session.session import open_session
from app.core.sharing import study_plan
from app.core.sharing.merge import merge
from app.core.sharing.study_plan import HASH, new_study, numbers_by_key, study_of, turns_left
from app.core.study.readings import readings_of
from app.ui.base.actions.actions import ACTIONS
from app.ui.base.settings.settings_store import SettingsStore
from app.ui.exchange.sharing import study_dialog
from app.ui.judge.diagnostic_windows.windows_row import WindowCell
from app.ui.judge.similar.similar_panel import SimilarCell
from app.ui.session.candidate.study_round import ALLOWED
from tests.app.core.inspected import said
from tests.app.core.sessions import change_candidates
from tests.app.core.sharing.test_study_plan import judge
from tests.app.ui.candidates import sample_file
from tests.app.ui.steps import texts_of
from tests.app.ui.whole_window import CTRL, before_window

COUNT = 6
SECRET = re.compile(r"secretly|0\.87|87(\.3)? ?%|eye-9|Agent: (YES|NO)")
"""What only the agent's answers say: their words, p(YES) and the model's name."""


def begun(folder: Path, design, people=("Ada", "Ben"), odd="YES", p_yes=0.8731, **more) -> Path:
    place = sample_file(folder, COUNT)
    with open_session(place, "Lead") as session:
        change_candidates(session, {n: {"label": "labelled star"} for n in range(1, COUNT + 1)})
        for number in range(1, COUNT + 1):
            record = said(
                odd if number % 2 else {"YES": "NO", "NO": "YES"}[odd], p_yes, number=number
            )
            steps = tuple(replace(step, text=f"secretly {step.kind}") for step in record.steps)
            model = replace(record.model, name="eye-9")
            add_inspection(session, number, replace(record, steps=steps, model=model))
        if design is not None:
            new_study(session, people, design, seed=3, **more)
    return place


def told(person, secret=SECRET) -> list[str]:
    """What the window gives away of any agent's answer."""
    shown = [each for each in QApplication.allWidgets() if each.isVisible()]
    return [text for widget in shown for text in texts_of(widget) if secret.search(text)]


def turn_of(person):
    return person.current.blind_mode.turn


def plan_left(person):
    plan = study_of(person.session)
    return turns_left(person.session, plan, numbers_by_key(person.session))


@pytest.mark.parametrize("design", ["split", "crossover", "unaided-first"])
def test_every_reading_is_given_in_its_order_and_sees_what_the_plan_shows(qtbot, tmp_path, design):
    place = begun(tmp_path, design)
    with before_window(qtbot, place) as person:
        numbers = numbers_by_key(person.session)
        plan = study_of(person.session)
        for index, turn in enumerate(plan.turns["Ada"]):
            person.wait(lambda turn=turn: turn_of(person) == turn)
            person.sees(numbers[turn.key])
            assert person.current.opinion == Opinion()
            person.view.judging.dock_area.show_dock("agent")
            if turn.arm == "unaided":
                assert told(person) == []
            else:
                person.wait(lambda: told(person))
            person.view.judging.dock_area.show_dock("object")
            QApplication.processEvents()
            assert told(person, re.compile("labelled star")) == []
            assert person.reads(f"Study, {index + 1} of {len(plan.turns['Ada'])}:")
            person.press("axu"[index % 3])
        person.wait(lambda: turn_of(person) is None)
        assert plan_left(person) == []
        assert "Your part of the study is done" in person.view.status.message.full_text
    with open_session(place, "Lead") as session:
        found = readings_of(session, study_of(session))
    assert found.deviating == {}
    assert found.person.size == len(plan.turns["Ada"])
    expected = [index % 3 for index in range(found.person.size)]
    assert found.verdict.tolist() == expected


def found_alike(person) -> list[SimilarCell]:
    return [each for each in person.window.findChildren(SimilarCell) if each.neighbour is not None]


def pictures_of(person) -> dict[str, QImage]:
    """A picture of the window for each dock, taken while that dock is in front."""
    found = {}
    for dock in ("object", "agent", "evidence", "similar", "queue", "guideline"):
        person.view.judging.dock_area.show_dock(dock)
        QApplication.processEvents()
        found[dock] = person.window.grab().toImage()
    return found


def test_no_picture_of_the_window_depends_on_what_the_agent_says(qtbot, tmp_path):
    """The same candidates with the other verdicts and another p(YES) look the same to the dot."""
    seen: dict[str, QImage] = {}
    for odd, p_yes in (("YES", 0.8731), ("NO", 0.8231)):
        (tmp_path / odd).mkdir()
        place = begun(tmp_path / odd, "unaided-first", odd=odd, p_yes=p_yes)
        with before_window(qtbot, place) as person:
            cells = person.window.findChildren(WindowCell)
            person.wait(lambda cells=cells: all(each.numbers for each in cells if each.is_covered))
            person.view.judging.dock_area.show_dock("similar")
            person.wait(lambda person=person: len(found_alike(person)) == COUNT - 1)
            if not seen:  # a busy machine draws some of it late: twice the same is all of it
                person.wait(lambda person=person: pictures_of(person) == pictures_of(person))
                seen = pictures_of(person)
            person.wait(lambda person=person, seen=seen: pictures_of(person) == seen)
            person.press("a")
            person.wait(lambda: turn_of(person).arm == "advice" and told(person))
            assert person.window.grab().toImage() != seen["guideline"]


def test_the_verdict_alone_is_shown_without_reasons(qtbot, tmp_path):
    place = begun(tmp_path, "unaided-first", aided="verdict")
    with before_window(qtbot, place) as person:
        first = person.number
        person.view.judging.dock_area.show_dock("agent")
        assert not person.reads("the agent says")
        person.press("a")
        person.wait(lambda: turn_of(person).arm == "verdict")
        person.sees(first)
        answer = person.session.candidate(first).agent_verdict
        assert person.reads(f"the agent says {answer}.") and told(person) == []
        person.press("x")
        person.wait(lambda: turn_of(person).reading == 1)
    with open_session(place, "Lead") as session:
        found = readings_of(session, study_of(session))
    assert found.deviating == {} and found.verdict.tolist() == [0, 1]


def test_nothing_leads_away_or_gives_an_answer_away(qtbot, tmp_path):
    """Each action that a reader has not is tried; so are clicks that lead to another candidate."""
    place = begun(tmp_path, "split")
    with before_window(qtbot, place) as person:
        while turn_of(person).arm != "unaided":
            number = person.number
            person.press("x")
            person.wait(lambda number=number: person.number != number)
        here = person.number
        person.sees(here)
        for dock in ("agent", "object", "evidence", "similar", "queue", "guideline"):
            person.view.judging.dock_area.show_dock(dock)
            QApplication.processEvents()
            assert told(person) == [], dock
        refused = sorted(ACTIONS.keys() - ALLOWED)
        for name in refused:
            person.current.message.emit("")
            person.window.commands.run(name)
            if person.window.commands.can(name):
                assert "study" in person.view.status.message.full_text, name
            assert person.view.page == "judging_page" and person.number == here
            assert not [w for w in QApplication.topLevelWidgets() if w.isModal() and w.isVisible()]
        other = here % COUNT + 1
        person.current.go_to(other)
        assert person.number == here
        assert person.current.blind_mode.is_on and told(person) == []
        assert read_seen(person.session, here) is None
        assert person.view.judging.docks["queue"].part.table.isHidden()
        for name in ("step", "take_proposal"):  # for what the agent says, which is hidden here
            person.window.commands.run(name)
        assert person.opinion(here) is None and told(person) == []


def test_undo_takes_back_a_verdict_but_none_that_came_before_the_agents_answer(qtbot, tmp_path):
    with before_window(qtbot, begun(tmp_path, "unaided-first")) as person:
        first = person.number
        person.press("a")
        person.wait(lambda: turn_of(person).reading == 2)
        person.sees(first)
        person.press("z", CTRL)
        assert "The first verdict stands" in person.view.status.message.full_text
        assert turn_of(person).reading == 2
        person.press("x")
        person.wait(lambda: turn_of(person).reading == 1)
        person.wait(lambda: person.current.is_painted)
        person.press("z", CTRL)
        person.wait(lambda: turn_of(person).reading == 2)
        person.sees(first)
        person.press("u")
        person.wait(lambda: person.number != first)
        plan = study_of(person.session)
        found = readings_of(person.session, plan)
        assert found.verdict.tolist() == [0, 2] and found.deviating == {}


def test_a_verdict_waits_for_no_query_of_the_plan_and_what_others_retired_is_not_asked(
    qtbot, tmp_path, monkeypatch
):
    people = ["Ada", "Ben", "Cy"]
    place = begun(tmp_path, "split", people=people, retire_after=2)
    other = shutil.copy(place, tmp_path / "other.speco3")
    for name in people[1:]:
        judge(other, name)
    in_window = []

    def watched(*args):
        in_window.append(threading.current_thread() is threading.main_thread())
        return turns_left(*args)

    with before_window(qtbot, place) as person:
        monkeypatch.setattr(study_plan, "turns_left", watched)
        _, second, *_ = plan_left(person)
        with open_session(other, "Lead", read_only=True) as judged:
            merge(person.session, judged)
        person.press("a")
        person.wait(lambda: turn_of(person) == second)  # known before the others agreed
        person.wait(lambda: person.reads(f"Study, {COUNT} of {COUNT}:"))
        assert True not in in_window
        person.press("a")
        person.wait(lambda: turn_of(person) is None)
    with open_session(place, "Lead") as session:
        found = readings_of(session, study_of(session))
    assert found.person.size == 2 * COUNT + 2


def test_time_in_another_program_does_not_count(qtbot, tmp_path, monkeypatch):
    clock = [100.0]
    with before_window(qtbot, sample_file(tmp_path, 3)) as person:
        person.sees(1)
        monkeypatch.setattr("app.ui.session.candidate.current.time.monotonic", lambda: clock[0])
        person.current._painted_at = 100.0
        for state, at in (
            (Qt.ApplicationState.ApplicationInactive, 105.0),
            (Qt.ApplicationState.ApplicationHidden, 110.0),
            (Qt.ApplicationState.ApplicationActive, 400.0),
        ):
            clock[0] = at
            QApplication.instance().applicationStateChanged.emit(state)
        clock[0] = 402.0
        person.press("x", sees=2)
        (entry,) = person.log()
        assert entry.seconds == pytest.approx(7.0)


def test_a_plan_that_was_edited_is_told_and_nobody_follows_it(qtbot, tmp_path):
    place = begun(tmp_path, "split")
    with open_session(place, "Lead") as session:
        session.set_fact(STUDY_FACT, session.fact(STUDY_FACT).replace('"seed":3', '"seed":4'))
        assert session.fact(HASH)
    with before_window(qtbot, place) as person:
        assert "was changed after it was frozen" in person.view.status.message.full_text
        assert not person.current.repeat_round.is_study and told(person) == []


def test_who_leads_the_study_works_as_ever(qtbot, tmp_path, monkeypatch):
    settings = SettingsStore()
    settings.change(reviewer="Lead")
    with before_window(qtbot, begun(tmp_path, "split"), settings) as person:
        assert not person.current.repeat_round.is_on and person.current.blind_mode.is_on
        person.window.commands.run("study")
        dialog = person.view.dialogs.study
        person.wait(lambda: dialog.progress.rows)
        assert [row[0] for row in dialog.progress.rows] == ["Ada", "Ben"]
        assert study_of(person.session).sha256 in dialog.plan.text()
        opened = []
        monkeypatch.setattr(study_dialog.QDesktopServices, "openUrl", opened.append)
        dialog.write(tmp_path / "study.html")
        person.wait(lambda: opened)
        assert "<h1>" in (tmp_path / "study.html").read_text()
        dialog.hide()


def test_a_plan_is_frozen_in_the_window(qtbot, tmp_path):
    place = begun(tmp_path, None)
    settings = SettingsStore()
    settings.change(reviewer="Lead")
    with before_window(qtbot, place, settings) as person:
        person.window.commands.run("study")
        dialog = person.view.dialogs.study
        person.wait(lambda: not dialog.is_busy)
        assert not dialog.freeze.isEnabled()
        QTest.keyClicks(dialog.people, "Ada, Ben")
        QTest.mouseClick(dialog.freeze, Qt.MouseButton.LeftButton)
        person.wait(lambda: dialog.progress.rows)
        plan = study_of(person.session)
        assert (plan.people, plan.design) == (("Ada", "Ben"), "unaided-first")
        assert not dialog.form.isVisible() and dialog.report.isVisible()
        dialog.hide()
