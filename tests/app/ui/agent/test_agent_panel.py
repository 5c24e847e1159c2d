"""The panel: what a person sees of the agent, and does with keys and the mouse."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImage

from agent.inspection.inspector import run
from agent.inspection.inspector_factory import default_model
from agent.inspection.measured_inspector import MeasuredInspector
from agent.spectra.readers import read_numbered
from agent.tasks.catalogue import find_task
from agent.trajectory.trajectory import Step
from app.core.inspections.store import add_inspection
from app.core.session.records import Verdict
from app.ui.agent import pictures
from app.ui.agent.agent_panel import AgentPanel
from app.ui.theme.theme import DARK
from tests.app.ui.agent.trajectories import NANO, look, record
from tests.app.ui.candidates import SAMPLE
from tests.app.ui.scripted_agent import LONG_MS, judged, on_desk

LEFT = Qt.MouseButton.LeftButton


def panel_of(qtbot, place):
    panel = AgentPanel(place)
    qtbot.addWidget(panel)
    panel.resize(360, 500)
    with qtbot.waitExposed(panel):
        panel.show()
    return panel


@pytest.fixture
def panel(qtbot, context):
    return panel_of(qtbot, context)


@pytest.fixture
def scripted_panel(qtbot, scripted):
    return panel_of(qtbot, scripted)


@pytest.fixture(scope="module")
def measured():
    """What the measured inspector makes of the sample's first candidate."""
    first = next((SAMPLE / "spectra").glob("*/spec-90000-60230-0001.fits.gz"))
    return run(MeasuredInspector().inspect(read_numbered(str(first), 0), find_task("CV")))


def run_here(qtbot, context):
    """With V, to the end."""
    on_desk(qtbot, context)
    with qtbot.waitSignal(context.agent.finished, timeout=LONG_MS) as ended:
        context.commands.run("run_agent")
    return ended.args[1]


def kept(qtbot, context, *records):
    """As if they had been made some time ago."""
    for each in records:
        add_inspection(context.current.session, 1, each)
    on_desk(qtbot, context)
    qtbot.waitUntil(lambda: context.agent.shown.trajectory is not None, timeout=LONG_MS)
    return context.agent.shown.trajectory


def test_before_anything_it_says_how_to_begin(qtbot, context, panel):
    on_desk(qtbot, context)
    assert panel.empty.text() == "Not inspected yet (V runs the agent)"
    assert panel.stack.currentWidget() is panel.empty
    assert not panel.verdict.isVisible() and not panel.takeover.isVisible()
    assert panel.head.run.key == "V" and panel.head.list.key == "Ctrl+R"
    assert panel.head.run.isEnabled() and not panel.head.stop.isEnabled()


def test_a_run_fills_the_timeline_with_the_models_own_pictures(qtbot, context, panel):
    trajectory = run_here(qtbot, context)
    assert panel.verdict.verdict.text() == trajectory.verdict
    assert panel.verdict.p_yes.full_text.endswith("not calibrated")
    cards = panel.timeline.cards
    assert [card.content.index for card in cards] == list(range(len(trajectory.steps)))
    looks = [card for card in cards if card.content.kind == "look"]
    qtbot.waitUntil(lambda: all(card.has_picture for card in looks), timeout=LONG_MS)
    assert set(panel.pictures.images) == {step.picture for step in trajectory.looks}


def test_while_it_runs_pictures_are_drawn_as_for_the_model_in_the_box(
    qtbot, context, panel, monkeypatch
):
    pytest.importorskip("llama_cpp")
    context.agent.worker_model.default = default_model("CV")
    drawn = []
    drawing = pictures.redraw_look
    monkeypatch.setattr(
        pictures, "redraw_look", lambda seen, look: drawn.append(seen) or drawing(seen, look)
    )
    with qtbot.assertNotEmitted(panel.pictures.failed):
        on_desk(qtbot, context)
        context.commands.run("run_agent")
        qtbot.waitUntil(
            lambda: any(step.is_look for step in context.agent.shown.steps), timeout=LONG_MS
        )
        context.agent.toggle_pause()
        assert context.agent.shown.run is not None
        qtbot.waitUntil(lambda: panel.pictures.images != {}, timeout=LONG_MS)
        assert drawn[0].model == "nano" and drawn[0].style is None
        context.agent.stop()
        qtbot.waitUntil(lambda: context.agent.shown.run is None, timeout=LONG_MS)


