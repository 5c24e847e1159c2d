"""The head of the agent panel: which model, what it does now, and the buttons that steer it."""

from __future__ import annotations

from operator import attrgetter

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QProgressBar, QPushButton, QVBoxLayout, QWidget

from app.ui.agent.model_chooser import ModelChooser
from app.ui.agent.words import batch_words, run_words
from app.ui.inspection.list_run import ListRunState
from app.ui.session_context import SessionContext
from app.ui.widgets.agent_parts import label, row, short_name
from app.ui.widgets.elided_label import ElidedLabel
from app.ui.widgets.painted_button import PaintedButton, hint


class ListRunLine(QWidget):
    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName(self.tr("Candidates of the list the agent has inspected"))
        self.words = ElidedLabel("small")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        layout.addWidget(self.bar)
        layout.addWidget(self.words)
        self.follow(ListRunState())

    def follow(self, state: ListRunState) -> None:
        is_known = state.is_running or state.done > 0 or bool(state.fault)
        self.setVisible(is_known)
        if not is_known:
            return
        self.bar.setVisible(state.is_running)
        if state.left is None:
            self.bar.setRange(0, 0)
        else:
            self.bar.setRange(0, max(state.done + state.left, 1))
            self.bar.setValue(state.done)
        self.words.say(batch_words(state), state.fault)


class AgentHead(QWidget):
    def __init__(self, context: SessionContext, parent: QWidget) -> None:
        super().__init__(parent)
        self._agent, self._runner, self._settings = context.agent, context.runner, context.settings
        self._keymap = context.keymap
        self._chooser: ModelChooser | None = None
        self.model = QPushButton()
        self.state = ElidedLabel("dim")
        self.run, self.hold, self.stop, self.list = (
            PaintedButton(context.current_theme, attrgetter("border"), self) for _ in range(4)
        )
        self._lay_out()
        agent = context.agent
        agent.state_changed.connect(self.follow)
        agent.batch_changed.connect(self._follow_batch)
        self.model.clicked.connect(self.choose_model)
        self.run.clicked.connect(agent.run_here)
        self.hold.clicked.connect(agent.hold_or_go_on)
        self.stop.clicked.connect(self._stop)
        self.list.clicked.connect(agent.run_queue)
        context.keymap.changed.connect(self._show_keys)
        self._show_keys()

    def follow(self) -> None:
        """The state of the agent."""
        agent, run = self._agent, self._agent.steered
        name = agent.holder.name
        self.model.setText(f"{short_name(name)} ▾")
        self.model.setAccessibleName(self.tr("Model: {name}").replace("{name}", name))
        self.state.say(self.state_words())
        if agent.is_held:
            about = self.tr("Hand back: the agent goes on")
            self._say(self.hold, self.tr("Go on"), "pause_agent", about)
        else:
            about = self.tr("The agent waits before its next turn")
            self._say(self.hold, self.tr("Hold"), "pause_agent", about)
        self.run.setEnabled(agent.run is None)
        self.hold.setEnabled(run is not None)
        self.stop.setEnabled(run is not None and not run.is_stopping)

    def state_words(self) -> str:
        agent, holder = self._agent, self._agent.holder
        run = agent.steered
        if run is not None:
            words = run_words(run, is_here=run is agent.run)
            waiting = len(agent.runs) - 1
            if waiting:
                words += " · " + self.tr("{n} waiting").replace("{n}", str(waiting))
            return words
        if holder.is_loading:
            return self.tr("loading the model")
        if holder.fault:
            return self.tr("cannot be used: {why}").replace("{why}", holder.fault)
        if holder.model is None or holder.model.engine == holder.model.name:
            return self.tr("ready")
        return self.tr("ready · {engine}").replace("{engine}", holder.model.engine)

    def choose_model(self) -> None:
        if self._chooser is None:
            self._chooser = ModelChooser(self._runner, self)
            self._chooser.chosen.connect(self._agent.choose)
        below = self.model.mapToGlobal(self.model.rect().bottomLeft())
        self._chooser.open_at(below, self._agent.holder.name)

    def _lay_out(self) -> None:
        title = label("title")
        title.setText(self.tr("Agent"))
        self.model.setProperty("role", "quiet")
        self.model.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.model.setToolTip(self.tr("Choose another model"))
        self.state.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(4)
        whole.addLayout(row(title, self.model, (self.state, 1)))
        whole.addLayout(row(self.run, self.hold, self.stop, None, self.list, spacing=4))

    def _show_keys(self) -> None:
        words = self.tr("Go on"), self.tr("Hold")
        self.hold.setMinimumWidth(self._widest(self.hold, "pause_agent", words))
        self._say(self.run, self.tr("Run"), "run_agent", self.tr("Run the agent here"))
        self._say(self.stop, self.tr("Stop"), "escape", self.tr("Stop the agent"))
        self.follow()
        self._follow_batch(self._agent.batch)

    def _follow_batch(self, state: ListRunState) -> None:
        words = self.tr("Stop list") if state.is_running else self.tr("Run list")
        self._say(self.list, words, "run_queue", self.tr("Run the agent over the list"))
        self.list.setEnabled(not state.is_stopping)

    def _stop(self) -> None:
        self._agent.stop(anywhere=True)

    def _widest(self, button: PaintedButton, name: str, said: tuple[str, ...]) -> int:
        """So that nothing moves when its words change."""
        widths = []
        for words in said:
            button.say(words, self._keymap.label(name))
            widths.append(button.sizeHint().width())
        return max(widths)

    def _say(self, button: PaintedButton, words: str, name: str, about: str) -> None:
        key, told = self._keymap.label(name), hint(about, self._keymap, name)
        if (button.text(), button.key, button.toolTip()) != (words, key, told):
            button.say(words, key, told)
