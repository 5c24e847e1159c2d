"""One step of the agent on the timeline, painted as a card."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QEnterEvent,
    QGuiApplication,
    QImage,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
)
from PySide6.QtWidgets import QMenu, QWidget

from app.ui.agent.card_content import CardContent
from app.ui.agent.card_layout import STRIPE, CardLayout, Fonts, elided, lay_out
from app.ui.theme.colours import mixed
from app.ui.theme.theme import CurrentTheme, Theme

RADIUS = 6.0


class StepCard(QWidget):
    """Takes one content after the other. Never the focus: keys stay with the plot."""

    chosen = Signal(int)
    """Its step was clicked."""
    enlarged = Signal(int)
    """Its picture was."""
    wants_to_go_on = Signal(int)
    """From that step."""
    grown = Signal()
    """It has another height now."""

    def __init__(self, current_theme: CurrentTheme, parent: QWidget) -> None:
        super().__init__(parent)
        self._current_theme = current_theme
        self.content: CardContent | None = None
        self.is_open = False
        self.is_current = False
        self.may_go_on = False
        self._layout: CardLayout | None = None
        self._width = 0
        self._picture: QPixmap | None = None
        self._is_hovered = False
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def show_content(self, content: CardContent) -> None:
        if content == self.content:
            return
        is_other = self.content is None or content.place != self.content.place
        if is_other or content.picture != (self.content.picture if self.content else ""):
            self._picture = None
        if is_other:
            self.is_open = self.is_current = False
        self.content = content
        self.setAccessibleName(f"{content.title} {content.aside}".strip())
        self.setAccessibleDescription(content.words)
        look = content.kind == "look"
        cursor = Qt.CursorShape.PointingHandCursor if look else Qt.CursorShape.ArrowCursor
        self.setCursor(cursor)
        self._forget()

    def set_picture(self, picture: QImage | None) -> None:
        self._picture = None if picture is None else QPixmap.fromImage(picture)
        self.update()

    @property
    def has_picture(self) -> bool:
        return self._picture is not None

    def set_current(self, is_current: bool) -> None:
        if is_current != self.is_current:
            self.is_current = is_current
            self.update()

    def set_may_go_on(self, may: bool) -> None:
        if may != self.may_go_on:
            self.may_go_on = may
            self._forget()
            self.grown.emit()

    def height_for(self, width: int) -> int:
        return round(self._laid_out(width).height + 0.5)

    def restyle(self) -> None:
        self._forget()

    def flip(self) -> None:
        """All of the text, or its beginning."""
        self.is_open = not self.is_open
        self._forget()
        self.grown.emit()

    # Qt

    def enterEvent(self, event: QEnterEvent) -> None:
        self._is_hovered = True
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        self._is_hovered = False
        self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self.content is not None:
            self._click(event.position(), self.content)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if self.content is None:
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(self.tr("Copy the text")).triggered.connect(self._copy)
        menu.popup(event.globalPos())

    def changeEvent(self, event: QEvent) -> None:
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.LanguageChange):
            self._forget()
        super().changeEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.content is None:
            return
        theme, painter = self._current_theme.theme, QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_frame(painter, theme, self.content)
        card = self._laid_out(self.width())
        for block in card.blocks:
            painter.setPen(QColor(getattr(theme, block.tone)))
            block.layout.draw(painter, block.at)
        for line in card.lines:
            painter.setPen(QColor(getattr(theme, line.tone)))
            painter.setFont(line.font)
            text, side = elided(line)
            painter.drawText(line.box, side, text)
        if card.picture is not None:
            self._paint_picture(painter, theme, card.picture)
        painter.end()

    # Inside

    def _click(self, at: QPointF, content: CardContent) -> None:
        card = self._laid_out(self.width())
        if card.more is not None and card.more.contains(at):
            self.flip()
        elif card.go_on is not None and card.go_on.contains(at):
            self.wants_to_go_on.emit(content.place)
        elif card.picture is not None and card.picture.contains(at) and self.has_picture:
            self.enlarged.emit(content.place)
        elif content.kind == "look":
            self.chosen.emit(content.place)
        elif content.kind == "thought" and card.more is not None:
            self.flip()

    def _copy(self) -> None:
        if self.content is not None:
            QGuiApplication.clipboard().setText(self.content.words)

    def _forget(self) -> None:
        self._layout = None
        self.update()

    def _laid_out(self, width: int) -> CardLayout:
        assert self.content is not None
        if self._layout is None or self._width != width:
            self._width = width
            self._layout = lay_out(
                self.content,
                float(width),
                Fonts.of(self.font()),
                is_open=self.is_open,
                marking=QColor(self._current_theme.theme.warning),
                more=self.tr("Show all"),
                fold=self.tr("Show less"),
                go_on=self.tr("Go on from here") if self.may_go_on else "",
            )
        return self._layout

    def _paint_frame(self, painter: QPainter, theme: Theme, content: CardContent) -> None:
        box = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        fill = mixed(theme.panel, theme.text, 0.03)
        if self.is_current:
            fill = mixed(theme.panel, theme.agent, 0.14)
        elif self._is_hovered and content.kind == "look":
            fill = mixed(theme.panel, theme.text, 0.06)
        edge = theme.agent if self.is_current else theme.border
        painter.setPen(QPen(QColor(edge), 1.0))
        painter.setBrush(QColor(fill))
        painter.drawRoundedRect(box, RADIUS, RADIUS)
        stripe = QRectF(box.left() + 3.0, box.top() + 8.0, STRIPE, box.height() - 16.0)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(_stripe(theme, content)))
        painter.drawRoundedRect(stripe, 1.5, 1.5)

    def _paint_picture(self, painter: QPainter, theme: Theme, box: QRectF) -> None:
        painter.setPen(QPen(QColor(theme.border), 1.0))
        painter.setBrush(QColor(theme.plot))
        painter.drawRect(box)
        if self._picture is not None:
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
            inside = box.adjusted(1.0, 1.0, -1.0, -1.0)
            painter.drawPixmap(inside, self._picture, QRectF(self._picture.rect()))
        else:
            painter.setPen(QColor(theme.dim))
            painter.setFont(Fonts.of(self.font()).small)
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, self.tr("picture"))


def _stripe(theme: Theme, content: CardContent) -> str:
    if content.kind == "answer":
        return theme.accept if content.verdict == "YES" else theme.reject
    kinds = {
        "look": theme.agent,
        "fault": theme.warning,
        "remark": theme.accent,
        "speaking": theme.agent,
    }
    return kinds.get(content.kind, theme.border)
