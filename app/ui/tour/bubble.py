"""The bubble of the tour: the text of one stop, with buttons to go on, back or end."""

from __future__ import annotations

from operator import attrgetter

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QFrame, QGraphicsDropShadowEffect, QLabel, QWidget

from app.ui.actions.key_names import label
from app.ui.theme.theme import CurrentTheme
from app.ui.tour.stops import Stop
from app.ui.widgets.labels import column, row, short_label, wrapped_label
from app.ui.widgets.painted_button import PaintedButton

WIDTH = 348
"""Least width; wider where the buttons need it."""


class TourBubble(QFrame):
    """A child of the window that never takes the focus."""

    next_requested = Signal()
    back_requested = Signal()
    end_requested = Signal()

    def __init__(self, current_theme: CurrentTheme, window: QWidget) -> None:
        super().__init__(window)
        self.setProperty("role", "card")
        self.title = wrapped_label("", "heading")
        self.text = wrapped_label("")
        self.progress: QLabel = short_label("", "dim")
        self.back = _button(current_theme, self)
        self.next = _button(current_theme, self, is_quiet=False)
        self.end = _button(current_theme, self)
        whole = column(
            row((self.title, 1), (self.progress, 0, Qt.AlignmentFlag.AlignTop), spacing=None),
            self.text,
            margins=(16, 12, 16, 12),
            parent=self,
        )
        whole.addSpacing(4)
        whole.addLayout(row(self.end, 1, self.back, self.next))
        shadow = QGraphicsDropShadowEffect(self, blurRadius=32, xOffset=0, yOffset=8)
        shadow.setColor(QColor(0, 0, 0, 90))
        self.setGraphicsEffect(shadow)
        self.back.clicked.connect(self.back_requested)
        self.next.clicked.connect(self.next_requested)
        self.end.clicked.connect(self.end_requested)
        self.hide()

    def show_stop(self, stop: Stop, number: int, count: int) -> None:
        """`number` counts from 1."""
        self.title.setText(stop.title)
        self.text.setText(stop.text)
        progress = self.tr("{number} of {count}").replace("{number}", str(number))
        self.progress.setText(progress.replace("{count}", str(count)))
        enter = label("Return")
        is_last = number == count
        self.next.set_label(self.tr("Done") if is_last else self.tr("Next"), enter)
        self.back.set_label(self.tr("Back"), hint=f"Shift+{enter}")
        self.back.setVisible(number > 1)
        self.end.set_label(self.tr("End the tour"), label("Escape"))
        self.end.setVisible(not is_last)
        self.setAccessibleName(self.tr("Tour: {title}").replace("{title}", stop.title))
        self.setAccessibleDescription(stop.text)
        layout = self.layout()
        assert layout is not None
        layout.activate()
        self.ensurePolished()
        width = max(WIDTH, layout.totalMinimumSize().width())
        self.setFixedSize(width, layout.totalHeightForWidth(width))


def _button(
    current_theme: CurrentTheme, parent: QWidget, *, is_quiet: bool = True
) -> PaintedButton:
    return PaintedButton(
        current_theme,
        attrgetter("accent"),
        parent,
        height=28,
        is_quiet=is_quiet,
        is_bold=not is_quiet,
    )
