"""The top of the agent panel: model, status, and buttons to run, pause and stop."""

from functools import partial
from operator import attrgetter

from PySide6.QtCore import QEvent, QSignalBlocker, Qt
from PySide6.QtWidgets import QProgressBar, QWidget

from app.core.database.locations import shown_location
from app.ui.base.translation.message_texts import translate_message
from app.ui.judge.agent.model_chooser import ModelChooser
from app.ui.judge.agent.status_texts import list_run_text, run_text
from app.ui.session.inspection.list_run import ListRunState
from app.ui.session.session_context import SessionContext
from app.ui.widgets.agent_parts import short_name
from app.ui.widgets.labels import ElidedLabel, button, column, flow, keep_current, row, short_label
from app.ui.widgets.painted_button import PaintedButton, hint
from app.ui.widgets.text_width import OnEvent

ROOM_BETWEEN = 16  # pixels beside each part of the first row


class ListRunLine(QWidget):
    """How far the agent's run over the whole list is; hidden if there is none."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.bar = QProgressBar(textVisible=False)
        self.bar.setAccessibleName(self.tr("Candidates inspected in this list"))
        self.text = ElidedLabel("small")
        column(self.bar, self.text, spacing=2, parent=self)
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
        self.model = button("", call=self.choose_model)
        self.state = ElidedLabel("dim")
        self.watch = button(self.tr("Watch"))
        self.run, self.pause, self.stop, self.list = (
            PaintedButton(context.current_theme, attrgetter("border"), self) for _ in range(4)
        )
        self._lay_out()
        agent = context.agent
        agent.state_changed.connect(self._refresh)
        agent.list_run.changed.connect(self._show_list_run)
        self.watch.toggled.connect(agent.set_watched)
        self.run.clicked.connect(agent.run_here)
        self.pause.clicked.connect(agent.toggle_pause)
        self.stop.clicked.connect(partial(self._agent.stop, anywhere=True))
        self.list.clicked.connect(agent.toggle_list_run)
        keep_current(self._show_keys, context.keymap.changed)
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

    def _lay_out(self) -> None:
        self._title = short_label(self.tr("Agent"), "title")
        self.model.setToolTip(self.tr("Choose another model"))
        self.watch.setCheckable(True)
        about = self.tr(
            "Watch the agent: at least 1.5 s for each look, so that you can follow and pause"
        )
        self.watch.setToolTip(about)
        self.state.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        head = row(self._title, self.model, (self.state, 1), self.watch)
        buttons = flow(self.run, self.pause, self.stop, self.list, spacing=4)
        column(head, buttons, spacing=4, parent=self)

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
