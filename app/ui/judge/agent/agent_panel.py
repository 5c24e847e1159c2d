"""The panel that shows what the agent does on the current candidate."""

from __future__ import annotations

from functools import partial
from operator import attrgetter

from PySide6.QtCore import QEvent, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QFrame,
    QLineEdit,
    QMenu,
    QProgressBar,
    QPushButton,
    QStackedWidget,
    QWidget,
)

from agent.errors import ResourceError
from agent.inspection.built_in import built_in
from agent.inspection.inspector_factory import looking_card
from agent.ratings.rubric import HIGHEST, LOWEST, MEANINGS
from agent.trajectory.trajectory import ModelRef, Step, Trajectory
from app.core.database.locations import shown_location
from app.core.inspections.ratings import rate, rating_of
from app.core.inspections.shown_opinion import show_model
from app.ui.base.translation.data_texts import rubric_words
from app.ui.base.translation.message_texts import translate_message
from app.ui.judge.agent.card import Timeline
from app.ui.judge.agent.card_content import (
    CardContent,
    card_contents,
    overview_card,
    partial_turn_card,
)
from app.ui.judge.agent.deciding_facts import DecidingFact
from app.ui.judge.agent.model_chooser import ModelChooser
from app.ui.judge.agent.pictures import Pictures, PictureSource, PictureWindow
from app.ui.judge.agent.status_texts import list_run_text, run_text
from app.ui.judge.agent.verdict_line import Comparison, VerdictLine
from app.ui.session.inspection.list_run import ListRunState
from app.ui.session.inspection.records import Records
from app.ui.session.session_context import SessionContext
from app.ui.widgets import labels
from app.ui.widgets.agent_parts import short_name
from app.ui.widgets.painted_button import PaintedButton, hint
from app.ui.widgets.text_width import OnEvent

MAX_REMARK = 2000


class TakeoverBar(QWidget):
    """Lets the person show the running agent a window or send it a remark.

    A model that cannot read remarks gets no box for them.
    """

    handed_back = Signal()  # the person is done here: the keys belong to the plot again

    def __init__(self, context: SessionContext, parent: QWidget) -> None:
        super().__init__(parent)
        self._agent, self._shown = context.agent, context.agent.shown
        self._current, self._view = context.current, context.view
        self._runner = context.runner
        self._reads: dict[str, bool | None] = {}  # by model; None: asked and not yet known
        self.remark = QLineEdit(maxLength=MAX_REMARK)
        self.remark.setPlaceholderText(self.tr("Remark for the agent, Enter sends it"))
        self.remark.setAccessibleName(self.tr("Remark for the agent"))
        self.no_remarks = labels.wrapped_label(self.tr("This model cannot read remarks"), "dim")
        self.show_window = labels.button(self.tr("Show this window"), "", self._send_window)
        self.resume = labels.button(self.tr("Resume"), "", self._resume)
        about = self.tr("Show the agent the visible part of the spectrum before its next turn")
        self.show_window.setToolTip(about)
        self.resume.setToolTip(self.tr("Resume the agent"))
        buttons = labels.row((self.show_window, 1), (self.resume, 1))
        labels.column(self.remark, self.no_remarks, buttons, spacing=6, parent=self)
        self.remark.returnPressed.connect(self._send_remark)

    def refresh(self) -> None:
        run = self._shown.run
        is_shown = run is not None and not self._shown.is_hidden
        reads = self.reads_remarks if is_shown else None
        if self.remark.hasFocus() and not reads:
            self._hand_back()  # else Qt gives the focus to the next field, and keys are typed there
        self.setVisible(is_shown)
        self.remark.setVisible(bool(reads))
        self.no_remarks.setVisible(reads is False)
        self.resume.setVisible(run is not None and run.is_paused)

    @property
    def reads_remarks(self) -> bool | None:
        """Whether the model can read remarks; None while its card is being read."""
        name = self._agent.worker_model.name
        if name not in self._reads:
            self._reads[name] = None
            read, done = partial(reads_remarks, name), partial(self._on_card_read, name)
            self._runner.run(read, done, owner=self)
        return self._reads[name]

    def _on_card_read(self, name: str, reads: bool) -> None:
        self._reads[name] = reads
        self.refresh()

    def _resume(self) -> None:
        self._agent.resume()
        self._hand_back()

    def _hand_back(self) -> None:
        self.remark.clearFocus()
        self.handed_back.emit()

    def _send_remark(self) -> None:
        text = self.remark.text().strip()
        if text and self._agent.insert(text):
            self.remark.clear()
            self._current.message.emit(self.tr("The agent will read this before its next turn"))
            self._hand_back()

    def _send_window(self) -> None:
        spectrum = self._current.spectrum
        window = self._view.window or (None if spectrum is None else spectrum.range)
        if window is None:
            return
        if self._agent.insert(self.remark.text().strip(), window, self._view.window_name):
            self.remark.clear()
            about = self.tr("The agent will see this window before its next turn")
            self._current.message.emit(about)


