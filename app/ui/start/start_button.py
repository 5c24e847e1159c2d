"""A large button of the welcome page: icon, title, description and key."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy

from app.ui.theme.theme import CurrentTheme, Theme
from app.ui.widgets.painted_button import RowButton

Icon = Callable[[QPainter], None]
"""Draws into a 24 x 24 square with the pen that is set."""


def spectrum(painter: QPainter) -> None:
    points = ((2, 16), (6, 14), (9, 15), (12, 4), (15, 15), (18, 13), (22, 14))
    painter.drawPolyline(QPolygonF([QPointF(x, y) for x, y in points]))
    painter.drawLine(QPointF(2, 20.5), QPointF(22, 20.5))


def table(painter: QPainter) -> None:
    painter.drawRoundedRect(QRectF(3, 4, 18, 16), 2, 2)
    painter.drawLine(QPointF(3, 9), QPointF(21, 9))
    painter.drawLine(QPointF(3, 14.5), QPointF(21, 14.5))
    painter.drawLine(QPointF(9.5, 9), QPointF(9.5, 20))


def folder(painter: QPainter) -> None:
    points = ((3, 19), (3, 5), (9.5, 5), (11.5, 8), (21, 8), (21, 19), (3, 19))
    painter.drawPolyline(QPolygonF([QPointF(x, y) for x, y in points]))


def session(painter: QPainter) -> None:
    painter.drawRoundedRect(QRectF(5, 3, 14, 18), 2, 2)
    painter.drawPolyline(QPolygonF([QPointF(8.5, 12), QPointF(11, 15), QPointF(15.5, 8.5)]))


def draw_icon(painter: QPainter, icon: Icon, target: QRectF, colour: QColor) -> None:
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.translate(target.topLeft())
    painter.scale(target.width() / 24.0, target.height() / 24.0)
    pen = QPen(colour, 1.6)
    pen.setCapStyle(Qt.PenCapStyle.RoundCap)
    pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    icon(painter)
    painter.restore()


PAD, ICON, GAP = 14, 26, 14
WRAPPED = int(Qt.TextFlag.TextWordWrap.value)
RADIUS = 8.0
FIRST_ALPHA, HOVER_ALPHA, PRESSED_ALPHA = 24, 18, 40


class StartButton(RowButton):
    """`is_first` highlights the button meant for newcomers."""

    def __init__(
        self,
        current_theme: CurrentTheme,
        icon: Icon,
        title: str,
        about: str,
        key: str = "",
        *,
        is_first: bool = False,
    ) -> None:
        super().__init__()
        self._current_theme, self._icon, self._about, self._key = current_theme, icon, about, key
        self._is_first = is_first
        self.setText(title)
        self.setAccessibleName(title)
        self.setAccessibleDescription(about)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        current_theme.changed.connect(self.update)

    def set_description(self, about: str) -> None:
        self._about = about
        self.setAccessibleDescription(about)
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        line = self.fontMetrics().height()
        wide = max(
            QFontMetrics(self._bold()).horizontalAdvance(self.text()) + self._key_width(),
            self.fontMetrics().horizontalAdvance(self._about),
        )
        return QSize(wide + 2 * PAD + ICON + 2 * GAP, 2 * line + 2 * PAD + 2)

    def minimumSizeHint(self) -> QSize:
        return QSize(220, self.sizeHint().height())

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        """Title and description wrap."""
        _, about = self._boxes(width)
        return max(about.bottom() + 1 + PAD, self.sizeHint().height())

    def _boxes(self, width: int) -> tuple[QRect, QRect]:
        """Where title and description are."""
        left, most = PAD + ICON + GAP, 10_000
        room = max(width - left - PAD, 1)
        title = QFontMetrics(self._bold()).boundingRect(
            QRect(left, PAD, max(room - self._key_width(), 1), most), WRAPPED, self.text()
        )
        about = self.fontMetrics().boundingRect(
            QRect(left, title.bottom() + 3, room, most), WRAPPED, self._about
        )
        return title, about

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ink, dim = self._draw_background(painter, self._current_theme.theme)
        draw_icon(painter, self._icon, QRectF(PAD, (self.height() - ICON) / 2, ICON, ICON), ink)
        self._draw_text(painter, ink, dim)

    def _draw_background(self, painter: QPainter, theme: Theme) -> tuple[QColor, QColor]:
        """Draw the background; returns the colours of title and description."""
        frame = QRectF(self.rect()).adjusted(1, 1, -1, -1)
        accent = QColor(theme.accent)
        edge = accent if self._is_first or self.hasFocus() else QColor(theme.border)
        painter.setPen(QPen(edge, 2.0 if self.hasFocus() else 1.0))
        painter.setBrush(QColor(theme.panel))
        painter.drawRoundedRect(frame, RADIUS, RADIUS)
        accent.setAlpha(self._accent_alpha())
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(accent)
        painter.drawRoundedRect(frame, RADIUS, RADIUS)
        is_lit = self._is_first or self._is_hovered
        return QColor(theme.accent if is_lit else theme.text), QColor(theme.dim)

    def _accent_alpha(self) -> int:
        base = FIRST_ALPHA if self._is_first else 0
        if self.isDown():
            return base + PRESSED_ALPHA
        return base + HOVER_ALPHA if self._is_hovered else base

    def _draw_text(self, painter: QPainter, ink: QColor, dim: QColor) -> None:
        title, about = self._boxes(self.width())
        painter.setFont(self._bold())
        painter.setPen(ink)
        painter.drawText(title, WRAPPED, self.text())
        painter.setFont(self.font())
        painter.setPen(dim)
        painter.drawText(about, WRAPPED, self._about)
        if self._key:
            width = self._key_width()
            key = QRect(self.width() - PAD - width, PAD, width, self.fontMetrics().height())
            painter.drawText(
                key, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, self._key
            )

    def _bold(self) -> QFont:
        font = QFont(self.font())
        font.setWeight(QFont.Weight.DemiBold)
        return font

    def _key_width(self) -> int:
        return self.fontMetrics().horizontalAdvance(self._key) + GAP if self._key else 0
