"""The agent's steps as a scrolling list of painted cards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QEnterEvent,
    QFont,
    QFontMetricsF,
    QGuiApplication,
    QImage,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QResizeEvent,
    QTextCharFormat,
    QTextLayout,
    QTextOption,
)
from PySide6.QtWidgets import QMenu, QScrollArea, QWidget

from app.ui.base.theme.theme import CurrentTheme, Theme, mixed
from app.ui.judge.agent.card_content import CardContent
from app.ui.judge.agent.measured_rows import MeasuredRow, header_row
from app.ui.widgets.labels import add_action
from app.ui.widgets.painted_button import smooth_painter

SPACING = 6
NEAR_END = 24  # pixels from the end within which the list follows new steps


class Timeline(QScrollArea):
    """Reuses its card widgets, so that changing the candidate creates none."""

    chosen = Signal(int)
    enlarged = Signal(int)
    rerun_requested = Signal(int)

    def __init__(self, current_theme: CurrentTheme, head: QWidget) -> None:
        """`head` stands above all cards while it is not hidden."""
        super().__init__()
        self._current_theme = current_theme
        self._cards: list[StepCard] = []
        self._count = 0
        self._column, self._head = QWidget(), head
        head.setParent(self._column)
        self.setWidget(self._column)
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(self.tr("Agent steps"))
        current_theme.changed.connect(self._restyle)

    @property
    def cards(self) -> tuple[StepCard, ...]:
        return tuple(self._cards[: self._count])

    def show_cards(self, contents: Sequence[CardContent], *, follow: bool = False) -> None:
        """Show these steps; `follow` keeps the list at its end if it is there."""
        bar = self.verticalScrollBar()
        was_at_end = bar.value() >= bar.maximum() - NEAR_END
        if not contents and not self._count:
            return
        while len(self._cards) < len(contents):
            self._cards.append(self._new_card())
        for card, content in zip(self._cards, contents, strict=False):
            card.show_content(content)
            card.show()
        for card in self._cards[len(contents) : self._count]:
            card.hide()
        is_longer, self._count = len(contents) >= self._count, len(contents)
        self._lay_out()
        if follow and was_at_end and is_longer:
            bar.setValue(bar.maximum())
        elif not follow:
            bar.setValue(0)

    def mark(self, index: int, *, can_rerun: bool = False, reveal: bool = True) -> None:
        """Mark the step that the plot shows; -1: none. `reveal` scrolls to it."""
        for card in self.cards:
            is_current = card.content is not None and card.content.index == index >= 0
            card.set_current(is_current)
            card.set_can_rerun(is_current and can_rerun)
            if is_current and reveal:
                self.ensureWidgetVisible(card, 0, SPACING)

    def show_pictures(self, pictures: Mapping[str, QImage]) -> None:
        for card in self.cards:
            content = card.content
            if content is not None and content.picture in pictures and not card.has_picture:
                card.set_picture(pictures[content.picture])

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._lay_out()

    def _new_card(self) -> StepCard:
        card = StepCard(self._current_theme, self._column)
        card.chosen.connect(self.chosen)
        card.enlarged.connect(self.enlarged)
        card.rerun_requested.connect(self.rerun_requested)
        card.height_changed.connect(self._lay_out)
        return card

    def _lay_out(self) -> None:
        width, y = self.viewport().width(), 0
        if not self._head.isHidden():
            y = self._head.heightForWidth(width) + SPACING
            self._head.setGeometry(0, 0, width, y - SPACING)
        for card in self.cards:
            height = card.height_for(width)
            card.setGeometry(0, y, width, height)
            y += height + SPACING
        self._column.resize(width, max(y - SPACING, 0))

    def _restyle(self) -> None:
        for card in self._cards:
            card.drop_layout()
        self._lay_out()


RADIUS = 6.0
PAD, GAP = 8.0, 4.0
STRIPE = 3.0  # width of the coloured edge that shows the kind of step
THUMB = (116.0, 71.0)
FOLDED_LINES = 5
MAX_LINES = 400
MAX_IN_LINE = 300  # characters
CELL_GAP = 6.0
MIN_NAME = 0.25  # of the width of a table, which numbers leave to the names of lines
LINE_SEPARATOR = "\u2028"


class StepCard(QWidget):
    """A reusable card of one step. It never takes the focus, so keys still reach the plot.

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
        before = self.content
        if content == before:
            return
        is_other_step = before is None or content.index != before.index
        if before is None or is_other_step or content.picture != before.picture:
            self._picture = None
        if is_other_step:
            self.is_open = self.is_current = False
        self.content = content
        self.setAccessibleName(f"{content.title} {content.aside}".strip())
        self.setAccessibleDescription(content.full_text)
        is_look = content.kind == "look"
        self.setCursor(Qt.CursorShape.PointingHandCursor if is_look else Qt.CursorShape.ArrowCursor)
        self.drop_layout()

    def set_picture(self, picture: QImage) -> None:
        self._picture = QPixmap.fromImage(picture)
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
            self.drop_layout()
            self.height_changed.emit()

    def height_for(self, width: int) -> int:
        return round(self._layout_for(width).height + 0.5)

    def drop_layout(self) -> None:
        self._layout = None
        self.update()

    def toggle_open(self) -> None:
        self.is_open = not self.is_open
        self.drop_layout()
        self.height_changed.emit()

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
        copy = partial(QGuiApplication.clipboard().setText, self.content.full_text)
        add_action(menu, self.tr("Copy text"), copy)
        menu.popup(event.globalPos())

    def changeEvent(self, event: QEvent) -> None:
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.LanguageChange):
            self.drop_layout()
        super().changeEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.content is None:
            return
        theme, painter = self._current_theme.theme, smooth_painter(self)
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
    if content.kind in ("look", "partial"):
        return theme.agent
    return {"fault": theme.warning, "remark": theme.accent}.get(content.kind, theme.border)


