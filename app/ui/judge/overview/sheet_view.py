"""The contact sheet: a grid of spectra, sheet after sheet, of a queue of any length."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple

from PySide6.QtCore import (
    QEvent,
    QItemSelection,
    QItemSelectionModel,
    QItemSelectionRange,
    QMargins,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QRect,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetrics,
    QImage,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QRegion,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractItemView, QWidget

from agent.spectra.spectrum import Window
from agent.trajectory.p_yes import probability_text
from app.core.queue import QueueRow
from app.ui.base.background.runner import PAINTED_MS
from app.ui.base.keys.text_focus import ROW_NAVIGATION
from app.ui.base.theme.theme import CurrentTheme, mixed
from app.ui.base.translation.message_texts import translate_message
from app.ui.judge.overview.cell_picture import CellLook, CellPictures, Note
from app.ui.judge.plot.canvas.paint import TextCache
from app.ui.judge.queue.queue_model import LOADING, QueueModel, Span
from app.ui.judge.verdict.verdict_text import MARKS, verdict_colour
from app.ui.session.session_context import SessionContext
from app.ui.widgets.labels import MAX_NAME, one_line

STEP = 6  # by which sheets differ in size: such numbers have many divisors
WIDE = 1.75  # what a cell is wide, of its height
LEAST_LINES = 3  # of text that a cell is high: its name, its axis, and the curve between them
APART_PX, FRAME_PX, EDGE_PX, PAD_PX = 8, 3, 3, 4
"""Between cells, around selected ones, inside judged ones, and beside texts."""
TEXT_SCALE, NUMBER_SCALE = 0.88, 0.74
SHEETS_ON = {Qt.Key.Key_PageUp: -1, Qt.Key.Key_PageDown: 1}
Index = QModelIndex | QPersistentModelIndex
Move = QAbstractItemView.CursorAction


class SheetView(QAbstractItemView):
    """Each row of the queue is a cell; the scroll bar goes from sheet to sheet.

    Arrows and clicks select as in any view of items; Enter or a double click activates.
    """

    row_activated = Signal(int)
    selection_changed = Signal()
    sheet_changed = Signal()  # another sheet is shown, or there are more or fewer
    painted = Signal(object, bool)
    """The `QueueRow`s whose spectra were just painted, and whether what tells the class was."""

    def __init__(self, context: SessionContext, model: QueueModel, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme: CurrentTheme = context.current_theme
        self._view, self._blind = context.view, context.current.blind_mode
        self.pictures = CellPictures(context, self)
        self.rows_model = model
        self.window_shown: Window | None = None  # at rest; None: the whole spectrum
        self._wanted = self._size = 48
        self._kept: tuple[int, int] | None = 0, 0
        """First row on screen and current row, while the queue is counted anew."""
        self._picture = QPixmap()  # what is on screen meanwhile
        self._is_other = False  # whether another queue is about to be counted
        self._anchor = QPersistentModelIndex()  # from where Shift selects
        self.setProperty(ROW_NAVIGATION, True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSelectionMode(self.SelectionMode.ExtendedSelection)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setEditTriggers(self.EditTrigger.NoEditTriggers)
        self._ahead = QTimer(self, singleShot=True, interval=PAINTED_MS)
        self._ahead.timeout.connect(self._draw_ahead)
        self.setModel(model)
        model.modelAboutToBeReset.connect(self._keep_place)
        for changed in (model.modelReset, model.rowsInserted, model.rowsRemoved):
            changed.connect(self._count_sheets)
        self.doubleClicked.connect(lambda index: self.row_activated.emit(index.row()))
        self.pictures.arrived.connect(self._update_cells)
        self._blind.changed.connect(self._forget_picture)
        self._theme.changed.connect(self.draw)
        self._view.changed.connect(self._view_changed)

    # How many cells there are, and where.
    def set_size(self, count: int) -> None:
        """How many cells a sheet has, or as many of them as can be read."""
        self._wanted = count
        self._fit()

    def _fit(self) -> None:
        """In large text on a small screen a sheet has fewer; the first one on screen stays."""
        first, before = self.first_row, self._size
        least, self._size = LEAST_LINES * self._metrics.height(), self._wanted
        while self._size > STEP and self._cells()[3] < least * self.devicePixelRatioF():
            self._size -= STEP
        if self._size != before:
            self._count_sheets()
            self.verticalScrollBar().setValue(first // self._size)
        self.draw()

    def show_window(self, window: Window | None) -> None:
        self.window_shown = window
        self.draw()

    @property
    def first_row(self) -> int:
        return self.sheet * self._size

    @property
    def sheet(self) -> int:
        return self.verticalScrollBar().value()

    @property
    def sheets(self) -> int:
        return self.verticalScrollBar().maximum() + 1

    @property
    def sheet_rows(self) -> range:
        """The rows of the model that are on the sheet."""
        first = self.first_row
        return range(first, min(first + self._size, self.rows_model.rowCount()))

    def ids_in_sight(self) -> list[int]:
        """Those on this sheet and the next, while it is on screen: no order may move them."""
        if not self.isVisible():
            return []
        here = self.sheet_rows
        stop = min(here.stop + self._size, self.rows_model.rowCount())
        return [row.candidate.id for row in self.queue_rows(range(here.start, stop))]

    def queue_rows(self, rows: range) -> list[QueueRow]:
        """Those of them that are in memory."""
        found = map(self.rows_model.blocks.row, rows)
        return [row for row in found if row is not None]

    def _cells(self) -> tuple[int, int, int, int]:
        """Columns, rows, and what a cell and its margin take in dots of the screen."""
        size, dots = self.viewport().size(), self.devicePixelRatioF()
        columns = columns_of(self._size, size.width(), size.height())
        rows = self._size // columns
        return columns, rows, int(size.width() * dots / columns), int(size.height() * dots / rows)

    def cell_dots(self, row: int) -> QRect:
        """Where a cell is on its sheet, in whole dots: else a picture would be blurred."""
        columns, rows, across, down = self._cells()
        sheet, at = divmod(row, self._size)
        apart = round(APART_PX * self.devicePixelRatioF())
        left, top = at % columns * across, at // columns * down
        top += (sheet - self.sheet) * rows * down
        return QRect(left + apart // 2, top + apart // 2, across - apart, down - apart)

    def row_at(self, point: QPoint) -> int:
        columns, _, across, down = self._cells()
        dots = self.devicePixelRatioF()
        column = min(max(int(point.x() * dots) // max(across, 1), 0), columns - 1)
        row = self.first_row + math.floor(point.y() * dots / max(down, 1)) * columns + column
        return min(max(row, 0), self.rows_model.rowCount() - 1)

    def visualRect(self, index: Index) -> QRect:
        return self._in_pixels(self.cell_dots(index.row()))

    def _in_pixels(self, place: QRect) -> QRect:
        dots = self.devicePixelRatioF()
        edges = place.x(), place.y(), place.width(), place.height()
        return QRect(*(round(each / dots) for each in edges))

    def indexAt(self, point: QPoint) -> QModelIndex:
        row = self.row_at(point)
        index = self.rows_model.index(row, 0) if row >= 0 else QModelIndex()
        return index if row >= 0 and self.visualRect(index).contains(point) else QModelIndex()

    def horizontalOffset(self) -> int:
        return 0

    def verticalOffset(self) -> int:
        return self.sheet * self.viewport().height()

    def isIndexHidden(self, index: Index) -> bool:
        return False

    def scrollTo(self, index: Index, hint: object = None) -> None:
        self.verticalScrollBar().setValue(index.row() // self._size)

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        self.draw()
        self.sheet_changed.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._forget_picture()
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            for name in ("_texts", "_metrics"):
                vars(self).pop(name, None)
            self._fit()

    # What is selected.
    def moveCursor(self, action: Move, modifiers: Qt.KeyboardModifier) -> QModelIndex:
        columns, last = self._cells()[0], self.rows_model.rowCount() - 1
        step = {
            **{Move.MoveLeft: -1, Move.MoveRight: 1, Move.MovePrevious: -1, Move.MoveNext: 1},
            **{Move.MoveUp: -columns, Move.MoveDown: columns},
            **{Move.MovePageUp: -self._size, Move.MovePageDown: self._size},
            **{Move.MoveHome: -last, Move.MoveEnd: last},
        }[action]
        here = self.currentIndex().row()
        if action in (Move.MoveUp, Move.MoveDown) and not 0 <= here + step <= last:
            return self.currentIndex()
        found = self.rows_model.index(min(max(here + step, 0), last), 0)
        if not modifiers & Qt.KeyboardModifier.ShiftModifier:
            self._anchor = QPersistentModelIndex(found)
        return found

    def setSelection(self, rect: QRect, command: QItemSelectionModel.SelectionFlag) -> None:
        """All from the cell at one end to that at the other, in the order of the queue."""
        # Qt's own start of a selection does not follow where the program goes.
        if not command & QItemSelectionModel.SelectionFlag.Current or not self._anchor.isValid():
            self._anchor = QPersistentModelIndex(
                self.rows_model.index(self.row_at(rect.topLeft()), 0)
            )
        first, last = sorted((self._anchor.row(), self.row_at(rect.bottomRight())))
        if first >= 0:
            chosen = QItemSelection()
            chosen.append(self._range(first, last))
            self.selectionModel().select(chosen, command)

    def visualRegionForSelection(self, selection: QItemSelection) -> QRegion:
        return QRegion(self.viewport().rect())

    def selected_spans(self) -> list[Span]:
        """The selected rows, as spans in their order without overlaps."""
        parts = self.selectionModel().selection().toList()
        spans: list[Span] = []
        after = 0
        for top, bottom in sorted({(part.top(), part.bottom()) for part in parts}):
            first = max(top, after)
            if bottom >= first:
                spans.append(Span(first, bottom + 1 - first))
            after = max(after, bottom + 1)
        return spans

    def select_spans(self, spans: Sequence[Span]) -> None:
        """Select these rows in place of what is selected, and show the first of them."""
        chosen, count = QItemSelection(), self.rows_model.rowCount()
        for span in spans:
            last = min(span.first + span.count, count) - 1
            if span.first <= last:
                chosen.append(self._range(span.first, last))
        self.selectionModel().select(chosen, QItemSelectionModel.SelectionFlag.ClearAndSelect)
        if spans:
            self.scrollTo(self.rows_model.index(spans[0].first, 0))

    def _range(self, first: int, last: int) -> QItemSelectionRange:
        return QItemSelectionRange(self.rows_model.index(first, 0), self.rows_model.index(last, 0))

    @property
    def selected_count(self) -> int:
        return sum(span.count for span in self.selected_spans())

    def go_to_row(self, row: int) -> None:
        """Select this one alone, if it is there."""
        if 0 <= row < self.rows_model.rowCount():
            index = self.rows_model.index(row, 0)
            self._anchor = QPersistentModelIndex(index)
            alone = QItemSelectionModel.SelectionFlag.ClearAndSelect
            self.selectionModel().setCurrentIndex(index, alone)

    def selectionChanged(self, selected: QItemSelection, deselected: QItemSelection) -> None:
        super().selectionChanged(selected, deselected)
        self.selection_changed.emit()

    def currentChanged(self, current: Index, before: Index) -> None:
        super().currentChanged(current, before)
        self.viewport().update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self.row_activated.emit(self.currentIndex().row())
        elif self._kept is not None and event.key() in SHEETS_ON:
            current = max(self._kept[1] + SHEETS_ON[Qt.Key(event.key())] * self._size, 0)
            self._kept = current // self._size * self._size, current
        elif event.matches(QKeySequence.StandardKey.SelectAll):
            self.selectAll()
        elif event.text() and event.text().isprintable():
            event.ignore()  # QAbstractItemView would search by letters, but these keys judge
        else:
            super().keyPressEvent(event)

    # The sheet stays where it is when the queue is counted anew.
    def _keep_place(self) -> None:
        if self.rows_model.rowCount():
            self._kept = self.first_row, self.currentIndex().row()
            if self.isVisible() and not self._is_other:
                self._picture = self.viewport().grab()
        self._is_other = False

    def _forget_picture(self, *_: object) -> None:
        self._picture = QPixmap()
        self.viewport().update()

    def start_over(self) -> None:
        """Another queue begins at its first sheet."""
        self._forget_picture()
        self._is_other = True
        self.go_to_row(0)
        self.verticalScrollBar().setValue(0)

    def restore_place(self) -> None:
        """Go back to where it was, or as near as there are rows."""
        rows = self.rows_model.rowCount()
        if not rows:
            self._forget_picture()
        elif self._kept is not None:
            (first, current), self._kept = self._kept, None
            self.go_to_row(min(max(current, 0), rows - 1))
            self.verticalScrollBar().setValue(min(first, rows - 1) // self._size)

    def _count_sheets(self) -> None:
        rows = self.rows_model.rowCount()
        self.verticalScrollBar().setPageStep(1)
        self.verticalScrollBar().setRange(0, max(-(-rows // self._size) - 1, 0))
        if self._kept is not None and rows > max(self._kept):
            self.restore_place()
        self.draw()
        self.sheet_changed.emit()

    # Drawing.
    def _view_changed(self, names: frozenset[str]) -> None:
        if names & {"wavelength_unit", "medium", "rest_axis", "keep_velocity"}:
            self.draw()

    def draw(self, *_: object) -> None:
        """Ask for the pictures of this sheet and the next, and for their rows."""
        self.viewport().update()
        if self.isVisible() and self.rows_model.rowCount():
            self._ask_for(self.sheet_rows)
            self._ahead.start()

    def _update_cells(self, candidate_ids: frozenset[int]) -> None:
        for number in self.sheet_rows:
            row = self.rows_model.blocks.row(number)
            if row is not None and row.candidate.id in candidate_ids:
                self.viewport().update(self._in_pixels(self.cell_dots(number)))

    def _draw_ahead(self) -> None:
        """The sheets beside this one, once this one is painted: other threads slow that down."""
        here, total = self.sheet_rows, self.rows_model.rowCount()
        following = range(here.stop, min(here.stop + self._size, total))
        self._ask_for(here, following, range(max(here.start - self._size, 0), here.start))

    def _ask_for(self, *sheets: range) -> None:
        blocks = self.rows_model.blocks
        for rows in reversed(sheets):  # what is asked for last is read first
            for end in {rows[0], rows[-1]} if rows else ():
                if not blocks.holds(block := blocks.block_of_row(end)):
                    self.rows_model.block_needed.emit(block)
        self.pictures.show(self._look(), [row for each in sheets for row in self.queue_rows(each)])

    def dataChanged(self, first: Index, last: Index, roles: Sequence[int] = ()) -> None:
        super().dataChanged(first, last, roles)
        self.draw()

    def _look(self) -> CellLook:
        dots, options = self.devicePixelRatioF(), self._view.options
        place = self.cell_dots(self.first_row)
        font = QFont(self.font())
        font.setPixelSize(max(round(QFontMetrics(font).height() * NUMBER_SCALE * 0.75 * dots), 1))
        return CellLook(
            theme=self._theme.theme,
            width=max(place.width(), 1),
            height=max(place.height(), 1),
            top=round((self._texts.height + 1) * dots),
            dots=dots,
            font=font.toString(),
            window=self.window_shown,
            unit=options.wavelength_unit,
            medium=options.medium,
            is_rest=options.rest_axis,
        )

    @cached_property
    def _texts(self) -> TextCache:
        font = QFont(self.font())
        font.setPointSizeF(font.pointSizeF() * TEXT_SCALE)
        return TextCache(font)

    @cached_property
    def _metrics(self) -> QFontMetrics:
        return QFontMetrics(self._texts.font)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, theme = QPainter(self.viewport()), self._theme.theme
        painter.fillRect(self.viewport().rect(), QColor(theme.panel))
        is_there = self.rows_model.rowCount() and self._kept is None
        if is_there and len(self.queue_rows(self.sheet_rows)) == len(self.sheet_rows):
            self._picture = QPixmap()
        elif not self._picture.isNull():
            painter.drawPixmap(0, 0, self._picture)
            return
        if not self.rows_model.rowCount():
            return
        dots = self.devicePixelRatioF()
        selected = {row for span in self.selected_spans() for row in self._on_sheet(span)}
        places = ((number, self.cell_dots(number)) for number in self.sheet_rows)
        around, asked = QMargins(APART_PX, APART_PX, APART_PX, APART_PX), event.rect()
        cells = [
            self._cell(number, place)
            for number, place in places
            if asked.intersects(self._in_pixels(place) + around)
        ]
        painter.save()
        painter.scale(1.0 / dots, 1.0 / dots)
        for cell in cells:
            self._paint_cell(painter, cell, cell.number in selected, dots)
        painter.restore()
        painter.setFont(self._texts.font)
        for cell in cells:
            self._paint_texts(painter, self._in_pixels(cell.place), cell)
        painter.end()
        shown = [each.row for each in cells if isinstance(each.picture, QImage)]
        self.painted.emit(shown, not self._blind.is_on)

    def _on_sheet(self, span: Span) -> range:
        here = self.sheet_rows
        return range(max(span.first, here.start), min(span.first + span.count, here.stop))

    def _cell(self, number: int, place: QRect) -> _Cell:
        row = self.rows_model.blocks.row(number)
        return _Cell(number, place, row, None if row is None else self.pictures.of(row))

    def _paint_cell(self, painter: QPainter, cell: _Cell, is_selected: bool, dots: float) -> None:
        """The picture in its frame; the painter has dots of the screen."""
        theme, place = self._theme.theme, cell.place
        is_focused = cell.number == self.currentIndex().row() and self.hasFocus()
        frames = (is_focused, FRAME_PX + 1, theme.text), (is_selected, FRAME_PX, theme.accent)
        for width_px, colour in [each[1:] for each in frames if each[0]]:
            by = int(width_px * dots)
            painter.fillRect(place.adjusted(-by, -by, by, by), QColor(colour))
        if isinstance(cell.picture, QImage):
            painter.drawImage(place.topLeft(), cell.picture)
        else:
            painter.fillRect(place, QColor(theme.plot))
        verdict = None if cell.row is None else cell.row.opinion.verdict
        colour = verdict_colour(theme, verdict) if verdict else theme.border
        width = round(EDGE_PX * dots) if verdict else max(round(dots), 1)
        painter.setPen(QPen(QColor(colour), width, j=Qt.PenJoinStyle.MiterJoin))
        inset = width // 2
        painter.drawRect(place.adjusted(inset, inset, inset - width, inset - width))

    def _paint_texts(self, painter: QPainter, place: QRect, cell: _Cell) -> None:
        theme, texts, found = self._theme.theme, self._texts, cell.row
        inside = place.adjusted(EDGE_PX + PAD_PX, EDGE_PX, -EDGE_PX - PAD_PX, -EDGE_PX)
        right = inside.right()
        if found is None:
            painter.setPen(QColor(theme.dim))
            texts.draw(painter, inside.left(), inside.top(), LOADING)
            return
        note = self.pictures.notes.get(found.candidate.id)
        for text, colour in self._corner(found, note):
            painter.setPen(QColor(colour))
            texts.draw(painter, right, inside.top(), text, 1.0)
            right -= round(texts.width(text)) + PAD_PX
        verdict = found.opinion.verdict
        mark = f"{MARKS[verdict]} " if verdict else ""
        name = f"{mark}{one_line(found.candidate.name, MAX_NAME)}"
        painter.setPen(QColor(verdict_colour(theme, verdict) if verdict else theme.text))
        middle = Qt.TextElideMode.ElideMiddle
        name = self._metrics.elidedText(name, middle, right - inside.left())
        texts.draw(painter, inside.left(), inside.top(), name)
        below = inside.adjusted(0, int(texts.height) + 2, 0, 0)
        if note is not None and note.simbad_class and not self._blind.is_on:
            text = one_line(note.simbad_class, 12)
            width = round(texts.width(text)) + 2
            ground = QRect(below.right() - width, below.top(), width + 1, round(texts.height))
            painter.fillRect(ground, QColor(theme.plot))
            painter.setPen(QColor(mixed(theme.plot, theme.text, 0.75)))
            texts.draw(painter, below.right(), below.top(), text, 1.0)
        if isinstance(cell.picture, str):
            text = translate_message(cell.picture) if cell.picture else self.tr("not covered")
            painter.setPen(QColor(theme.warning if cell.picture else theme.dim))
            flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
            painter.drawText(below, flags, text)

    def _corner(self, found: QueueRow, note: Note | None) -> Iterator[tuple[str, str]]:
        """From the right: p(YES), and a mark where members or people disagree.

        Nothing is told before it is known what the log has to say of that.
        """
        candidate, theme = found.candidate, self._theme.theme
        if note is None:
            return
        is_blind = self._blind.is_on
        if candidate.agent_p_yes is not None and not is_blind:
            yield probability_text(candidate.agent_p_yes), theme.text
        if note.people_differ or (candidate.agent_members and not is_blind):
            yield "≠", theme.warning


class _Cell(NamedTuple):
    """`place` is in dots of the screen; what is None is not there yet."""

    number: int  # of the row in the queue
    place: QRect
    row: QueueRow | None
    picture: QImage | str | None


@lru_cache(maxsize=64)
def columns_of(count: int, width: int, height: int) -> int:
    """Into how many columns so many cells go, so that each is about as wide as is good to read."""
    whole = [each for each in range(2, count + 1) if count % each == 0]
    wide = {each: width / each / (max(height, 1) / (count // each)) for each in whole}
    return min(wide, key=lambda each: abs(math.log(max(wide[each], 1e-3) / WIDE)))
