"""A line that shows a problem, or a result, where it occurred, until it is closed."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QToolButton, QWidget

from app.ui.widgets.labels import cut, narrow, short_label, wrapped_label


class ProblemLine(QFrame):
    """Hidden while there is nothing to say."""

    def __init__(
        self, parent: QWidget | None = None, *, mark: str = "!", tone: str = "warning"
    ) -> None:
        super().__init__(parent)
        self.setProperty("role", "notice" if tone == "warning" else "card")
        self.label = narrow(wrapped_label(""))
        self.label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.close_button = QToolButton()
        self.close_button.setText("✕")
        self.close_button.setAutoRaise(True)
        self.close_button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.close_button.setAccessibleName(self.tr("Close this message"))
        self.close_button.clicked.connect(self.clear)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(12, 8, 8, 8)
        layout.setSpacing(12)
        layout.addWidget(short_label(mark, tone))
        layout.addWidget(self.label, 1)
        layout.addWidget(self.close_button)
        self.hide()

    def show_problem(self, text: str) -> None:
        self.label.setText(cut(text))
        self.setVisible(bool(text))

    def clear(self) -> None:
        self.show_problem("")

    @property
    def text(self) -> str:
        return self.label.text()