def reads_remarks(model: str) -> bool:
    """Whether a remark means anything to this model; `model` is a name, a path or an address.

    It reads the model's card from the disk, so do not call it on the GUI thread.
    """
    try:
        card = looking_card(model)
    except ResourceError:
        return True  # the model says itself what is wrong with it
    return card is not None and card.reads_remarks


LOW_LINES = 12  # below so many lines of text the panel has no room for a head of three lines


class AgentPanel(QFrame):
    def __init__(self, context: SessionContext) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self._agent, self._shown = context.agent, context.agent.shown
        self._current = context.current
        self._keymap, self._runner = context.keymap, context.runner
        self.head = AgentHead(context, self)
        self.list_run = ListRunLine(self)
        self.verdict = VerdictLine(context.current_theme, self)
        self.rating = RatingButton(context, self.verdict)
        self.verdict.first_row.addWidget(self.rating)
        self.empty = labels.short_label("", "dim")
        self.timeline = Timeline(context.current_theme, self.verdict.facts)
        self.comparison: Comparison | None = None
        self.takeover = TakeoverBar(context, self)
        self.pictures = Pictures(context.runner, self)
        self._large: PictureWindow | None = None
        self._built: tuple[tuple[Step, ...], bool] = ((), True)
        """The steps of `_cards`, and whether the inspection is over."""
        self._cards: list[CardContent] = []
        self._is_folded = True  # whether an answer stands without the steps that led to it
        self.empty.setWordWrap(True)
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.stack = QStackedWidget()
        self.stack.addWidget(self.empty)
        self.stack.addWidget(self.timeline)
        parts = (self.head, self.list_run, self.verdict, (self.stack, 1), self.takeover)
        labels.column(*parts, margins=(12, 8, 12, 8), parent=self)
        self._connect(context)
        self.list_run.show_state(context.agent.list_run.state)

    def _connect(self, context: SessionContext) -> None:
        agent, shown, commands = context.agent, self._shown, context.commands
        shown.records_changed.connect(self._show_records)
        shown.step_index_changed.connect(self._on_step)
        agent.text_received.connect(self._on_progress)
        agent.step_ready.connect(self._on_progress)
        agent.finished.connect(partial(self._fold, True))
        agent.list_run.changed.connect(self.list_run.show_state)
        agent.closed.connect(self.pictures.close)
        for signal in (agent.state_changed, shown.trajectory_changed, context.keymap.changed):
            signal.connect(self._refresh)
        context.current.candidate_changed.connect(self.pictures.forget)
        context.current.spectrum_changed.connect(self._request_pictures)
        context.current.row_changed.connect(self._show_catalogues)
        self.timeline.chosen.connect(shown.replay)
        self.timeline.enlarged.connect(self._enlarge)
        self.timeline.rerun_requested.connect(self._rerun_from)
        self.verdict.chosen.connect(shown.show)
        self.verdict.compared.connect(self._compare)
        self.verdict.fact_chosen.connect(self._look_at)
        self.verdict.steps.clicked.connect(lambda: self._fold(not self._is_folded))
        self.pictures.drawn.connect(self._show_pictures)
        self.pictures.failed.connect(context.current.message)
        commands.add("run_agent", agent.run_here)
        commands.add("pause_agent", agent.toggle_pause)
        commands.add("step", agent.replay_next_look)
        commands.add("reveal", context.current.reveal)
        commands.add("run_queue", agent.toggle_list_run)
        commands.ran.connect(self._on_command)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._refresh()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.head.set_low(self.height() < LOW_LINES * self.fontMetrics().height())

    def _refresh(self, _: object = None) -> None:
        if not self.isVisible():  # refreshed when shown
            return
        shown = self._shown
        self._show_catalogues()
        self.verdict.show_record(None if shown.is_hidden or shown.run else shown.trajectory)
        self.verdict.show_steps(0, are_shown=False)
        self.rating.refresh()
        self.takeover.refresh()
        is_comparing = self.verdict.compare.isChecked() and shown.run is None
        if is_comparing and self.comparison is not None:
            self.stack.setCurrentWidget(self.comparison)
        else:
            self._show_steps()

    def _show_catalogues(self, _: object = None) -> None:
        candidate = self._current.candidate
        self.verdict.show_catalogues(None if candidate is None else candidate.catalogue_log_odds)

    def _show_steps(self, is_stepping: bool = False) -> None:
        run, steps = self._shown.run, self._shown.steps
        text = "" if run is None or self._shown.is_hidden else run.partial_text
        if not steps and not text:
            self.empty.setText(self._empty_text())
            self.timeline.show_cards([])
            self.stack.setCurrentWidget(self.empty)
            return
        # A record always returns the same tuple, so its cards are built once.
        if steps is not self._built[0] or self._built[1] != (run is None):
            self._built = steps, run is None
            self._cards = card_contents(steps, is_over=run is None, z=self._shown.z)
            record = self._shown.trajectory
            # A trajectory has its overview text only once it is finished.
            if run is None and record is not None and record.overview_text:
                self._cards.insert(0, overview_card(record.overview_text))
        cards = [*self._cards, partial_turn_card(text)] if text else self._cards
        self.timeline.show_cards(self._answer_first(cards), follow=run is not None)
        self.stack.setCurrentWidget(self.timeline)
        # A finished run stays at its answer until a person steps through it.
        self._mark(self._shown.step_index, reveal=is_stepping or run is not None)
        self._request_pictures()
        self._show_pictures()

    def _answer_first(self, cards: list[CardContent]) -> list[CardContent]:
        """Put the answer of a finished run on top; folded, only the look in the plot follows it."""
        answer = next((each for each in reversed(cards) if each.kind == "answer"), None)
        if answer is None or self._shown.run is not None:
            return cards
        steps = [each for each in cards if each is not answer]
        self.verdict.show_steps(len(steps), are_shown=not self._is_folded)
        if self._is_folded:
            steps = [each for each in steps if each.index == self._shown.step_index >= 0]
        return [answer, *steps]

    def _fold(self, is_folded: bool, *_: object) -> None:
        self._is_folded = is_folded
        self._refresh()

    def _on_step(self, index: int) -> None:
        if self._is_folded and self.isVisible() and self._shown.run is None:
            self._show_steps(is_stepping=True)
        else:
            self._mark(index)

    def _look_at(self, fact: DecidingFact) -> None:
        if fact.index >= 0:
            self._shown.replay(fact.index)
        else:
            self._shown.look_changed.emit(fact.window, fact.text)

    def _empty_text(self) -> str:
        run = self._shown.run
        if self._current.row is None:
            return self.tr("No candidate")
        if not self._agent.has_question:
            return self.tr("There is no class to judge: the agent is off")
        if self._shown.is_hidden and self._current.blind_mode.in_study:
            return self.tr("Hidden by the plan of the study")
        if self._shown.is_hidden:
            key = self._keymap.label("reveal")
            text = self.tr("Hidden until you judge ({key} reveals)").replace("{key}", key)
            return text if run is None else text + "\n" + self.tr("The agent is running")
        if run is not None and run.is_paused and self.takeover.reads_remarks:
            return self.tr("Paused: show it a window or write a remark, then resume")
        if run is not None and run.is_paused:
            return self.tr("Paused: show it a window, then resume")
        if run is not None:
            return self.tr("The agent is looking at the whole spectrum")
        if self._shown.trajectory is not None:
            return self.tr("The agent took no step")
        if self._shown.is_reading:
            return self.tr("Reading the inspection…")
        key = self._keymap.label("run_agent")
        return self.tr("Not inspected yet ({key} runs the agent)").replace("{key}", key)

    def _on_progress(self, candidate_id: int, _: object) -> None:
        run = self._shown.run
        if run is not None and run.candidate_id == candidate_id and self.isVisible():
            self._show_steps()
            self.head.show_status()

    def _mark(self, index: int, *, reveal: bool = True) -> None:
        own = built_in(self._agent.worker_model.name)
        always_same = own is not None and own.starts_over  # so it offers no rerun
        can_rerun = self._shown.run is None and not always_same
        self.timeline.mark(index, can_rerun=can_rerun, reveal=reveal)

    def _show_records(self, records: Records) -> None:
        self.verdict.show_records(records)
        if self.comparison is not None:
            self.comparison.show_records(records, self._shown.trajectory)

    def _compare(self, is_on: bool) -> None:
        if is_on and self.comparison is None:
            self.comparison = Comparison()
            self.comparison.preferred.connect(self._prefer)
            self.stack.addWidget(self.comparison)
        if is_on and self.comparison is not None:
            self.comparison.show_records(self._shown.records, self._shown.trajectory)
        self._refresh()

    def _prefer(self, model: ModelRef | None) -> None:
        # In the background, as it updates every candidate of the session.
        work = partial(show_model, self._current.session, model)
        self._runner.run(work, failed=self._current.report_error, owner=self)

    def _on_command(self, command: str) -> None:
        if command == "escape":
            self._agent.stop()

    def _rerun_from(self, index: int) -> None:
        record = self._shown.trajectory
        if record is not None and 0 <= index < len(record.steps):
            self._agent.continue_from(record, record.steps[index].turn + 1)

    def _request_pictures(self, _: object = None) -> None:
        spectrum = self._current.spectrum
        looks = [step for step in self._shown.steps if step.is_look]
        if spectrum is None or not looks or not self.isVisible():
            return
        record = None if self._shown.run is not None else self._shown.trajectory
        if record is None:
            source = PictureSource(spectrum, self._agent.worker_model.name)
        else:
            told = record.spectrum, record.style, record.sizing
            source = PictureSource(spectrum, record.model.name, *told)
        self.pictures.request(source, looks)

    def _show_pictures(self) -> None:
        self.timeline.show_pictures(self.pictures.thumbs)

    def _enlarge(self, index: int) -> None:
        self._shown.replay(index)
        content = next((each for each in self._cards if each.index == index), None)
        image = None if content is None else self.pictures.images.get(content.picture)
        if image is None or content is None:
            return
        if self._large is None:
            self._large = PictureWindow(self)
        parts = (content.title, content.aside, content.label)
        self._large.show_picture(image, " · ".join(part for part in parts if part))


