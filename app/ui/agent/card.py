"""One step of the agent on the timeline, painted as a card."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, Qt, Signal
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
from app.ui.theme.theme import CurrentTheme, Theme, mixed

RADIUS = 6.0


class StepCard(QWidget):
    """A reusable card. It never takes the focus, so keys still reach the plot.

    The signals carry the index of the step.
    """

    chosen = Signal(int)
    enlarged = Signal(int)
    rerun_requested = Signal(int)
    height_changed = Signal()

    def __init__(self, current_theme: CurrentTheme, parent: QWidget) -> None:
        super().__init__(parent)
        self._current_theme = current_theme
        self.content: CardContent | None = None
        self.is_open = False
        self.is_current = False
        self.can_rerun = False
        self._layout: CardLayout | None = None
        self._width = 0
        self._picture: QPixmap | None = None
        self._is_hovered = False
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def show_content(self, content: CardContent) -> None:
        if content == self.content:
            return
        is_other_step = self.content is None or content.index != self.content.index
        if is_other_step or content.picture != (self.content.picture if self.content else ""):
            self._picture = None
        if is_other_step:
            self.is_open = self.is_current = False
        self.content = content
        self.setAccessibleName(f"{content.title} {content.aside}".strip())
        self.setAccessibleDescription(content.full_text)
        is_look = content.kind == "look"
        self.setCursor(Qt.CursorShape.PointingHandCursor if is_look else Qt.CursorShape.ArrowCursor)
        self._drop_layout()

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

    def set_can_rerun(self, can: bool) -> None:
        if can != self.can_rerun:
            self.can_rerun = can
            self._drop_layout()
            self.height_changed.emit()

    def height_for(self, width: int) -> int:
        return round(self._layout_for(width).height + 0.5)

    def restyle(self) -> None:
        self._drop_layout()

    def toggle_open(self) -> None:
        """Show all of the text, or only its beginning."""
        self.is_open = not self.is_open
        self._drop_layout()
        self.height_changed.emit()

    # Qt

    def enterEvent(self, event: QEnterEvent) -> None:
        self._is_hovered = True
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        self._is_hovered = False
        self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self.content is not None:
            at = event.position()
            card = self._layout_for(self.width())
            if card.more is not None and card.more.contains(at):
                self.toggle_open()
            elif card.rerun is not None and card.rerun.contains(at):
                self.rerun_requested.emit(self.content.index)
            elif card.picture is not None and card.picture.contains(at) and self.has_picture:
                self.enlarged.emit(self.content.index)
            elif self.content.kind == "look":
                self.chosen.emit(self.content.index)
            elif self.content.kind == "thought" and card.more is not None:
                self.toggle_open()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if self.content is None:
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(self.tr("Copy text")).triggered.connect(self._copy)
        menu.popup(event.globalPos())

    def changeEvent(self, event: QEvent) -> None:
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.LanguageChange):
            self._drop_layout()
        super().changeEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.content is None:
            return
        theme, painter = self._current_theme.theme, QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_frame(painter, theme, self.content)
        card = self._layout_for(self.width())
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

    def _copy(self) -> None:
        if self.content is not None:
            QGuiApplication.clipboard().setText(self.content.full_text)

    def _drop_layout(self) -> None:
        self._layout = None
        self.update()

    def _layout_for(self, width: int) -> CardLayout:
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
                rerun=self.tr("Rerun from this look") if self.can_rerun else "",
            )
        return self._layout

    def _paint_frame(self, painter: QPainter, theme: Theme, content: CardContent) -> None:
        box = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        fill = mixed(theme.panel, theme.text, 0.03)
        if self.is_current:
            fill = mixed(theme.panel, theme.agent, 0.14)
        elif self._is_hovered and content.kind == "look":
            fill = mixed(theme.panel, theme.text, 0.06)
        painter.setPen(QPen(QColor(theme.agent if self.is_current else theme.border), 1.0))
        painter.setBrush(QColor(fill))
        painter.drawRoundedRect(box, RADIUS, RADIUS)
        stripe = QRectF(box.left() + 3.0, box.top() + 8.0, STRIPE, box.height() - 16.0)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(_stripe_colour(theme, content)))
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


def _stripe_colour(theme: Theme, content: CardContent) -> str:
    if content.kind == "answer":
        return theme.accept if content.verdict == "YES" else theme.reject
    colours = {
        "look": theme.agent,
        "fault": theme.warning,
        "remark": theme.accent,
        "partial": theme.agent,
    }
    return colours.get(content.kind, theme.border)
