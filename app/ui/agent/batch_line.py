"""How far the agent is with the list; nothing before it was run over it."""

from __future__ import annotations

from PySide6.QtWidgets import QProgressBar, QVBoxLayout, QWidget

from app.ui.agent.batch import BatchState
from app.ui.agent.elided_label import ElidedLabel
from app.ui.agent.words import batch_words


class BatchLine(QWidget):
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
        self.follow(BatchState())

    def follow(self, state: BatchState) -> None:
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
