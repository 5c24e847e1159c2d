"""A line that shows a problem, or a result, where it occurred, until it is closed."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QToolButton, QWidget

from app.ui.widgets.labels import cut, narrow, row, short_label, wrapped_label


class ProblemLine(QFrame):
    """Hidden while there is nothing to say."""

    def __init__(
        self, parent: QWidget | None = None, *, mark: str = "!", tone: str = "warning"
    ) -> None:
        super().__init__(parent)
        self.setProperty("role", "notice" if tone == "warning" else "card")
        self.label = narrow(wrapped_label(""))
        self.label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.close_button = QToolButton(autoRaise=True)
        self.close_button.setText("✕")
        self.close_button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.close_button.setAccessibleName(self.tr("Close this message"))
        self.close_button.clicked.connect(self.clear)
        row(
            short_label(mark, tone),
            (self.label, 1),
            self.close_button,
            spacing=12,
            margins=(12, 8, 8, 8),
            parent=self,
        )
        self.hide()

    def show_problem(self, text: str) -> None:
        self.label.setText(cut(text))
        self.setVisible(bool(text))

    def clear(self) -> None:
        self.show_problem("")

    @property
    def text(self) -> str:
        return self.label.text()
