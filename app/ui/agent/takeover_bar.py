"""Lets the person show the running agent a window or send it a remark."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPushButton, QVBoxLayout, QWidget

from app.ui.session_context import SessionContext

MAX_REMARK = 2000


class TakeoverBar(QWidget):
    """Shown while the agent runs on the current candidate."""

    def __init__(self, context: SessionContext, parent: QWidget) -> None:
        super().__init__(parent)
        self._agent, self._shown = context.agent, context.agent.shown
        self._current, self._view = context.current, context.view
        self.remark = QLineEdit()
        self.remark.setMaxLength(MAX_REMARK)
        self.remark.setPlaceholderText(self.tr("Remark for the agent, Enter sends it"))
        self.remark.setAccessibleName(self.tr("Remark for the agent"))
        self.show_window = QPushButton(self.tr("Show this window"))
        self.resume = QPushButton(self.tr("Resume"))
        for button in (self.show_window, self.resume):
            button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            button.setAccessibleName(button.text())
        self.show_window.setToolTip(
            self.tr("Show the agent the visible part of the spectrum before its next turn")
        )
        self.resume.setToolTip(self.tr("Resume the agent"))
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.show_window, 1)
        row.addWidget(self.resume, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        layout.addWidget(self.remark)
        layout.addLayout(row)
        self.remark.returnPressed.connect(self._send_remark)
        self.show_window.clicked.connect(self._send_window)
        self.resume.clicked.connect(self._agent.resume)

    def refresh(self) -> None:
        run = self._shown.run
        self.setVisible(run is not None and not self._shown.is_hidden)
        self.resume.setVisible(run is not None and run.is_paused)

    def _send_remark(self) -> None:
        text = self.remark.text().strip()
        if text and self._agent.insert(text):
            self.remark.clear()
            self._current.message.emit(self.tr("The agent will read this before its next turn"))

    def _send_window(self) -> None:
        window, spectrum = self._view.window, self._current.spectrum
        if window is None and spectrum is not None:
            window = spectrum.range
        if window is None:
            return
        text, label = self.remark.text().strip(), self._view.window_name
        if self._agent.insert(text, window, label):
            self.remark.clear()
            self._current.message.emit(
                self.tr("The agent will see this window before its next turn")
            )