def test_what_a_model_was_told_of_the_whole_stands_first(qtbot, context, panel):
    told = "3650 to 9200 Å; S/N 14; Hα (---) -48"
    kept(qtbot, context, record(overview_text=told))
    first, second = panel.timeline.cards[:2]
    assert (first.content.title, first.content.text) == ("The whole spectrum", told)
    assert first.content.index == -1 and second.content.index == 0
    context.commands.run("step")
    assert not first.is_current and panel.timeline.card_of(1).is_current


def test_a_click_on_a_look_goes_to_exactly_that_view(qtbot, context, panel, measured):
    trajectory = kept(qtbot, context, measured)
    card = next(card for card in panel.timeline.cards if card.content.kind == "look")
    with qtbot.waitSignal(context.agent.shown.look_changed) as looking:
        qtbot.mouseClick(card, LEFT, pos=QPoint(card.width() - 20, 12))
    shift = 1.0 + (trajectory.spectrum.z or 0.0)
    low, high = trajectory.looks[0].range
    assert looking.args == [(low * shift, high * shift), trajectory.looks[0].label]
    assert card.is_current


def test_space_steps_through_the_evidence_and_marks_it(qtbot, context, panel, measured):
    trajectory = kept(qtbot, context, measured)
    marked = []
    for _ in range(len(trajectory.looks) + 1):
        context.commands.run("step")
        marked += [card.content.index for card in panel.timeline.cards if card.is_current]
    places = [place for place, step in enumerate(trajectory.steps) if step.is_look]
    assert marked == [*places, places[0]]


def test_a_click_on_a_picture_enlarges_it(qtbot, context, panel, measured):
    kept(qtbot, context, measured)
    card = next(card for card in panel.timeline.cards if card.content.kind == "look")
    qtbot.waitUntil(lambda: card.has_picture, timeout=LONG_MS)
    qtbot.mouseClick(card, LEFT, pos=QPoint(40, 60))
    large = panel._large
    assert large.isVisible() and card.content.aside in large.caption.text()
    assert large.picture.pixmap().size() == panel.pictures.images[card.content.picture].size()
    qtbot.keyClick(large, Qt.Key.Key_Escape)
    assert not large.isVisible()


def test_blind_it_says_hidden_and_shows_nothing(qtbot, context, panel):
    context.current.blind_mode.set_on(True)
    run_here(qtbot, context)
    assert panel.empty.text() == "Hidden until you judge (Shift+V reveals)"
    assert panel.timeline.cards == () and not panel.verdict.isVisible()
    assert panel.pictures.images == {}
    context.commands.run("reveal")
    qtbot.waitUntil(lambda: panel.timeline.cards != (), timeout=LONG_MS)
    assert panel.verdict.isVisible()


def test_blind_it_appears_with_the_verdict(qtbot, context, panel, session):
    context.current.blind_mode.set_on(True)
    add_inspection(session, 1, record())
    on_desk(qtbot, context)
    assert panel.timeline.cards == ()
    judged(context, Verdict.ACCEPT)
    qtbot.waitUntil(lambda: panel.timeline.cards != (), timeout=LONG_MS)


def test_words_stream_into_a_card_while_it_speaks(qtbot, scripted, scripted_panel):
    on_desk(qtbot, scripted, act="endless")
    qtbot.mouseClick(scripted_panel.head.run, LEFT)
    qtbot.waitUntil(lambda: scripted_panel.timeline.cards != (), timeout=LONG_MS)
    (card,) = scripted_panel.timeline.cards
    assert card.content.kind == "partial" and "Well." in card.content.text
    assert scripted_panel.head.state.full_text.startswith("writing")
    assert not scripted_panel.head.run.isEnabled()
    with qtbot.waitSignal(scripted.agent.finished, timeout=LONG_MS):
        qtbot.mouseClick(scripted_panel.head.stop, LEFT)
    assert scripted_panel.head.state.full_text == "ready · scripted"


