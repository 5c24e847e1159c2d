"""The bar at the top: pages, progress, blind mode, export and the reviewer's name."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QButtonGroup, QFrame, QPushButton, QWidget

from agent.tasks.look import has_class
from app.ui.actions.actions import ACTIONS
from app.ui.agent.status_texts import list_run_text, run_text
from app.ui.judging.progress_line import ProgressLine
from app.ui.session_context import SessionContext
from app.ui.widgets.elided_label import ElidedLabel
from app.ui.widgets.flow_layout import FlowLayout
from app.ui.widgets.labels import short_label
from app.ui.widgets.painted_button import hint

AGENT_PX = 130
WIDE_PX = 1500
"""Width of a window with room for the state of the agent above the page."""

PAGES = ("judging_page", "overview_page", "disagreement_page", "agreement_page", "history_page")


class TopBar(QFrame):
    def __init__(self, context: SessionContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "bar")
        self._commands = context.commands
        self._page = "judging_page"
        layout = FlowLayout(self, spacing=4)
        layout.setContentsMargins(8, 2, 8, 2)
        self._group = QButtonGroup(self)
        self._buttons: dict[str, QPushButton] = {}
        for name in PAGES:
            layout.addWidget(self._page_button(name))
        has_verdicts = has_class(context.bridge.session.task)
        if has_verdicts:
            layout.addWidget(ProgressLine(context))
        self.agent_text = ElidedLabel("dim")
        self.agent_text.setFixedWidth(AGENT_PX)
        layout.addWidget(self.agent_text)
        self._blind = QPushButton()
        self._blind.setProperty("role", "quiet")
        self._blind.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._blind.clicked.connect(partial(self._commands.run, "blind"))
        layout.addWidget(self._blind)
        self._blind.setVisible(has_verdicts)
        self.export = QPushButton(self.tr("Export"))
        self.export.setProperty("role", "quiet")
        self.export.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.export.setToolTip(", ".join(context.keymap.labels("export")))
        self.export.clicked.connect(partial(self._commands.run, "export"))
        layout.addWidget(self.export)
        who = short_label(context.current.session.reviewer, "dim")
        who.setToolTip(self.tr("Verdicts are saved under this name"))
        layout.addWidget(who)
        self.keys = QPushButton("?")
        self.keys.setProperty("role", "quiet")
        self.keys.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.keys.setToolTip(hint(ACTIONS["keys"].title, context.keymap, "keys"))
        self.keys.setAccessibleName(ACTIONS["keys"].title)
        self.keys.clicked.connect(partial(self._commands.run, "keys"))
        layout.addWidget(self.keys)
        if context.current.session.is_read_only:
            layout.addWidget(short_label(self.tr("read-only"), "warning"))
        self._agent = context.agent
        self._agent.state_changed.connect(self._show_agent)
        self._agent.list_run.changed.connect(self._show_agent)
        self._show_agent()
        context.current.blind_mode.changed.connect(self._show_blind)
        self._show_blind(context.current.blind_mode.is_on)
        self.mark("judging_page")

    def mark(self, page: str) -> None:
        self._page = page
        self._group.setExclusive(page in self._buttons)  # of a page in the menu alone, none
        for name, button in self._buttons.items():
            button.setChecked(name == page)
        self._show_agent_text()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_agent_text()

    def _page_button(self, name: str) -> QPushButton:
        action = ACTIONS[name]
        button = QPushButton({"agreement_page": self.tr("Calibration")}.get(name, action.title))
        button.setCheckable(True)
        button.setProperty("role", "page")
        button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        button.setToolTip(f"{action.title} ({', '.join(action.keys)})")
        button.setObjectName(name)
        button.clicked.connect(partial(self._commands.run, name))
        self._group.addButton(button)
        self._buttons[name] = button
        return button

    def _show_agent(self, _: object = None) -> None:
        run, list_run = self._agent.active_run, self._agent.list_run.state
        text = list_run_text(list_run) if list_run.is_running else ""
        if run is not None:
            doing = run_text(run, is_here=run is self._agent.shown.run)
            text = self.tr("Agent: {what}").replace("{what}", doing)
        self.agent_text.show_text(text)
        self._show_agent_text()

    def _show_agent_text(self) -> None:
        """The Judge page tells it in its own panel: on a small window it must not cost a row."""
        is_told = self._page == "judging_page" and self.window().width() < WIDE_PX
        self.agent_text.setVisible(bool(self.agent_text.full_text) and not is_told)

    def _show_blind(self, on: bool) -> None:
        self._blind.setText(self.tr("Blind: on") if on else self.tr("Blind: off"))
        self._blind.setToolTip(
            self.tr("The agent's opinion is hidden until you judge")
            if on
            else self.tr("The agent's opinion is shown. Click to hide it until you judge")
        )