# Lays out the text of a card for a given width, once for many repaints. A QLabel lays out its
# whole text again on every resize and repaint, which is slow for long texts.
@dataclass(frozen=True)
class Fonts:
    plain: QFont
    bold: QFont
    small: QFont

    @classmethod
    def of(cls, font: QFont) -> Fonts:
        bold, small = QFont(font), QFont(font)
        bold.setWeight(QFont.Weight.DemiBold)
        small.setPointSizeF(max(0.9 * font.pointSizeF(), 6.0))
        return cls(font, bold, small)


@dataclass(frozen=True)
class TextLine:
    box: QRectF
    text: str
    font: QFont
    tone: str  # name of a theme colour
    right: bool = False


@dataclass(frozen=True)
class TextBlock:
    at: QPointF
    layout: QTextLayout
    tone: str


@dataclass(eq=False)
class CardLayout:
    height: float = 0.0
    lines: list[TextLine] = field(default_factory=list)
    blocks: list[TextBlock] = field(default_factory=list)
    picture: QRectF | None = None
    more: QRectF | None = None  # the link that unfolds or folds the text
    rerun: QRectF | None = None  # the link that reruns the inspection from this step


def lay_out(
    content: CardContent,
    width: float,
    fonts: Fonts,
    *,
    is_open: bool,
    marking: QColor,
    more: str = "",
    fold: str = "",
    rerun: str = "",
) -> CardLayout:
    """Lay out a card; `marking` underlines unsupported claims, an empty `rerun` adds no link."""
    page = _Page(width, fonts)
    page.add_head(content)
    page.add_look(content)
    page.add_table(content.rows)
    for note in content.notes:
        page.add(note, fonts.small, "dim")
    if content.text:
        limit = MAX_LINES if is_open or content.kind in ("answer", "remark") else FOLDED_LINES
        is_all = page.add_text(content, limit, marking)
        if content.kind == "thought" and (not is_all or (is_open and fold)):
            page.card.more = page.add_link(fold if is_all else more)
    for warning in content.warnings:
        page.add(warning, fonts.small, "warning")
    if rerun:
        page.card.rerun = page.add_link(rerun)
    page.card.height = page.y - GAP + PAD
    return page.card