def test_escape_stops_it_here_and_nowhere_else(qtbot, scripted, scripted_panel):
    scripted.commands.add("escape", lambda: None)  # as the window does
    on_desk(qtbot, scripted, act="endless")
    scripted.commands.run("run_agent")
    on_desk(qtbot, scripted, 2)
    scripted.commands.run("escape")
    assert not scripted.agent.runs[1].is_stopping
    scripted.current.go_to(1)
    with qtbot.waitSignal(scripted.agent.finished, timeout=LONG_MS):
        qtbot.waitUntil(lambda: scripted.agent.shown.run.is_started, timeout=LONG_MS)
        scripted.commands.run("escape")


def test_taking_over_and_handing_back(qtbot, scripted, scripted_panel):
    on_desk(qtbot, scripted, act="plain")
    bar = scripted_panel.takeover
    scripted.commands.run("run_agent")
    scripted.commands.run("pause_agent")
    assert bar.isVisible() and bar.resume.isVisible()
    assert scripted_panel.head.pause.text() == "Resume"
    scripted.view.set_window((4400.0, 5000.0), "Hβ")
    qtbot.waitUntil(lambda: scripted.agent.shown.run.is_started, timeout=LONG_MS)
    qtbot.keyClicks(bar.remark, "is it broad?")
    qtbot.mouseClick(bar.show_window, LEFT)
    assert bar.remark.text() == ""
    qtbot.keyClicks(bar.remark, "and Na D?")
    qtbot.keyClick(bar.remark, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: len(scripted_panel.timeline.cards) == 2, timeout=LONG_MS)
    mine, said = (card.content for card in scripted_panel.timeline.cards)
    assert (mine.title, mine.label, mine.text) == ("Look 1 (yours)", "Hβ", "is it broad?")
    assert (said.title, said.text) == ("You", "and Na D?")
    with qtbot.waitSignal(scripted.agent.finished, timeout=LONG_MS):
        qtbot.mouseClick(bar.resume, LEFT)
    assert not bar.isVisible()


def test_going_on_from_a_step_of_a_record(qtbot, scripted, scripted_panel):
    scripted.agent.choose_model("good")
    on_desk(qtbot, scripted, act="plain")
    with qtbot.waitSignal(scripted.agent.finished, timeout=LONG_MS):
        scripted.agent.run_here()
    scripted.commands.run("step")
    card = next(card for card in scripted_panel.timeline.cards if card.is_current)
    assert card.can_rerun
    go_on = card._layout_for(card.width()).rerun
    qtbot.mouseClick(card, LEFT, pos=go_on.center().toPoint())
    assert scripted.agent.is_paused and len(scripted.agent.shown.steps) == 2
    with qtbot.waitSignal(scripted.agent.finished, timeout=LONG_MS) as ended:
        scripted.commands.run("pause_agent")
    assert len(ended.args[1].replies) == 3


def test_an_unsupported_claim_is_marked_in_words(qtbot, context, panel):
    kept(qtbot, context, record())
    answer = panel.timeline.cards[-1].content
    assert answer.warnings == ("Unsupported, window not viewed: Na D",)


def test_two_models_side_by_side(qtbot, context, panel):
    other = record(model=NANO, verdict="NO", p_yes=None, steps=(look(8450, 8700, label="Ca II"),))
    kept(qtbot, context, record(), other)
    box = panel.verdict.record
    assert box.isVisible() and [box.itemText(n) for n in range(2)] == ["nano", "spec-o3-7b"]
    box.setCurrentIndex(1)
    box.activated.emit(1)
    assert panel.verdict.verdict.text() == "YES" and len(panel.timeline.cards) == 5
    qtbot.mouseClick(panel.verdict.compare, LEFT)
    cells = panel.comparison.cells
    assert panel.stack.currentWidget() is panel.comparison
    assert [cells["verdict", column].text() for column in (0, 1)] == ["YES", "NO"]
    assert cells["p", 0].text() == "p(YES) 0.93 · not calibrated"
    assert cells["p", 1].text() == "no p(YES)"
    assert cells["looks", 1].text() == "8450 – 8700 Å\nCa II"
    context.current.go_to(2)
    assert panel.stack.currentWidget() is panel.empty and not panel.verdict.compare.isChecked()


