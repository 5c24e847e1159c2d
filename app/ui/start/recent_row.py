"""One session of late: its name, where it lies, its class, how far one came, and when."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from PySide6.QtCore import QDate, QLocale, QRect, QRectF, QSize, Qt, QTime, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QSizePolicy, QToolButton, QWidget

from app.ui.start.recent import RecentSession
from app.ui.theme.theme import CurrentTheme, Theme
from app.ui.translation.text_pairs import task_words
from app.ui.widgets.row_button import RowButton

PAD, RIGHT_WIDTH, REMOVE = 10, 190, 24
RADIUS = 6.0
LINE_GAP = 3
HOVER_ALPHA = 22
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


class RecentRow(RowButton):
    opened = Signal(str)
    removed = Signal(str)

    def __init__(
        self, session: RecentSession, current_theme: CurrentTheme, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._current_theme = current_theme
        self.session = session
        self.remove_button = QToolButton(self)
        self.remove_button.setText("✕")
        self.remove_button.setAutoRaise(True)
        self.remove_button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.remove_button.setToolTip(self.tr("Take it off this list; the file stays"))
        self.remove_button.setAccessibleName(self.tr("Take it off this list"))
        self.remove_button.setFixedSize(REMOVE, REMOVE)
        self.remove_button.clicked.connect(self._remove)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.clicked.connect(self._open)
        current_theme.changed.connect(self._redraw)
        self.show_session(session)

    def show_session(self, session: RecentSession) -> None:
        """What became known of it."""
        self.session = session
        self.setAccessibleName(f"{session.name}, {self.state_words()}")
        self.setToolTip(session.problem or session.location)
        usable = session.is_there
        self.setCursor(Qt.CursorShape.PointingHandCursor if usable else Qt.CursorShape.ArrowCursor)
        self.update()

    def state_words(self) -> str:
        """How far one came, or what is wrong with it."""
        found = self.session
        if not found.is_there:
            return self.tr("not there")
        if found.problem:
            return self.tr("cannot be opened")
        if not found.task:
            return "" if found.is_file else self.tr("a team's database")
        text = self.tr("{done} of {total} judged")
        return text.replace("{done}", f"{found.done:,}").replace("{total}", f"{found.total:,}")

    def sizeHint(self) -> QSize:
        return QSize(360, 2 * self.fontMetrics().height() + LINE_GAP + 2 * PAD)

    def minimumSizeHint(self) -> QSize:
        return QSize(240, self.sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        top = (self.height() - REMOVE) // 2
        self.remove_button.move(self.width() - REMOVE - 4, top)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        theme = self._current_theme.theme
        if self._is_hovered or self.hasFocus():
            veil = QColor(theme.accent)
            veil.setAlpha(HOVER_ALPHA)
            edge = QPen(QColor(theme.accent), 1.0) if self.hasFocus() else Qt.PenStyle.NoPen
            painter.setPen(edge)
            painter.setBrush(veil)
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), RADIUS, RADIUS)
        line = self.fontMetrics().height()
        inner = self.rect().adjusted(PAD, PAD, -PAD - REMOVE, -PAD)
        split = inner.right() - RIGHT_WIDTH
        self._draw_left(painter, QRect(inner.left(), inner.top(), split - inner.left(), line))
        self._draw_right(painter, QRect(split + PAD, inner.top(), RIGHT_WIDTH - PAD, line))

    def _draw_left(self, painter: QPainter, upper: QRect) -> None:
        theme, found = self._current_theme.theme, self.session
        usable = found.is_there and not found.problem
        bold = QFont(self.font())
        bold.setWeight(QFont.Weight.DemiBold)
        painter.setFont(bold)
        painter.setPen(QColor(theme.text if usable else theme.dim))
        name = painter.fontMetrics().elidedText(
            found.name, Qt.TextElideMode.ElideMiddle, upper.width()
        )
        painter.drawText(upper, LEFT, name)
        painter.setFont(self.font())
        painter.setPen(QColor(theme.dim))
        lower = upper.translated(0, upper.height() + LINE_GAP)
        location = painter.fontMetrics().elidedText(
            short_place(found), Qt.TextElideMode.ElideMiddle, lower.width()
        )
        painter.drawText(lower, LEFT, location)

    def _draw_right(self, painter: QPainter, upper: QRect) -> None:
        theme, found = self._current_theme.theme, self.session
        painter.setFont(self.font())
        painter.setPen(QColor(theme.dim))
        lower = upper.translated(0, upper.height() + LINE_GAP)
        painter.drawText(lower, RIGHT, self._when())
        if not found.is_there or found.problem:
            painter.setPen(QColor(theme.warning))
            painter.drawText(upper, RIGHT, self.state_words())
            return
        painter.setPen(QColor(theme.text))
        painter.drawText(upper, RIGHT, self.state_words())

    def _when(self) -> str:
        found = self.session
        parts = [task_words(found.task), told_date(found.used) if found.used else ""]
        return " · ".join(part for part in parts if part)

    def _open(self) -> None:
        if self.session.is_there:
            self.opened.emit(self.session.location)

    def _remove(self) -> None:
        self.removed.emit(self.session.location)

    def _redraw(self, theme: Theme) -> None:
        self.update()


def short_place(session: RecentSession) -> str:
    """Its folder, with the home folder as ~."""
    if not session.is_file:
        return session.location
    folder = Path(session.location).parent
    home = Path.home()
    if folder == home:
        return "~"
    return f"~/{folder.relative_to(home)}" if folder.is_relative_to(home) else str(folder)


def told_date(moment: datetime) -> str:
    """The time for one of today, else the date."""
    locale = QLocale()
    if moment.date() == datetime.now().date():
        return locale.toString(QTime(moment.hour, moment.minute), QLocale.FormatType.ShortFormat)
    return locale.toString(
        QDate(moment.year, moment.month, moment.day), QLocale.FormatType.ShortFormat
    )