class _Page:
    """A card in the making; the next part begins at `y`."""

    def __init__(self, width: float, fonts: Fonts) -> None:
        self.card, self.fonts = CardLayout(), fonts
        self.left, self.right, self.y = PAD + STRIPE, width - PAD, PAD

    def add_head(self, content: CardContent) -> None:
        fonts, metrics = self.fonts, QFontMetricsF(self.fonts.bold)
        height, aside = metrics.height(), metrics.horizontalAdvance(content.aside) + 2.0
        tone = {"YES": "accept", "NO": "reject"}.get(content.verdict or "", "text")
        box = QRectF(self.left, PAD, max(self.right - self.left - aside - GAP, 0.0), height)
        self.card.lines.append(TextLine(box, content.title, fonts.bold, "text"))
        font = fonts.bold if content.verdict else fonts.plain
        box = QRectF(self.right - aside, PAD, aside, height)
        self.card.lines.append(TextLine(box, content.aside, font, tone, right=True))
        self.y = PAD + height + GAP

    def add_look(self, content: CardContent) -> None:
        """Lay out the picture with its label and numbers beside it."""
        left, below = self.left, self.y
        if content.picture:
            self.card.picture = QRectF(left, self.y, *THUMB)
            self.left, below = left + THUMB[0] + PAD, self.y + THUMB[1] + GAP
        if content.label:
            self.add(content.label, self.fonts.plain, "text", 3)
        if content.numbers:
            self.add(content.numbers, self.fonts.small, "dim", 5)
        self.left, self.y = left, max(self.y, below)

    def add_table(self, rows: Sequence[MeasuredRow]) -> None:
        if not rows:
            return
        font, room = self.fonts.small, self.right - self.left
        metrics = QFontMetricsF(font)
        height = metrics.height() + 1.0
        table, numbers = _fitting_table((header_row(), *rows), room, metrics)
        names = room - sum(numbers) - CELL_GAP * len(numbers)
        widths = (max(names, 0.0), *numbers)
        for index, row in enumerate(table):
            x, tone = self.left, "dim" if index == 0 else "text"
            for number, (wide, cell) in enumerate(zip(widths, row, strict=True)):
                box = QRectF(x, self.y, wide, height)
                self.card.lines.append(TextLine(box, cell, font, tone, right=number > 0))
                x += wide + CELL_GAP
            self.y += height
        self.y += GAP

    def add_text(self, content: CardContent, limit: int, marking: QColor) -> bool:
        """Return whether all of it fits."""
        text, font, width = content.text, self.fonts.plain, self.right - self.left
        keep_end = content.kind == "partial"
        if keep_end:  # about as much of it as fills so many lines
            average = max(_average_width(font.toString()), 1.0)
            length = int((FOLDED_LINES + 3) * width / average)
            text = text if len(text) <= length else "… " + text[-length:].partition(" ")[2]
        # A text layout joins the lines on both sides of a newline.
        text = text.replace("\n", " " if keep_end else LINE_SEPARATOR)
        begin = text[: limit * MAX_IN_LINE]  # Qt shapes the whole text, visible or not
        layout, most = QTextLayout(begin, font), len(begin)
        inside = [(start, min(end, most)) for start, end in content.marks if start < most]
        layout.setFormats([_underlined(start, end - start, marking) for start, end in inside])
        return self._add_block(layout, "text", limit) and most == len(text)

    def add(self, text: str, font: QFont, tone: str, limit: int = 8) -> None:
        self._add_block(QTextLayout(text[: limit * MAX_IN_LINE], font), tone, limit)

    def _add_block(self, layout: QTextLayout, tone: str, limit: int) -> bool:
        height, is_all = wrap(layout, self.right - self.left, limit)
        self.card.blocks.append(TextBlock(QPointF(self.left, self.y), layout, tone))
        self.y += height + GAP
        return is_all

    def add_link(self, text: str) -> QRectF:
        metrics = QFontMetricsF(self.fonts.small)
        wide = min(metrics.horizontalAdvance(text) + 4.0, self.right - self.left)
        box = QRectF(self.left, self.y, wide, metrics.height() + 2.0)
        self.card.lines.append(TextLine(box, text, self.fonts.small, "accent"))
        self.y = box.bottom() + GAP
        return box


def _fitting_table(
    rows: Sequence[MeasuredRow], width: float, metrics: QFontMetricsF
) -> tuple[list[tuple[str, ...]], list[float]]:
    """The cells of each row, and the widths of the numbers, as far as a narrow panel has room.

    No number is cut: first the errors of EW go, which the sentences tell too, then the wavelengths.
    """
    whole: list[tuple[str, ...]] = [*rows]
    brief = [tuple(row._replace(ew=row.ew.partition(" ±")[0])) for row in rows]
    for table in (whole, brief):
        numbers = _number_widths(table, metrics)
        if sum(numbers) + CELL_GAP * len(numbers) <= (1.0 - MIN_NAME) * width:
            return table, numbers
    least = [(row[0], *row[2:]) for row in brief]
    return least, _number_widths(least, metrics)


def _number_widths(table: Sequence[tuple[str, ...]], metrics: QFontMetricsF) -> list[float]:
    """Widths of all columns but the names of lines."""
    columns = list(zip(*table, strict=True))[1:]
    return [max(map(metrics.horizontalAdvance, cells)) for cells in columns]


def wrap(layout: QTextLayout, width: float, limit: int) -> tuple[float, bool]:
    """Break into at most `limit` lines; return their height and whether they hold all text."""
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    layout.setTextOption(option)
    layout.beginLayout()
    y, end = 0.0, 0
    for _ in range(limit):
        line = layout.createLine()
        if not line.isValid():
            break
        line.setLineWidth(max(width, 20.0))
        line.setPosition(QPointF(0.0, y))
        y += line.height()
        end = line.textStart() + line.textLength()
    layout.endLayout()
    return y, end >= len(layout.text())


@lru_cache(maxsize=8)
def _average_width(description: str) -> float:
    font = QFont()
    font.fromString(description)
    return QFontMetricsF(font).averageCharWidth()


def _underlined(start: int, length: int, colour: QColor) -> QTextLayout.FormatRange:
    style = QTextCharFormat()
    style.setUnderlineStyle(QTextCharFormat.UnderlineStyle.WaveUnderline)
    style.setUnderlineColor(colour)
    style.setForeground(colour)
    part = QTextLayout.FormatRange()
    part.start, part.length, part.format = start, length, style
    return part


def elided(line: TextLine) -> tuple[str, Qt.AlignmentFlag]:
    side = Qt.AlignmentFlag.AlignRight if line.right else Qt.AlignmentFlag.AlignLeft
    metrics = QFontMetricsF(line.font)
    text = metrics.elidedText(line.text, Qt.TextElideMode.ElideRight, line.box.width() + 1.0)
    return text, side | Qt.AlignmentFlag.AlignVCenter
