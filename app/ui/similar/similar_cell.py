"""A similar spectrum as a button: its name, a small plot, how alike it is and your verdict."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QTransform,
)
from PySide6.QtWidgets import QWidget

from app.core.session.records import Verdict
from app.ui.judging.verdict_text import verdict_colour, verdict_mark
from app.ui.queue.sparklines import Sparklines
from app.ui.similar.similar_feed import SimilarRow
from app.ui.theme.theme import CurrentTheme, Theme
from app.ui.widgets.labels import one_line
from app.ui.widgets.plot_cell import PAD, PlotCell


class SimilarCell(PlotCell):
    """It never shows what an agent or the list says, so that it is the same in blind mode."""

    width_px, min_width_px, plot_px = 130, 70, 48

    opened = Signal()
    """A double click."""

    def __init__(
        self, sparklines: Sparklines, current_theme: CurrentTheme, parent: QWidget
    ) -> None:
        super().__init__(current_theme, parent)
        self._sparklines = sparklines
        self.neighbour: SimilarRow | None = None
        self.verdict: Verdict | None = None
        """The person's own."""
        self.slot: int | None = None
        """The number of its colour while it is drawn over the current spectrum."""
        self.setEnabled(False)

    def show_neighbour(self, neighbour: SimilarRow | None) -> None:
        self.neighbour = neighbour
        self.setEnabled(neighbour is not None)
        self.verdict, name = None, ""
        if neighbour is not None:
            mine, candidate = neighbour.row.mine, neighbour.row.candidate
            self.verdict = None if mine is None else mine.opinion.verdict
            name = one_line(candidate.object_id or f"#{candidate.id}")
        self.setText(name)
        text = self.tr("{name}: likeness {number}")
        text = text.replace("{name}", name).replace("{number}", self.likeness)
        self.setAccessibleName(f"{text} {self.mark}".strip() if name else "")
        hint = self.tr("A click lays it over the spectrum, a double click goes there")
        self.setToolTip(f"{text}\n{hint}" if name else "")
        self.update()

    def show_overlaid(self, slot: int | None) -> None:
        if slot != self.slot:
            self.slot = slot
            self.setAccessibleDescription("" if slot is None else self.tr("compared"))
            self.update()

    @property
    def mark(self) -> str:
        return verdict_mark(self.verdict)

    @property
    def likeness(self) -> str:
        return "" if self.neighbour is None else f"{self.neighbour.likeness:.2f}"

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.opened.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = self._current_theme.theme
        colour = theme.border
        if self.slot is not None:
            colour = self._colour(theme)
        elif self.isEnabled() and self.underMouse():
            colour = theme.accent
        painter = self._framed(colour, 2.0 if self.slot is not None else 1.0)
        if self.neighbour is not None:
            self._draw_texts(painter, theme)
            self._draw_line(painter, theme)

    def _draw_texts(self, painter: QPainter, theme: Theme) -> None:
        line, room = self._line_px(), self.rect().adjusted(PAD, 1, -PAD, -1)
        foot = room.adjusted(0, room.height() - line, 0, 0)
        room.setHeight(line)
        painter.setPen(QColor(theme.text))
        middle = Qt.AlignmentFlag.AlignVCenter
        name = painter.fontMetrics().elidedText(
            self.text(), Qt.TextElideMode.ElideMiddle, room.width()
        )
        painter.drawText(room, Qt.AlignmentFlag.AlignLeft | middle, name)
        painter.setPen(QColor(verdict_colour(theme, self.verdict)))
        painter.drawText(foot, Qt.AlignmentFlag.AlignRight | middle, self.mark)
        painter.setPen(QColor(theme.dim))
        painter.drawText(foot, Qt.AlignmentFlag.AlignLeft | middle, self.likeness)

    def _draw_line(self, painter: QPainter, theme: Theme) -> None:
        assert self.neighbour is not None
        line = self._line_px()
        room = QRectF(self.rect()).adjusted(PAD, line + 3, -PAD, -line - 3)
        points, text = self._sparklines.of(self.neighbour.row.candidate)
        if points is None:
            painter.setPen(QColor(theme.dim))
            painter.drawText(room, Qt.AlignmentFlag.AlignCenter, text)
            return
        painter.setPen(QPen(QColor(self._colour(theme)), 1.0))
        scale = QTransform(room.width(), 0, 0, -room.height(), room.left(), room.bottom())
        painter.drawPolyline(scale.map(points))

    def _colour(self, theme: Theme) -> str:
        return theme.flux if self.slot is None else str(getattr(theme, f"overlay_{self.slot + 1}"))