class RatingButton(QPushButton):
    """Shows this reviewer's rating of the shown record; hidden where there is nothing to rate."""

    def __init__(self, context: SessionContext, parent: QWidget) -> None:
        super().__init__(parent)
        self._current, self._shown = context.current, context.agent.shown
        self._session, self._keymap = context.bridge.session, context.keymap
        self.setProperty("role", "quiet")
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.clicked.connect(self._open_menu)
        for score in range(LOWEST, HIGHEST + 1):
            context.commands.add(f"rate_{score}", partial(self.rate, score))
        self.refresh()

    @property
    def record(self) -> Trajectory | None:
        """The finished record on screen."""
        shown = self._shown
        if shown.is_hidden or shown.run is not None or self._current.candidate is None:
            return None
        return shown.trajectory

    def refresh(self) -> None:
        record, candidate = self.record, self._current.candidate
        can_rate = record is not None and candidate is not None and not self._session.is_read_only
        self.setVisible(can_rate)
        if not can_rate or record is None or candidate is None or not self._session.reviewer:
            return
        found = rating_of(self._session, candidate.id, record)
        text, about = self.tr("Rate"), self.tr("Rate this inspection")
        if found is not None and found.overall is not None:
            text = self.tr("Rated {n}").replace("{n}", str(found.overall))
            about = rubric_words(MEANINGS["overall"][found.overall])
        keys = f"{self._keymap.label('rate_0')} … {self._keymap.label('rate_5')}"
        self.setText(text)
        self.setAccessibleName(text)
        self.setToolTip(f"{about} ({keys})")

    def rate(self, score: int) -> None:
        """Store the rating; the same once more takes it back."""
        record, candidate = self.record, self._current.candidate
        if record is None or candidate is None:
            self._current.message.emit(self.tr("There is no finished inspection to rate here"))
            return
        with self._current.reporting():
            given = rate(self._session, candidate.id, record, score)
            text = self.tr("Rating taken back")
            if given is not None:
                text = self.tr("Rated {n}: {what}").replace("{n}", str(score))
                text = text.replace("{what}", rubric_words(MEANINGS["overall"][score]))
            self._current.message.emit(text)
            self.refresh()

    def _open_menu(self) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for score in range(HIGHEST, LOWEST - 1, -1):
            words = rubric_words(MEANINGS["overall"][score])
            key = self._keymap.label(f"rate_{score}")
            text = labels.escape_mnemonics(f"{score}: {words}")
            labels.add_action(menu, f"{text}\t{key}" if key else text, partial(self.rate, score))
        menu.popup(self.mapToGlobal(self.rect().bottomLeft()))


