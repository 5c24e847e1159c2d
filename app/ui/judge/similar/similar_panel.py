"""The strip of the six most similar spectra of the session."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import zip_longest

from PySide6.QtCore import QPoint, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPen, QShowEvent, QTransform
from PySide6.QtWidgets import QMenu, QWidget

from app.core.queue import Sort
from app.core.queue.sorts import MAX_EXAMPLES
from app.core.session.records import Change, Verdict
from app.ui.base.actions.actions import ACTIONS
from app.ui.base.theme.theme import CurrentTheme, Theme
from app.ui.judge.comparison.compared_spectra import ComparedSpectra
from app.ui.judge.queue.sparklines import Sparklines
from app.ui.judge.similar.similar_feed import SHOWN, SimilarFeed, SimilarRow
from app.ui.judge.verdict.verdict_text import verdict_colour, verdict_mark
from app.ui.session.session_context import SessionContext
from app.ui.widgets import labels
from app.ui.widgets.dock import GRIP_PX
from app.ui.widgets.plot_cell import EDGE_PX, PAD, PlotCell
from app.ui.widgets.text_width import how_much_larger

FIND_DELAY_MS = 120
"""So that the spectrum is painted first, and nothing is searched while a key is held."""
AGAIN_MS = 1500  # between two searches while spectra are being read
SIDE_PX = 150  # width of the text beside the spectra, in text of the usual size
SPACING = 4
LEFT = Qt.AlignmentFlag.AlignLeft


class SimilarPanel(QWidget):
    def __init__(
        self,
        context: SessionContext,
        comparison: ComparedSpectra,
        feed: SimilarFeed,
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self._current, self._comparison, self._feed = context.current, comparison, feed
        self._commands, self._keymap = context.commands, context.keymap
        self.shown_id = 0  # the candidate whose neighbours are shown
        self.sparklines = Sparklines(context.bridge.session, context.runner, self)
        self.note = labels.wrapped_label("", "dim")
        self.more = labels.button(ACTIONS["more_like_this"].title)
        self.menu = QMenu(self)
        cell_of = partial(SimilarCell, self.sparklines, context.current_theme, self)
        self.cells = [cell_of() for _ in range(SHOWN)]
        self._find_timer = QTimer(self, singleShot=True, interval=FIND_DELAY_MS)
        self._again_timer = QTimer(self, singleShot=True, interval=AGAIN_MS)
        side = QWidget(self)
        side.setFixedWidth(round(SIDE_PX * how_much_larger(self)))
        title, more = labels.short_label(self.tr("Similar spectra")), (self.more, 0, LEFT)
        labels.column(title, self.note, 1, more, spacing=2, margins=(4, 0, 4, 0), parent=side)
        cells = ((cell, 1) for cell in self.cells)
        labels.row(side, *cells, spacing=SPACING, margins=(2, 0, 2, 2), parent=self)
        self.setMinimumHeight(self.cells[0].minimumSizeHint().height() + GRIP_PX)
        for cell in self.cells:
            cell.clicked.connect(partial(self._overlay, cell))
            cell.opened.connect(partial(self._go_to, cell))
            cell.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
            cell.customContextMenuRequested.connect(partial(self._open_menu, cell))
        self.more.clicked.connect(partial(context.commands.run, "more_like_this"))
        self._find_timer.timeout.connect(self.find_now)
        self._again_timer.timeout.connect(self.find_now)
        context.bridge.changed.connect(self._session_changed)
        context.bridge.changed.connect(self.sparklines.session_changed)
        comparison.changed.connect(self._show_overlaid)
        self.sparklines.arrived.connect(self._repaint)
        feed.found.connect(self._show_found)
        feed.ended.connect(self._find_among_all)
        labels.keep_current(self._show_keys, context.keymap.changed)
        labels.keep_current(self._show_progress, feed.progressed)
        labels.keep_current(self._schedule, self._current.spectrum_changed)

    def find_now(self) -> None:
        row, spectrum = self._current.row, self._current.spectrum
        if not self.isVisible():
            return
        if row is None or spectrum is None:
            self._show([])
        else:
            self._feed.find(row, spectrum)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._schedule()

    def _schedule(self, _: object = None) -> None:
        if self.shown_id and self._current.candidate_id != self.shown_id:
            self._show([])
        self._find_timer.start()

    def _session_changed(self, change: Change) -> None:
        shown = {cell.neighbour.row.candidate.id for cell in self.cells if cell.neighbour}
        is_about_them = not change.candidate_ids or bool(shown & change.candidate_ids)
        if change.aspect == "verdict" and is_about_them:
            self._find_timer.start()

    def _show_found(self, candidate_id: int, found: list[SimilarRow] | None) -> None:
        if self._current.candidate_id != candidate_id:
            return
        self.shown_id = candidate_id
        self._show(found or [])
        if found is None:
            self.note.setText(self.tr("This spectrum has too little in common with others"))
        else:
            self._show_progress()

    def _show(self, found: list[SimilarRow]) -> None:
        blind_mode = self._current.blind_mode
        shown = [each._replace(row=blind_mode.without_own_verdict(each.row)) for each in found]
        for cell, neighbour in zip_longest(self.cells, shown):
            cell.show_neighbour(neighbour)
        self._show_overlaid()

    def _show_progress(self) -> None:
        feed, text = self._feed, ""
        if feed.is_reading:
            text = self.tr("{known} of {total} read").replace("{known}", f"{feed.known:,}")
            text = text.replace("{total}", f"{feed.total:,}") if feed.total else self.tr("Reading…")
        elif feed.total:
            text = self.tr("among {known} spectra").replace("{known}", f"{feed.known:,}")
        self.note.setText(text)
        if feed.is_reading and not self._again_timer.isActive():
            self._again_timer.start()

    def _find_among_all(self) -> None:
        """All have been read: search once more."""
        self._again_timer.stop()
        self._find_timer.start()

    def _show_overlaid(self) -> None:
        slots = {each.candidate.id: each.slot for each in self._comparison.shown}
        for cell in self.cells:
            number = None if cell.neighbour is None else cell.neighbour.row.candidate.id
            cell.show_overlaid(None if number is None else slots.get(number))

    def _repaint(self, _: object) -> None:
        for cell in self.cells:
            cell.update()

    def _show_keys(self, *_: object) -> None:
        key = self._keymap.label("more_like_this")
        self.more.setToolTip(f"{ACTIONS['more_like_this'].title} ({key})" if key else "")

    def _overlay(self, cell: SimilarCell, *_: object) -> None:
        """Lay it over the spectrum, or take it away again."""
        if cell.neighbour is None:
            return
        candidate = cell.neighbour.row.candidate
        if any(each.candidate.id == candidate.id for each in self._comparison.compared):
            self._comparison.remove(candidate.id)
        else:
            self._comparison.add(candidate)

    def _go_to(self, cell: SimilarCell) -> None:
        if cell.neighbour is not None:
            self._current.go_to(cell.neighbour.row.candidate.id)

    def _add_example(self, cell: SimilarCell, *_: object, is_wanted: bool) -> None:
        """Order the queue by likeness to the current candidate, and to this one or unlike it."""
        current, neighbour = self._current, cell.neighbour
        if neighbour is None or current.candidate_id is None:
            return
        number, sort = neighbour.row.candidate.id, current.queue.sort
        if sort.key != "like":
            sort = Sort("like", like=current.candidate_id)
        wanted = [each for each in sort.examples if each != number]
        unwanted = [each for each in sort.counter_examples if each != number]
        (wanted if is_wanted else unwanted).append(number)
        some = len(wanted) + len(unwanted) <= MAX_EXAMPLES
        if some and not (is_wanted and number == sort.like):
            sort = replace(sort, examples=tuple(wanted), counter_examples=tuple(unwanted))
            current.set_queue(current.queue.tree, sort)
            text = self.tr("The queue is ordered by {n} examples and {m} counter-examples")
            text = text.replace("{n}", str(len(wanted) + 1)).replace("{m}", str(len(unwanted)))
            current.message.emit(text)

    def _open_menu(self, cell: SimilarCell, at: QPoint) -> None:
        if cell.neighbour is None:
            return
        self.menu.clear()
        labels.add_action(self.menu, self.tr("Go to this object"), partial(self._go_to, cell))
        is_on = cell.slot is not None
        text = self.tr("Take it off the spectrum") if is_on else self.tr("Lay it over the spectrum")
        labels.add_action(self.menu, text, partial(self._overlay, cell))
        self.menu.addSeparator()
        more, less = self.tr("More like this one, too"), self.tr("Less like this one")
        labels.add_action(self.menu, more, partial(self._add_example, cell, is_wanted=True))
        labels.add_action(self.menu, less, partial(self._add_example, cell, is_wanted=False))
        self.menu.popup(cell.mapToGlobal(at))


class SimilarCell(PlotCell):
    """It never shows what an agent or the list says, so that it is the same in blind mode."""

    width_px, min_width_px, plot_px = 130, 70, 48

    opened = Signal()  # a double click

    def __init__(
        self, sparklines: Sparklines, current_theme: CurrentTheme, parent: QWidget
    ) -> None:
        super().__init__(current_theme, parent)
        self._sparklines = sparklines
        self.neighbour: SimilarRow | None = None
        self.verdict: Verdict | None = None  # the person's own
        self.slot: int | None = None
        """The number of its colour while it is drawn over the current spectrum."""
        self.setEnabled(False)

    def show_neighbour(self, neighbour: SimilarRow | None) -> None:
        self.neighbour = neighbour
        self.setEnabled(neighbour is not None)
        self.verdict, name = None, ""
        if neighbour is not None:
            candidate, self.verdict = neighbour.row.candidate, neighbour.row.opinion.verdict
            name = labels.one_line(candidate.name)
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
        is_lit = self.isEnabled() and self.underMouse()
        colour = theme.accent if is_lit else theme.border
        if self.slot is not None:
            colour = self._colour(theme)
        painter = self._framed(colour, 2.0 if self.slot is not None else 1.0)
        if self.neighbour is not None:
            self._draw_texts(painter, theme)
            self._draw_line(painter, theme)

    def _draw_texts(self, painter: QPainter, theme: Theme) -> None:
        line, room = self._line_px(), self.rect().adjusted(PAD, EDGE_PX, -PAD, -EDGE_PX)
        foot = room.adjusted(0, room.height() - line, 0, 0)
        room.setHeight(line)
        painter.setPen(QColor(theme.text))
        middle = Qt.AlignmentFlag.AlignVCenter
        metrics, elide = painter.fontMetrics(), Qt.TextElideMode.ElideMiddle
        name = metrics.elidedText(self.text(), elide, room.width())
        painter.drawText(room, LEFT | middle, name)
        painter.setPen(QColor(verdict_colour(theme, self.verdict)))
        painter.drawText(foot, Qt.AlignmentFlag.AlignRight | middle, self.mark)
        painter.setPen(QColor(theme.dim))
        painter.drawText(foot, LEFT | middle, self.likeness)

    def _draw_line(self, painter: QPainter, theme: Theme) -> None:
        assert self.neighbour is not None
        line = self._line_px() + EDGE_PX
        room = QRectF(self.rect()).adjusted(PAD, line, -PAD, -line)
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
