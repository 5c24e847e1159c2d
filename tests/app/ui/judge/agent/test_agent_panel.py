"""The agent panel with keys and the mouse: its head, records and ratings, remarks for the agent."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLineEdit, QMenu, QWidget

from agent.ratings.rubric import MEANINGS
from agent.trajectory.trajectory import ModelRef
from app.core.inspections.ratings import all_ratings
from app.core.inspections.store import add_inspection
from app.core.session.records import Verdict
from app.core.session.session import open_session
from app.ui.judge.agent import agent_panel
from app.ui.judge.agent.agent_panel import LOW_LINES, AgentPanel, reads_remarks
from app.ui.judge.agent.deciding_facts import deciding_facts
from app.ui.widgets.labels import column
from tests.app.ui.judge.agent.conftest import compare, kept, run_here
from tests.app.ui.judge.agent.trajectories import NANO, look, record
from tests.app.ui.scripted_agent import judged, show_candidate
from tests.app.ui.steps import click, shown_in

ALT = Qt.KeyboardModifier.AltModifier


def test_an_empty_panel_says_how_to_begin_and_a_run_fills_it(qtbot, context, panel):
    show_candidate(qtbot, context)
    assert panel.empty.text() == "Not inspected yet (V runs the agent)"
    assert panel.stack.currentWidget() is panel.empty
    assert not panel.verdict.isVisible() and not panel.takeover.isVisible()
    assert panel.head.run.key == "V" and panel.head.list.key == "Ctrl+R"
    assert panel.head.run.isEnabled() and not panel.head.stop.isEnabled()
    trajectory = run_here(qtbot, context)
    assert panel.verdict.verdict.text() == trajectory.verdict
    assert panel.verdict.p_yes.full_text.endswith("not calibrated")
    answer, seen = panel.timeline.cards  # and the look where the plot stays
    *others, last = range(len(trajectory.steps))
    assert trajectory.steps[seen.content.index] == trajectory.looks[-1]
    assert answer.content.index == last and answer.content.kind == "answer"
    assert panel.verdict.steps.text() == f"▸ {len(others)} steps"
    click(qtbot, panel.verdict.steps)
    cards = panel.timeline.cards
    assert [card.content.index for card in cards] == [last, *others]
    looks = [card for card in cards if card.content.kind == "look"]
    qtbot.waitUntil(lambda: all(card.has_picture for card in looks))
    assert set(panel.pictures.images) == {step.picture for step in trajectory.looks}


def test_blind_mode_shows_nothing_until_revealed_or_judged(qtbot, context, panel, session):
    context.current.blind_mode.set_on(True)
    run_here(qtbot, context)
    assert panel.empty.text() == "Hidden until you judge (Shift+V reveals)"
    assert panel.timeline.cards == () and not panel.verdict.isVisible()
    assert panel.pictures.images == {}
    context.commands.run("reveal")
    qtbot.waitUntil(lambda: panel.timeline.cards != ())
    assert panel.verdict.isVisible()
    context.current.blind_mode.set_on(True)
    add_inspection(session, 2, record())
    show_candidate(qtbot, context, 2)
    assert panel.timeline.cards == ()
    judged(context, Verdict.ACCEPT)
    qtbot.waitUntil(lambda: panel.timeline.cards != ())


def test_escape_stops_only_the_run_of_the_current_candidate(qtbot, scripted, scripted_panel):
    scripted.commands.add("escape", lambda: None)  # as the window does
    show_candidate(qtbot, scripted, act="endless")
    scripted.commands.run("run_agent")
    show_candidate(qtbot, scripted, 2)
    scripted.commands.run("escape")
    assert not scripted.agent.runs[1].is_stopping
    scripted.current.go_to(1)
    with qtbot.waitSignal(scripted.agent.finished):
        qtbot.waitUntil(lambda: scripted.agent.shown.run.is_started)
        scripted.commands.run("escape")


def test_the_overview_text_is_the_first_card(qtbot, context, panel):
    told = "3650 to 9200 Å; S/N 14; Hα (---) -48"
    panel.hide()
    kept(qtbot, context, record(overview_text=told))
    assert panel.timeline.cards == () and panel.pictures.images == {}  # nobody sees it
    panel.show()
    click(qtbot, panel.verdict.steps)
    answer, first, second = panel.timeline.cards[:3]
    assert (first.content.title, first.content.text) == ("The whole spectrum", told)
    assert first.content.index == -1 and second.content.index == 0
    context.commands.run("step")
    assert [each.content.index for each in panel.timeline.cards if each.is_current] == [1]
    assert answer.content.warnings == ("Unsupported, window not viewed: Na D",)
    click(qtbot, panel.verdict.steps)
    assert [each.content.index for each in panel.timeline.cards] == [4, 1]


def test_space_steps_through_the_looks_and_marks_them(qtbot, context, panel, measured):
    trajectory = kept(qtbot, context, measured)
    marked = []
    for _ in range(len(trajectory.looks) + 1):
        context.commands.run("step")
        marked += [card.content.index for card in panel.timeline.cards if card.is_current]
    places = [place for place, step in enumerate(trajectory.steps) if step.is_look]
    assert marked == [*places, places[0]]


def test_two_models_side_by_side(qtbot, context, panel):
    other = record(model=NANO, verdict="NO", p_yes=None, steps=(look(8450, 8700, label="Ca II"),))
    kept(qtbot, context, record(), other)
    assert panel.verdict.record.text() == "2 records ▾"
    click(qtbot, panel.verdict.record)
    texts = [each.text() for each in panel.verdict.menu.actions()]
    assert texts == ["nano: NO", "spec-o3-7b: YES", "", "Two records side by side"]
    panel.verdict.menu.actions()[1].trigger()
    panel.verdict.menu.close()
    assert panel.verdict.record.text() == "Record of spec-o3-7b ▾"
    click(qtbot, panel.verdict.steps)
    assert panel.verdict.verdict.text() == "YES" and len(panel.timeline.cards) == 5
    compare(qtbot, panel.verdict)
    cells = panel.comparison.cells
    assert panel.stack.currentWidget() is panel.comparison
    assert [cells["verdict", column].text() for column in (0, 1)] == ["YES", "NO"]
    assert cells["p", 0].text() == "p(YES) 0.93 · not calibrated"
    assert cells["p", 1].text() == "no p(YES)"
    assert cells["looks", 1].text() == "8450 – 8700 Å\nCa II"
    context.current.go_to(2)
    assert panel.stack.currentWidget() is panel.empty and not panel.verdict.compare.isChecked()


def test_facts_that_decide_lead_to_their_looks_and_a_conflict_is_told(qtbot, context, panel):
    said = (
        r"\boxed{YES} nano-eye: NO, p 0.01: Hα weak; Na D absorbed." + "\n"
        "measured: YES, p 0.99: Hα emission, EW -31.0; Hβ emission; "
        "He I 5876 emission; Hδ emission.\nTogether p(YES) 0.80."
    )
    steps = record().steps
    step = replace(steps[-1], text=said, label="panel")
    model = ModelRef(name="panel", engine="panel", sha256="p" * 64)
    kept(qtbot, context, record(model=model, steps=(*steps[:-1], step)))
    line = panel.verdict
    assert line.conflict.full_text == "≠ Members disagree: nano-eye NO, measured YES"
    line.conflict.resize(line.conflict.fontMetrics().horizontalAdvance("0" * 30), 20)
    assert line.conflict.text() == "≠ nano-eye NO, measured YES"
    facts = deciding_facts(context.agent.shown.trajectory)
    assert [(each.by, each.text, each.index) for each in facts] == [
        ("", "Hα emission, EW −31.0", 1),
        ("", "Hβ emission", 3),
        ("nano-eye NO", "Hα weak", 1),
    ]
    assert line.facts.isVisible() and "① Hα emission, EW −31.0" in line.facts.labels[0].text()
    with qtbot.waitSignal(context.agent.shown.look_changed) as looked:
        click(qtbot, line.facts.labels[1])
    assert looked.args == [(4550.0, 5050.0), "Hβ and He II 4686"]
    assert [each.content.index for each in panel.timeline.cards] == [4, 3]  # and its look
    alone = replace(step, text="\\boxed{YES} measured: YES, p 0.99: He I 5876 emission <b>.")
    (fact,) = deciding_facts(record(model=model, steps=(*steps[:-1], alone)))
    assert fact.index == -1 and fact.window[0] < fact.place < fact.window[1]
    bands = replace(step, text="\\boxed{YES} measured: YES, p 0.99: C2 edge at 5166.6: flux jumps.")
    assert deciding_facts(record(model=model, steps=(*steps[:-1], bands)))[0].place == 5166.6
    with qtbot.waitSignal(context.agent.shown.look_changed) as looked:
        line.fact_chosen.emit(fact)
    assert looked.args[0] == fact.window
    context.agent.shown.show(record(model=model, steps=(*steps[:-1], alone)))
    assert "<b>" in line.facts.labels[0].text() and not line.conflict.isVisible()


def test_the_preferred_model_is_shown_in_the_list(qtbot, context, panel):
    kept(qtbot, context, record(), record(model=NANO, verdict="NO", p_yes=0.2))
    standing = lambda: context.current.session.candidate(1).agent_verdict  # noqa: E731
    assert standing() == "NO"  # the newest
    compare(qtbot, panel.verdict)

    def of_7b():
        names = [choice.currentText() for choice in panel.comparison.choices]
        return panel.comparison.uses[names.index("spec-o3-7b")]

    click(qtbot, of_7b())
    qtbot.waitUntil(lambda: standing() == "YES")
    qtbot.waitUntil(lambda: context.agent.shown.records.preferred is not None)
    assert [use for use in panel.comparison.uses if use.isChecked()] == [of_7b()]
    click(qtbot, of_7b())
    qtbot.waitUntil(lambda: standing() == "NO")
    qtbot.waitUntil(lambda: context.agent.shown.records.preferred is None)


@pytest.fixture
def said(context):
    messages = []
    context.current.message.connect(messages.append)
    return messages


def stored(session):
    return [(number, each.by, each.overall) for number, each in all_ratings(session)]


def test_one_key_rates_takes_back_and_stays_with_its_record(qtbot, context, keyed, session, said):
    kept(qtbot, context, record())
    assert keyed.rating.isVisible() and keyed.rating.text() == "Rate"
    qtbot.keyClick(keyed, Qt.Key.Key_2, ALT)
    assert stored(session) == [(1, "Ada", 2)] and keyed.rating.text() == "Rated 2"
    assert said == [f"Rated 2: {MEANINGS['overall'][2]}"]
    qtbot.keyClick(keyed, Qt.Key.Key_5, ALT)
    assert stored(session) == [(1, "Ada", 5)]
    qtbot.keyClick(keyed, Qt.Key.Key_5, ALT)
    assert stored(session) == [] and keyed.rating.text() == "Rate"
    assert said[-1] == "Rating taken back"
    qtbot.keyClick(keyed, Qt.Key.Key_4, ALT)
    with open_session(session.location, "Ben", read_only=True) as again:
        assert stored(again) == [(1, "Ada", 4)]
    click(qtbot, keyed.rating)
    menu = keyed.rating.findChild(QMenu)
    texts = [action.text() for action in menu.actions()]
    assert texts[0] == f"5: {MEANINGS['overall'][5]}\tAlt+5" and len(texts) == 6
    menu.actions()[5].trigger()
    menu.close()
    assert stored(session) == [(1, "Ada", 0)]


def test_each_record_has_its_own_rating(qtbot, context, keyed, session):
    other = record(model=NANO, replies=("another",))
    kept(qtbot, context, record(), other)
    qtbot.keyClick(keyed, Qt.Key.Key_1, ALT)
    shown = context.agent.shown
    first = shown.trajectory
    shown.show(next(each for each in shown.records.trajectories if each != first))
    assert keyed.rating.text() == "Rate"
    qtbot.keyClick(keyed, Qt.Key.Key_5, ALT)
    assert sorted(score for _, _, score in stored(session)) == [1, 5]
    shown.show(first)
    assert keyed.rating.text() == "Rated 1"


def test_what_is_not_there_or_hidden_cannot_be_rated(qtbot, context, keyed, session, said):
    show_candidate(qtbot, context)
    qtbot.keyClick(keyed, Qt.Key.Key_3, ALT)
    assert said == ["There is no finished inspection to rate here"] and stored(session) == []
    said.clear()
    context.current.blind_mode.set_on(True)
    add_inspection(session, 1, record())
    show_candidate(qtbot, context)
    qtbot.keyClick(keyed, Qt.Key.Key_3, ALT)
    assert stored(session) == [] and len(said) == 1
    context.commands.run("reveal")
    qtbot.waitUntil(lambda: keyed.timeline.cards != ())
    qtbot.keyClick(keyed, Qt.Key.Key_3, ALT)
    assert stored(session) == [(1, "Ada", 3)]


def test_a_finished_run_stands_at_its_answer_until_one_steps(qtbot, context, panel):
    panel.setFixedHeight(380)
    run_here(qtbot, context)
    bar = panel.timeline.verticalScrollBar()
    qtbot.waitUntil(lambda: len(panel.timeline.cards) == 2 and bar.maximum() > 0)
    qtbot.waitUntil(lambda: panel.timeline.cards[1].has_picture)
    assert bar.value() == 0
    context.commands.run("step")
    qtbot.waitUntil(lambda: bar.value() > 0)


def test_words_stream_into_a_card_while_it_speaks(qtbot, scripted, scripted_panel):
    head = scripted_panel.head
    show_candidate(qtbot, scripted, act="endless")
    click(qtbot, head.run)
    qtbot.waitUntil(lambda: scripted_panel.timeline.cards != ())
    (card,) = scripted_panel.timeline.cards
    assert card.content.kind == "partial" and "Well." in card.content.text
    assert head.state.full_text.startswith("writing") and not head.run.isEnabled()
    with qtbot.waitSignal(scripted.agent.finished):
        click(qtbot, head.stop)
    assert head.state.full_text == "ready · scripted"


def test_the_list_runs_from_its_button(qtbot, scripted, scripted_panel):
    button, line = scripted_panel.head.list, scripted_panel.list_run
    click(qtbot, button)
    assert button.text() == "Stop list"
    qtbot.waitUntil(lambda: not scripted.agent.list_run.state.is_running)
    assert line.text.full_text == "List: 12 done"
    assert button.text() == "Run list" and not line.bar.isVisible()


def test_buttons_show_the_keys_in_use_and_watch_its_setting(context, panel, qtbot):
    context.keymap.rebind("run_agent", ["J"])
    assert panel.head.run.key == "J"
    watch = panel.head.watch
    assert not watch.isChecked() and "1.5 s" in watch.toolTip()
    click(qtbot, watch)
    assert context.settings.settings.watch and watch.isChecked()
    context.agent.set_watched(False)
    assert not watch.isChecked()


def test_a_low_panel_shows_what_can_be_pressed(qtbot, scripted, scripted_panel):
    panel, head = scripted_panel, scripted_panel.head
    high = panel.height()
    panel.setFixedHeight(LOW_LINES * panel.fontMetrics().height() - 1)
    assert head.run.isVisible() and head.list.isVisible() and head.list.key == ""
    assert not (head.pause.isVisible() or head.stop.isVisible())
    assert "Ctrl+R" in head.list.toolTip()
    show_candidate(qtbot, scripted, act="endless")
    click(qtbot, head.run)
    qtbot.waitUntil(lambda: panel.timeline.cards != ())
    assert not head.run.isVisible() and head.pause.isVisible() and head.stop.isVisible()
    with qtbot.waitSignal(scripted.agent.finished):
        click(qtbot, head.stop)
    panel.setFixedHeight(high)
    assert head.run.isVisible() and head.list.key == "Ctrl+R"


def test_pause_and_stop_are_there_while_it_runs_and_move_nothing(qtbot, scripted, scripted_panel):
    panel, head = scripted_panel, scripted_panel.head
    show_candidate(qtbot, scripted, act="endless")
    assert head.run.isVisible() and head.list.isVisible()
    assert not (head.pause.isVisible() or head.stop.isVisible())
    height = head.height()
    click(qtbot, head.run)
    qtbot.waitUntil(lambda: panel.timeline.cards != ())
    assert head.pause.isVisible() and head.stop.isVisible() and not head.run.isVisible()
    assert head.height() == height
    with qtbot.waitSignal(scripted.agent.finished):
        click(qtbot, head.stop)
    assert head.run.isVisible() and not head.stop.isVisible()


@pytest.fixture
def reader(monkeypatch):
    """The scripted agent is no bundled model; here it can read remarks."""
    monkeypatch.setattr(agent_panel, "reads_remarks", lambda name: True)


@pytest.mark.usefixtures("reader")
def test_window_and_remark_reach_a_paused_agent(qtbot, scripted, scripted_panel):
    show_candidate(qtbot, scripted, act="plain")
    bar = scripted_panel.takeover
    scripted.commands.run("run_agent")
    scripted.commands.run("pause_agent")
    assert bar.isVisible() and bar.resume.isVisible()
    qtbot.waitUntil(bar.remark.isVisible)
    assert not bar.no_remarks.isVisible() and scripted_panel.head.pause.text() == "Resume"
    scripted.view.set_window((4400.0, 5000.0), "Hβ")
    qtbot.waitUntil(lambda: scripted.agent.shown.run.is_started)
    qtbot.keyClicks(bar.remark, "is it broad?")
    click(qtbot, bar.show_window)
    assert bar.remark.text() == ""
    qtbot.keyClicks(bar.remark, "and Na D?")
    qtbot.keyClick(bar.remark, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: len(scripted_panel.timeline.cards) == 2)
    mine, said = (card.content for card in scripted_panel.timeline.cards)
    assert (mine.title, mine.label, mine.text) == ("Look 1 (yours)", "Hβ", "is it broad?")
    assert (said.title, said.text) == ("You", "and Na D?")
    with qtbot.waitSignal(scripted.agent.finished):
        click(qtbot, bar.resume)
    assert not bar.isVisible()


@pytest.fixture
def window(qtbot, scripted):
    """A window whose only other field would get the focus, as Find does."""
    window = QWidget()
    window.panel, window.find = AgentPanel(scripted), QLineEdit()
    column(window.panel, window.find, parent=window)
    return shown_in(qtbot, window)


@pytest.mark.usefixtures("reader")
def test_after_a_remark_and_handing_back_no_field_has_the_focus(qtbot, scripted, window):
    show_candidate(qtbot, scripted, act="plain")
    bar = window.panel.takeover
    scripted.commands.run("run_agent")
    scripted.commands.run("pause_agent")
    qtbot.waitUntil(lambda: scripted.agent.shown.run.is_started)
    qtbot.waitUntil(bar.remark.isVisible)
    click(qtbot, bar.remark)
    qtbot.keyClicks(bar.remark, "is it broad?")
    assert bar.remark.hasFocus()
    with qtbot.waitSignal(bar.handed_back):
        qtbot.keyClick(bar.remark, Qt.Key.Key_Return)
    assert not isinstance(QApplication.focusWidget(), QLineEdit)
    click(qtbot, bar.remark)
    qtbot.keyClicks(bar.remark, "unsent")
    with qtbot.waitSignal(bar.handed_back), qtbot.waitSignal(scripted.agent.finished):
        click(qtbot, bar.resume)
    assert not bar.isVisible() and not isinstance(QApplication.focusWidget(), QLineEdit)
    assert window.find.text() == ""


@pytest.mark.usefixtures("reader")
def test_a_run_that_ends_takes_the_focus_from_the_remark_but_gives_it_to_no_field(
    qtbot, scripted, window
):
    show_candidate(qtbot, scripted, act="endless")
    bar = window.panel.takeover
    scripted.commands.run("run_agent")
    qtbot.waitUntil(bar.remark.isVisible)
    click(qtbot, bar.remark)
    with qtbot.waitSignal(bar.handed_back):
        scripted.agent.stop()
    qtbot.waitUntil(lambda: scripted.agent.shown.run is None)
    assert not isinstance(QApplication.focusWidget(), QLineEdit)


def test_a_model_that_cannot_read_remarks_says_so_and_has_no_box(qtbot, scripted, scripted_panel):
    show_candidate(qtbot, scripted, act="endless")
    bar = scripted_panel.takeover
    scripted.commands.run("run_agent")
    qtbot.waitUntil(bar.no_remarks.isVisible)
    assert bar.no_remarks.text() == "This model cannot read remarks"
    assert not bar.remark.isVisible() and bar.show_window.isVisible()
    qtbot.waitUntil(lambda: scripted.agent.shown.run.is_started)
    with qtbot.waitSignal(scripted.agent.finished):
        scripted.agent.stop()


@pytest.mark.parametrize(
    ("model", "reads"),
    [("measured", False), ("Measured", False), ("nano-eye", False), ("spec-o3-7b", True),
     ("/no/such/model", True), ("http://localhost:1/v1#m", True)],
)  # fmt: skip
def test_the_card_says_who_reads_remarks(model, reads):
    assert reads_remarks(model) is reads