# The top of the panel: model, status, and buttons to run, pause and stop.
ROOM_BETWEEN = 16  # pixels beside each part of the first row


class ListRunLine(QWidget):
    """How far the agent's run over the whole list is; hidden if there is none."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.bar = QProgressBar(textVisible=False)
        self.bar.setAccessibleName(self.tr("Candidates inspected in this list"))
        self.text = labels.ElidedLabel("small")
        labels.column(self.bar, self.text, spacing=2, parent=self)
        self.show_state(ListRunState())

    def show_state(self, state: ListRunState) -> None:
        has_run = state.is_running or state.done > 0 or bool(state.fault)
        self.setVisible(has_run)
        if not has_run:
            return
        self.bar.setVisible(state.is_running)
        # Qt shows the range 0 to 0 as a bar that is busy without an end in sight.
        self.bar.setRange(0, 0 if state.left is None else max(state.done + state.left, 1))
        self.bar.setValue(state.done)
        self.text.show_text(list_run_text(state), translate_message(state.fault))


class AgentHead(QWidget):
    """`self.list` is the button that runs the agent on the whole list."""

    def __init__(self, context: SessionContext, parent: QWidget) -> None:
        super().__init__(parent)
        self._agent, self._runner, self._keymap = context.agent, context.runner, context.keymap
        self._session = context.bridge.session
        self._chooser: ModelChooser | None = None
        self._is_low = False
        self.model = labels.button("", call=self.choose_model)
        self.state = labels.ElidedLabel("dim")
        self.watch = labels.button(self.tr("Watch"))
        self.run, self.pause, self.stop, self.list = (
            PaintedButton(context.current_theme, attrgetter("border"), self) for _ in range(4)
        )
        self._title = labels.short_label(self.tr("Agent"), "title")
        self.model.setToolTip(self.tr("Choose another model"))
        self.watch.setCheckable(True)
        about = self.tr(
            "Watch the agent: at least 1.5 s for each look, so that you can follow and pause"
        )
        self.watch.setToolTip(about)
        self.state.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        head = labels.row(self._title, self.model, (self.state, 1), self.watch)
        buttons = labels.flow(self.run, self.pause, self.stop, self.list, spacing=4)
        labels.column(head, buttons, spacing=4, parent=self)
        agent = context.agent
        agent.state_changed.connect(self._refresh)
        agent.list_run.changed.connect(self._show_list_run)
        self.watch.toggled.connect(agent.set_watched)
        self.run.clicked.connect(agent.run_here)
        self.pause.clicked.connect(agent.toggle_pause)
        self.stop.clicked.connect(partial(self._agent.stop, anywhere=True))
        self.list.clicked.connect(agent.toggle_list_run)
        labels.keep_current(self._show_keys, context.keymap.changed)
        OnEvent(self, self._show_title, QEvent.Type.Resize)

    def _refresh(self) -> None:
        agent, run = self._agent, self._agent.active_run
        name = shown_location(agent.worker_model.name)
        self.model.setText(f"{short_name(name)} ▾")
        self.model.setAccessibleName(self.tr("Model: {name}").replace("{name}", name))
        self.show_status()
        with QSignalBlocker(self.watch):
            self.watch.setChecked(agent.is_watched)
        text, about = self.tr("Pause"), self.tr("Pause the agent before its next turn")
        if agent.is_paused:
            text, about = self.tr("Resume"), self.tr("Resume the agent")
        self._label(self.pause, text, "pause_agent", about)
        self.run.setEnabled(agent.has_question and agent.shown.run is None)
        self.stop.setEnabled(run is not None and not run.is_stopping)
        # They take the places of the others, so that what is below stays where it is.
        for each in (self.pause, self.stop):
            each.setVisible(run is not None)
        self.run.setVisible(self.run.isEnabled() or (run is None and not self._is_low))
        self.list.setVisible(run is None or agent.list_run.state.is_running)

    def set_low(self, is_low: bool) -> None:
        """In a low panel show only what can be pressed, and keys in tooltips alone."""
        if is_low != self._is_low:
            self._is_low = is_low
            self._show_title()
            self._show_keys()

    def _show_title(self) -> None:
        """Hide the title where the rest needs its room: the tab names the panel, too."""
        parts = (self._title, self.model, self.watch)
        needed = sum(part.sizeHint().width() + ROOM_BETWEEN for part in parts)
        needed += self.fontMetrics().horizontalAdvance(self.state.full_text)
        self._title.setVisible(not self._is_low and needed <= self.width())

    def show_status(self) -> None:
        self.state.show_text(self._status())
        self._show_title()

    def _status(self) -> str:
        agent, model = self._agent, self._agent.worker_model
        if not agent.has_question:
            return self.tr("off")
        if (run := agent.active_run) is not None:
            text = run_text(run, is_here=run is agent.shown.run)
            if waiting := len(agent.runs) - 1:
                text += " · " + self.tr("{n} waiting").replace("{n}", str(waiting))
            return text
        if model.is_loading:
            return self.tr("loading the model")
        if model.fault:
            return self.tr("unavailable: {why}").replace("{why}", translate_message(model.fault))
        # An inspector without a model has its own name for its engine: no need to say it twice.
        if model.model is None or model.model.engine == model.model.name:
            return self.tr("ready")
        return self.tr("ready · {engine}").replace("{engine}", model.model.engine)

    def choose_model(self) -> None:
        if self._chooser is None:
            self._chooser = ModelChooser(self._runner, self._session, self)
            self._chooser.chosen.connect(self._agent.choose_model)
        below = self.model.mapToGlobal(self.model.rect().bottomLeft())
        self._chooser.open_at(below, self._agent.worker_model.name)

    def _show_keys(self) -> None:
        widest = partial(self.pause.width_of, "", key=self._key("pause_agent"))
        # So that the button keeps its size.
        self.pause.setMinimumWidth(max(widest(self.tr("Resume")), widest(self.tr("Pause"))))
        about = self.tr("Run the agent on this candidate")
        self._label(self.run, self.tr("Run"), "run_agent", about)
        self._label(self.stop, self.tr("Stop"), "escape", self.tr("Stop the agent"))
        self._refresh()
        self._show_list_run(self._agent.list_run.state)

    def _show_list_run(self, state: ListRunState) -> None:
        text = self.tr("Stop list") if state.is_running else self.tr("Run list")
        self._label(self.list, text, "run_queue", self.tr("Run the agent on the whole list"))
        self.list.setEnabled(self._agent.has_question and not state.is_stopping)
        self.list.setVisible(self._agent.active_run is None or state.is_running)

    def _label(self, button: PaintedButton, text: str, name: str, about: str) -> None:
        key, tool_tip = self._key(name), hint(about, self._keymap, name)
        if (button.text(), button.key, button.toolTip()) != (text, key, tool_tip):
            button.set_label(text, key, tool_tip)

    def _key(self, name: str) -> str:
        return "" if self._is_low else self._keymap.label(name)
