"""One recent session: name, folder, class, progress and date."""

from __future__ import annotations

from datetime import datetime
from functools import partial
from pathlib import Path

from PySide6.QtCore import QDate, QLocale, QRect, QRectF, QSize, Qt, QTime, Signal
from PySide6.QtGui import QColor, QFont, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QToolButton

from app.ui.start.recent import RecentSession
from app.ui.theme.theme import CurrentTheme
from app.ui.translation.data_texts import task_text
from app.ui.widgets.painted_button import RowButton
from app.ui.widgets.text_width import how_much_larger

PAD = 10
REMOVE_PX = 24
"""Side of the button in text of the usual size."""
RIGHT_SHARE = 0.6
"""Most of the width that state and class may take."""
RADIUS = 6.0
LINE_GAP = 3
HOVER_ALPHA = 22
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


class RecentRow(RowButton):
    opened = Signal(str)
    removed = Signal(str)

    def __init__(self, session: RecentSession, current_theme: CurrentTheme) -> None:
        super().__init__()
        self._current_theme = current_theme
        self.session = session
        self.remove_button = QToolButton(self, autoRaise=True)
        self.remove_button.setText("✕")
        self.remove_button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.remove_button.setToolTip(self.tr("Remove from this list; the file is kept"))
        self.remove_button.setAccessibleName(self.tr("Remove from this list"))
        self.remove_button.setProperty("role", "mark")
        self.remove_button.clicked.connect(partial(self.removed.emit, session.location))
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.clicked.connect(self._open)
        current_theme.changed.connect(self.update)
        self.show_session(session)

    def show_session(self, session: RecentSession) -> None:
        self.session = session
        self.setAccessibleName(f"{session.name}, {self.state_text()}")
        self.setToolTip(session.problem or session.shown)
        usable = session.exists
        self.setCursor(Qt.CursorShape.PointingHandCursor if usable else Qt.CursorShape.ArrowCursor)
        self.update()

    def state_text(self) -> str:
        """Progress, or why the session cannot be opened."""
        session = self.session
        if not session.exists:
            return self.tr("file not found")
        if session.problem:
            return self.tr("cannot be opened")
        if not session.task:
            return "" if session.is_file else self.tr("team database")
        text = self.tr("{done} of {total} judged")
        return text.replace("{done}", f"{session.done:,}").replace("{total}", f"{session.total:,}")

    def sizeHint(self) -> QSize:
        return QSize(360, 2 * self.fontMetrics().height() + LINE_GAP + 2 * PAD)

    def minimumSizeHint(self) -> QSize:
        return QSize(240, self.sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        side = self._remove_px
        self.remove_button.setGeometry(
            self.width() - side - 4, (self.height() - side) // 2, side, side
        )

    @property
    def _remove_px(self) -> int:
        return round(REMOVE_PX * how_much_larger(self))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        theme = self._current_theme.theme
        if self._is_hovered or self.hasFocus():
            background = QColor(theme.accent)
            background.setAlpha(HOVER_ALPHA)
            edge = QPen(QColor(theme.accent), 1.0) if self.hasFocus() else Qt.PenStyle.NoPen
            painter.setPen(edge)
            painter.setBrush(background)
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), RADIUS, RADIUS)
        line = self.fontMetrics().height()
        inner = self.rect().adjusted(PAD, PAD, -PAD - self._remove_px, -PAD)
        texts = self.state_text(), self._details()
        wanted = max(map(self.fontMetrics().horizontalAdvance, texts)) + 2 * PAD
        right = min(wanted, round(RIGHT_SHARE * inner.width()))
        split = inner.right() - right
        self._draw_left(painter, QRect(inner.left(), inner.top(), split - inner.left(), line))
        self._draw_right(painter, QRect(split + PAD, inner.top(), right - PAD, line))

    def _draw_left(self, painter: QPainter, upper: QRect) -> None:
        theme, session = self._current_theme.theme, self.session
        usable = session.exists and not session.problem
        bold = QFont(self.font())
        bold.setWeight(QFont.Weight.DemiBold)
        painter.setFont(bold)
        painter.setPen(QColor(theme.text if usable else theme.dim))
        name = painter.fontMetrics().elidedText(
            session.name, Qt.TextElideMode.ElideMiddle, upper.width()
        )
        painter.drawText(upper, LEFT, name)
        painter.setFont(self.font())
        painter.setPen(QColor(theme.dim))
        lower = upper.translated(0, upper.height() + LINE_GAP)
        location = painter.fontMetrics().elidedText(
            short_folder(session), Qt.TextElideMode.ElideMiddle, lower.width()
        )
        painter.drawText(lower, LEFT, location)

    def _draw_right(self, painter: QPainter, upper: QRect) -> None:
        theme, session = self._current_theme.theme, self.session
        painter.setFont(self.font())
        painter.setPen(QColor(theme.dim))
        lower = upper.translated(0, upper.height() + LINE_GAP)
        state, details = (
            self.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, upper.width())
            for text in (self.state_text(), self._details())
        )
        painter.drawText(lower, RIGHT, details)
        is_usable = session.exists and not session.problem
        painter.setPen(QColor(theme.text if is_usable else theme.warning))
        painter.drawText(upper, RIGHT, state)

    def _details(self) -> str:
        session = self.session
        parts = [task_text(session.task), short_date(session.used) if session.used else ""]
        return " · ".join(part for part in parts if part)

    def _open(self) -> None:
        if self.session.exists:
            self.opened.emit(self.session.location)


def short_folder(session: RecentSession) -> str:
    """The folder of the session, with the home folder as ~."""
    if not session.is_file:
        return session.shown
    folder = Path(session.location).parent
    home = Path.home()
    if folder == home:
        return "~"
    return f"~/{folder.relative_to(home)}" if folder.is_relative_to(home) else str(folder)


def short_date(moment: datetime) -> str:
    """The time if it is today, else the date."""
    locale = QLocale()
    if moment.date() == datetime.now().date():
        return locale.toString(QTime(moment.hour, moment.minute), QLocale.FormatType.ShortFormat)
    return locale.toString(
        QDate(moment.year, moment.month, moment.day), QLocale.FormatType.ShortFormat
    )