def test_one_of_two_models_stands_in_the_list(qtbot, context, panel):
    kept(qtbot, context, record(), record(model=NANO, verdict="NO", p_yes=0.2))
    standing = lambda: context.current.session.candidate(1).agent_verdict  # noqa: E731
    assert standing() == "NO"  # the newest
    qtbot.mouseClick(panel.verdict.compare, LEFT)
    names = [choice.currentText() for choice in panel.comparison.choices]
    of_7b = panel.comparison.uses[names.index("spec-o3-7b")]
    qtbot.mouseClick(of_7b, LEFT)
    qtbot.waitUntil(lambda: standing() == "YES")
    qtbot.waitUntil(lambda: context.agent.shown.records.preferred is not None)
    names = [choice.currentText() for choice in panel.comparison.choices]
    of_7b = panel.comparison.uses[names.index("spec-o3-7b")]
    assert [use.isChecked() for use in panel.comparison.uses].count(True) == 1
    assert of_7b.isChecked()
    qtbot.mouseClick(of_7b, LEFT)
    qtbot.waitUntil(lambda: standing() == "NO")
    qtbot.waitUntil(lambda: context.agent.shown.records.preferred is None)


def test_a_changed_spectrum_gets_no_pictures_and_a_word(qtbot, context, panel, measured):
    trajectory = kept(qtbot, context, measured)
    panel.pictures.forget()
    spectrum = context.current.spectrum
    context.current.spectrum = replace(spectrum, flux=spectrum.flux * 2.0)
    with qtbot.waitSignal(context.current.message, timeout=LONG_MS) as said:
        context.agent.shown.show(replace(trajectory, seed=5))
    assert "has changed since" in said.args[0] and panel.pictures.images == {}


def test_the_list_runs_from_its_button(qtbot, scripted, scripted_panel):
    qtbot.mouseClick(scripted_panel.head.list, LEFT)
    assert scripted_panel.head.list.text() == "Stop list"
    qtbot.waitUntil(lambda: not scripted.agent.list_run.state.is_running, timeout=LONG_MS)
    assert scripted_panel.list_run.text.full_text == "List: 12 done"
    assert (
        scripted_panel.head.list.text() == "Run list"
        and not scripted_panel.list_run.bar.isVisible()
    )


def test_buttons_show_the_keys_in_use(context, panel):
    context.keymap.rebind("run_agent", ["J"])
    assert panel.head.run.key == "J"


def test_what_is_not_on_screen_is_not_built(qtbot, context, panel):
    panel.hide()
    kept(qtbot, context, record())
    assert panel.timeline.cards == () and panel.pictures.images == {}
    panel.show()
    assert panel.timeline.cards != ()


def test_a_long_text_folds_and_opens(qtbot, context, panel):
    steps = (Step(kind="think", text="word " * 400), look(6450, 6750, picture=""))
    kept(qtbot, context, record(steps=steps))
    card = panel.timeline.cards[0]
    low = card.height()
    more = card._layout_for(card.width()).more
    qtbot.mouseClick(card, LEFT, pos=more.center().toPoint())
    assert card.is_open and card.height() > 3 * low
    assert panel.timeline.cards[1].y() >= card.height()


def test_both_themes_paint(qtbot, context, panel, measured):
    kept(qtbot, context, measured)
    light = panel.timeline.cards[0].grab().toImage()
    context.current_theme.use(DARK)
    dark = panel.timeline.cards[0].grab().toImage()
    assert brightness(light) > 150 > brightness(dark)


def brightness(image: QImage) -> int:
    return image.pixelColor(image.width() - 12, image.height() - 5).lightness()
