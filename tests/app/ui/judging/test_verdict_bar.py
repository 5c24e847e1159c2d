"""The bar at the top: what is pressed is what is written down, and what it says is what holds."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from app.core.inspections.store import mark_fault
from app.core.session.records import Opinion, Verdict
from app.core.session.session import open_session
from app.ui.judging.verdict_bar import VerdictBar
from tests.app.ui.conftest import opened_context
from tests.app.ui.opinions import give_opinion
from tests.app.ui.steps import painted, put_on_desk, shown_in

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def bar(qtbot, context):
    return shown_in(qtbot, VerdictBar(context), 760, 110)


def test_a_click_judges_and_says_so(qtbot, bar, context, session):
    put_on_desk(qtbot, context)
    qtbot.mouseClick(bar.buttons[Verdict.REJECT], LEFT)
    assert session.judgement(1).opinion.verdict is Verdict.REJECT
    assert "REJECT saved" in bar.state.saved.full_text
    assert session.candidate(1).object_id in bar.state.saved.full_text
    assert " s" in bar.state.saved.full_text.rsplit("·", 1)[1]
    painted(qtbot, context, 2)
    assert bar.state.verdict.text() == "not judged"


def test_the_verdict_that_holds_is_marked_by_shape_and_word(qtbot, bar, context, session):
    session.record_verdict(3, Opinion(verdict=Verdict.UNSURE))
    put_on_desk(qtbot, context, 3)
    assert [verdict for verdict, each in bar.buttons.items() if each.isChecked()] == ["UNSURE"]
    assert bar.state.verdict.text() == "? unsure"
    context.current.undo()
    assert not any(each.isChecked() for each in bar.buttons.values())
    assert "Undone: not judged" in bar.state.saved.full_text


def test_a_click_before_the_spectrum_is_drawn_marks_nothing(qtbot, bar, context, session):
    context.current.go_to(1)
    qtbot.mouseClick(bar.buttons[Verdict.ACCEPT], LEFT)
    assert session.judgement(1) is None
    assert not bar.buttons[Verdict.ACCEPT].isChecked()


@pytest.mark.parametrize(
    "name, verdict, stays",
    [
        ("accept", "ACCEPT", False),
        ("reject", "REJECT", False),
        ("unsure", "UNSURE", False),
        ("accept_stay", "ACCEPT", True),
        ("reject_stay", "REJECT", True),
        ("unsure_stay", "UNSURE", True),
    ],
)
def test_every_verdict_has_an_action(qtbot, bar, context, session, name, verdict, stays):
    put_on_desk(qtbot, context)
    context.commands.run(name)
    assert session.judgement(1).opinion.verdict == verdict
    assert context.current.candidate.id == (1 if stays else 2)


def test_confidence_by_action_and_by_click(qtbot, bar, context, session):
    put_on_desk(qtbot, context)
    context.commands.run("confidence_3")
    assert bar.confidence.buttons[3].isChecked()
    qtbot.mouseClick(bar.confidence.buttons[4], LEFT)
    context.commands.run("accept_stay")
    assert session.judgement(1).opinion.confidence == 4
    qtbot.mouseClick(bar.confidence.buttons[4], LEFT)  # pressed again: not given
    assert session.judgement(1).opinion == Opinion(verdict=Verdict.ACCEPT)
    assert not bar.confidence.buttons[4].isChecked()


def test_undo_and_redo_by_click(qtbot, bar, context, session):
    put_on_desk(qtbot, context)
    context.commands.run("accept")
    painted(qtbot, context, 2)
    qtbot.mouseClick(bar.undo, LEFT)
    assert session.judgement(1) is None
    qtbot.mouseClick(bar.redo, LEFT)
    assert session.judgement(1).opinion.verdict is Verdict.ACCEPT


@pytest.mark.parametrize("answer, verdict", [("YES", Verdict.ACCEPT), ("NO", Verdict.REJECT)])
def test_the_agents_proposal_is_one_key_away(qtbot, bar, context, session, answer, verdict):
    give_opinion(session, 1, answer, 0.93)
    put_on_desk(qtbot, context)
    assert bar.proposal.text() == f"Agent: {answer}"
    assert "p(YES) 0.93" in bar.proposal.toolTip()
    assert bar.proposal.key == context.keymap.label("take_proposal")
    context.commands.run("take_proposal")
    assert session.judgement(1).opinion.verdict is verdict
    assert context.current.candidate.id == 2


def test_no_proposal_says_why(qtbot, bar, context, session):
    give_opinion(session, 1, None, None)
    put_on_desk(qtbot, context)
    assert not bar.proposal.isEnabled()
    with qtbot.waitSignal(context.current.message) as told:
        context.commands.run("take_proposal")
    assert "no proposal" in told.args[0]
    assert session.judgement(1) is None


def test_blind_mode_hides_the_proposal_and_its_width_tells_nothing(qtbot, bar, context, session):
    give_opinion(session, 1, "YES", 0.93)
    put_on_desk(qtbot, context)
    width = bar.proposal.width()
    context.commands.run("blind")
    assert context.current.blind_mode.is_on
    assert "YES" not in bar.proposal.text() + bar.proposal.toolTip() + bar.proposal.mark
    assert bar.proposal.width() == width
    with qtbot.waitSignal(context.current.message) as told:
        context.commands.run("take_proposal")
    assert "Blind" in told.args[0]
    assert session.judgement(1) is None
    qtbot.mouseClick(bar.proposal, LEFT)  # the way to it
    assert "YES" in bar.proposal.text()


def test_buttons_show_the_keys_of_the_person(qtbot, bar, context):
    assert bar.buttons[Verdict.ACCEPT].key == "A"
    context.keymap.rebind("accept", ["J"])
    assert bar.buttons[Verdict.ACCEPT].key == "J"


def test_what_is_broken_has_no_live_verdict_buttons(qtbot, bar, context, session, tmp_path):
    put_on_desk(qtbot, context)
    context.current._set_spectrum(None, "no such file")
    assert not any(each.isEnabled() for each in bar.buttons.values())
    assert "unreadable" in bar.state.verdict.text()
    put_on_desk(qtbot, context, 2)
    assert all(each.isEnabled() for each in bar.buttons.values())


def test_read_only_has_words_and_no_live_buttons(qtbot, session, tmp_path):
    session.close()
    with (
        open_session(tmp_path / "night.speco3", "Ada", read_only=True) as closed,
        opened_context(closed) as context,
    ):
        bar = shown_in(qtbot, VerdictBar(context))
        put_on_desk(qtbot, context)
        assert "read-only" in bar.state.saved.full_text
        assert not any(each.isEnabled() for each in (*bar.buttons.values(), bar.undo))
        with qtbot.waitSignal(context.current.failed):
            context.commands.run("blind")


def test_the_flash_moves_nothing(qtbot, bar, context, session):
    put_on_desk(qtbot, context)
    before = [each.geometry() for each in (*bar.buttons.values(), bar.confidence, bar.undo)]
    context.commands.run("accept_stay")
    assert bar.state.saved.full_text
    after = [each.geometry() for each in (*bar.buttons.values(), bar.confidence, bar.undo)]
    assert after == before


def test_it_fits_a_small_laptop(qtbot, bar):
    assert bar.minimumSizeHint().width() <= 620


def test_a_known_fault_counts_as_one_until_it_is_read(qtbot, bar, context, session):
    mark_fault(session, 1, "was away")
    put_on_desk(qtbot, context)
    qtbot.waitUntil(lambda: session.candidate(1).fault == "")
    context.commands.run("accept_stay")
    assert session.judgement(1).opinion.verdict is Verdict.ACCEPT
