"""Put something in while the agent is at work: the window on screen, a remark; then hand back."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPushButton, QVBoxLayout, QWidget

from app.ui.candidate.current import CurrentCandidate
from app.ui.candidate.view_options import View
from app.ui.inspection.controller import InspectionController

MAX_REMARK = 2000


class TakeoverBar(QWidget):
    """Shown while the agent is at work on the candidate on the desk."""

    def __init__(
        self, agent: InspectionController, current: CurrentCandidate, view: View, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._agent, self._current, self._view = agent, current, view
        self.remark = QLineEdit()
        self.remark.setMaxLength(MAX_REMARK)
        self.remark.setPlaceholderText(self.tr("A remark for the agent, then Enter"))
        self.remark.setAccessibleName(self.tr("Remark for the agent"))
        self.show_window = QPushButton(self.tr("Show it this window"))
        self.hand_back = QPushButton(self.tr("Hand back"))
        for button in (self.show_window, self.hand_back):
            button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            button.setAccessibleName(button.text())
        self.show_window.setToolTip(
            self.tr("The agent sees the part of the spectrum that you see, before its next turn")
        )
        self.hand_back.setToolTip(self.tr("The agent goes on"))
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.show_window, 1)
        row.addWidget(self.hand_back, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        layout.addWidget(self.remark)
        layout.addLayout(row)
        self.remark.returnPressed.connect(self._say)
        self.show_window.clicked.connect(self._show)
        self.hand_back.clicked.connect(self._agent.go_on)

    def follow(self) -> None:
        """The state of the agent has changed."""
        run = self._agent.run
        self.setVisible(run is not None and not self._agent.is_hidden)
        self.hand_back.setVisible(run is not None and run.is_held)

    def _say(self) -> None:
        text = self.remark.text().strip()
        if text and self._agent.insert(text):
            self.remark.clear()
            self._current.said.emit(self.tr("The agent reads it before its next turn"))

    def _show(self) -> None:
        window, spectrum = self._view.window, self._current.spectrum
        if window is None and spectrum is not None:
            window = spectrum.range
        if window is None:
            return
        text, label = self.remark.text().strip(), self._view.window_name
        if self._agent.insert(text, window, label):
            self.remark.clear()
            self._current.said.emit(self.tr("The agent sees this window before its next turn"))
