"""Lets the person show the running agent a window or send it a remark."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLineEdit, QPushButton, QWidget

from agent.errors import ResourceError
from agent.inspection.inspector_factory import looking_card
from app.ui.session.session_context import SessionContext
from app.ui.widgets.labels import column, row, wrapped_label

MAX_REMARK = 2000


class TakeoverBar(QWidget):
    """Shown while the agent runs on the current candidate.

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
        self.no_remarks = wrapped_label(self.tr("This model cannot read remarks"), "dim")
        self.show_window = QPushButton(self.tr("Show this window"))
        self.resume = QPushButton(self.tr("Resume"))
        for button in (self.show_window, self.resume):
            button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            button.setAccessibleName(button.text())
        about = self.tr("Show the agent the visible part of the spectrum before its next turn")
        self.show_window.setToolTip(about)
        self.resume.setToolTip(self.tr("Resume the agent"))
        buttons = row((self.show_window, 1), (self.resume, 1))
        column(self.remark, self.no_remarks, buttons, spacing=6, parent=self)
        self.remark.returnPressed.connect(self._send_remark)
        self.show_window.clicked.connect(self._send_window)
        self.resume.clicked.connect(self._resume)

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
