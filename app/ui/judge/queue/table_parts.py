"""Rows, columns, order and menus of a table of the queue; the overview has some of them, too."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QObject, QPoint, Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QAbstractItemView, QLineEdit, QMenu, QWidget

from app.core.queue import EVERYTHING, Filter, Sort
from app.core.queue.sorts import SortKey
from app.core.session.records import Candidate
from app.ui.base.actions.actions import ACTIONS
from app.ui.judge.controls.web_pages import PAGES, identify
from app.ui.judge.queue.columns import (
    FIRST_OWN,
    MAX_NAME,
    OBJECT,
    OF_AGENT,
    SPECTRUM,
    ColumnStore,
    own_key,
)
from app.ui.judge.queue.columns import KEYS as COLUMN_KEYS
from app.ui.judge.queue.filter_bar import FilterBar
from app.ui.judge.queue.queue_loader import QueueLoader
from app.ui.judge.queue.queue_model import QueueModel
from app.ui.judge.queue.sparklines import Sparklines
from app.ui.judge.queue.table_columns import TableColumns
from app.ui.session.candidate.blind_mode import BlindMode
from app.ui.session.candidate.current import CurrentCandidate
from app.ui.session.candidate.queue_neighbours import Queue
from app.ui.session.session_context import SessionContext
from app.ui.widgets.candidate_table import CandidateTable
from app.ui.widgets.labels import add_action, add_check, keep_current

translate = QCoreApplication.translate
MIN_EDIT_PX = 90
SITES = {"open_simbad": "SIMBAD", "open_aladin": "Aladin"}
ORDERS: tuple[SortKey, ...] = ("object", "score", "snr", "p_yes", "p_combined")
KEYS = {COLUMN_KEYS.index(each): each for each in ORDERS}
"""By the other fixed columns the queue has no order."""


class TableParts(QObject):
    """`name` is that of the table in the session, under which its columns are kept."""

    def __init__(
        self,
        context: SessionContext,
        table: CandidateTable,
        filters: FilterBar,
        store: ColumnStore,
        name: str,
    ) -> None:
        super().__init__(table)
        session, runner, current = context.bridge.session, context.runner, context.current
        self._current = current
        self.model = QueueModel(context.current_theme, self)
        self.loader = QueueLoader(session, runner, self.model, self)
        self.sparklines = Sparklines(session, runner, self)
        self.model.sparklines = self.sparklines
        table.setModel(self.model)
        self.columns = TableColumns(table, self.model, store, current, name)
        self.column_menu = ColumnMenu(table, self.model, self.columns, store, current.blind_mode)
        self.row_menu = RowMenu(context, table, self.model)
        self.header_sort = HeaderSort(table, self.model)
        self.filter_and_order = FilterAndOrder(filters, self.header_sort, store, current)
        table.verticalScrollBar().valueChanged.connect(self.sparklines.forget_waiting)
        self.columns.values_shown.connect(self.loader.read_values)
        self.loader.read_values(self.columns.shows_values)
        self.sparklines.arrived.connect(self.model.redraw_ids)
        self.model.used_changed.connect(self.columns.show)
        current.blind_mode.changed.connect(self.columns.show)
        context.current_theme.changed.connect(self.model.redraw)

    def open_columns_below(self, button: QWidget) -> None:
        self.column_menu.open_below(button.mapToGlobal(QPoint(0, button.height() + 2)))


def why_empty(current: CurrentCandidate) -> str:
    """What stands in the place of the rows where there are none."""
    if current.repeat_round.is_study:
        return translate("TableParts", "Hidden while you judge for a study")
    if current.repeat_round.is_on:
        return translate("TableParts", "Hidden during the repeat round")
    if current.queue.tree == EVERYTHING:
        return translate("TableParts", "No candidates yet: open a list (Ctrl+N)")
    return translate("TableParts", "No candidate matches the filter: clear it to see all")


class ColumnMenu(QObject):
    """The menu of a table's titles: which columns are shown, and what they are called."""

    def __init__(
        self,
        table: CandidateTable,
        model: QueueModel,
        columns: TableColumns,
        store: ColumnStore,
        blind_mode: BlindMode,
    ) -> None:
        super().__init__(table)
        self._table, self._model, self._columns = table, model, columns
        self._store, self._blind_mode = store, blind_mode
        self.menu = QMenu(table)
        self._header = table.horizontalHeader()
        self._header.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self._header.customContextMenuRequested.connect(self._open_at_title)

    def open_below(self, at: QPoint) -> None:
        self._fill(None)
        self.menu.popup(at)

    def rename(self, column: int) -> None:
        """Let the person type another name over a title; an empty one brings its own back."""
        _NameEdit(self._table, self._model, self._store, column)

    def _open_at_title(self, at: QPoint) -> None:
        column = self._header.logicalIndexAt(at)
        self._fill(column if column >= 0 else None)
        self.menu.popup(self._header.viewport().mapToGlobal(at))

    def _fill(self, column: int | None) -> None:
        self.menu.clear()
        if column is not None:
            text = self.tr("Rename {name}…").replace("{name}", self._model.title(column))
            add_action(self.menu, text, partial(self.rename, column))
            self.menu.addSeparator()
        for each in range(1, self._model.columnCount()):
            if each == FIRST_OWN:
                self.menu.addSeparator()
            self._add(each)
        self.menu.addSeparator()
        reset = partial(self._store.reset, self._columns.name)
        add_action(self.menu, self.tr("Reset the columns"), reset)

    def _add(self, column: int) -> None:
        title = self._model.title(column)
        if column == SPECTRUM and title == self._model.original_title(column):
            title = self.tr("small spectrum")
        on = self._columns.is_shown(column)
        show = partial(self._store.show, self._columns.name, self._model.key_of(column))
        action = add_check(self.menu, title, on, show)
        gives_away = column in OF_AGENT | self._model.giving_class_away
        is_hidden = gives_away and self._blind_mode.is_on
        action.setEnabled(column != OBJECT and not is_hidden)


class _NameEdit(QLineEdit):
    """A field over a title; Enter takes what was typed, and leaving it does not."""

    def __init__(
        self, table: CandidateTable, model: QueueModel, store: ColumnStore, column: int
    ) -> None:
        header = table.horizontalHeader()
        super().__init__(header.viewport())
        self._store, self._key = store, model.key_of(column)
        self.setMaxLength(MAX_NAME)
        self.setText(model.title(column))
        self.setPlaceholderText(model.original_title(column))
        self.setAccessibleName(self.tr("Name of the column"))
        width = max(header.sectionSize(column), MIN_EDIT_PX)
        left = min(header.sectionViewportPosition(column), header.width() - width)
        self.setGeometry(max(left, 0), 0, width, header.height())
        self.returnPressed.connect(self._take)
        self.editingFinished.connect(self.deleteLater)
        self.show()
        self.setFocus(Qt.FocusReason.OtherFocusReason)
        self.selectAll()

    def _take(self) -> None:
        self._store.rename(self._key, self.text())


# The menu of a row in the queue: go there, copy its name or position, look it up.
class RowMenu(QObject):
    compare_requested = Signal(object)  # the `Candidate` to draw over the current spectrum

    opening = Signal(object)  # the `QMenu`, still empty: what stands first may be added

    def __init__(
        self, context: SessionContext, table: QAbstractItemView, model: QueueModel
    ) -> None:
        super().__init__(table)
        self._current, self._table, self._model = context.current, table, model
        self.menu = QMenu(table)
        table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        table.customContextMenuRequested.connect(self.open_at)

    def open_at(self, at: QPoint) -> None:
        row = self._model.blocks.row(self._table.indexAt(at).row())
        if row is None:
            return
        candidate = row.candidate
        self.menu.clear()
        self.opening.emit(self.menu)
        self._add(self.tr("Go to this object"), partial(self._current.go_to, candidate.id))
        here = self._current.candidate
        if here is not None and here.id != candidate.id:
            compare = partial(self.compare_requested.emit, candidate)
            self._add(self.tr("Compare with the current spectrum"), compare)
        tree, like = self._current.queue.tree, Sort("like", like=candidate.id)
        self._add(ACTIONS["more_like_this"].title, partial(self._current.set_queue, tree, like))
        self.menu.addSeparator()
        copy = QGuiApplication.clipboard().setText
        self._add(self.tr("Copy the name"), partial(copy, candidate.object_id))
        if candidate.ra is not None and candidate.dec is not None:
            degrees = f"{candidate.ra:.6f} {candidate.dec:+.6f}"
            self._add(self.tr("Copy RA Dec in degrees"), partial(copy, degrees))
            hours = sexagesimal(candidate.ra, candidate.dec)
            self._add(self.tr("Copy RA Dec in hours and degrees"), partial(copy, hours))
        self.menu.addSeparator()
        self._add_places(candidate)
        self.menu.popup(self._table.viewport().mapToGlobal(at))

    def _add_places(self, candidate: Candidate) -> None:
        if candidate.path and Path(candidate.path).parent.is_dir():
            url = QUrl.fromLocalFile(str(Path(candidate.path).parent))
            open_it = partial(QDesktopServices.openUrl, url)
            self._add(self.tr("Open the folder of its file"), open_it)
        for name, site in SITES.items():
            page = PAGES[name](identify(candidate, None))
            if page.url:
                url = QUrl(page.url, QUrl.ParsingMode.StrictMode)
                self._add(site, partial(QDesktopServices.openUrl, url))

    def _add(self, text: str, call: Callable[[], object]) -> None:
        add_action(self.menu, text, call)


def sexagesimal(ra: float, dec: float) -> str:
    """`hh:mm:ss.ss +dd:mm:ss.s`, rounded as a whole so that no part is 60."""
    hundredths = round(ra / 15.0 * 360_000) % 8_640_000
    tenths = round(abs(dec) * 36_000)
    sign = "-" if dec < 0 else "+"
    hours, minutes, seconds = hundredths // 360_000, hundredths // 6000 % 60, hundredths % 6000
    degrees, arcmin, arcsec = tenths // 36_000, tenths // 600 % 60, tenths % 600
    return (
        f"{hours:02d}:{minutes:02d}:{seconds / 100:05.2f} "
        f"{sign}{degrees:02d}:{arcmin:02d}:{arcsec / 10:04.1f}"
    )


class FilterAndOrder(QObject):
    """Shows the present filter and order in both, and asks for those chosen there."""

    def __init__(
        self,
        filters: FilterBar,
        header_sort: HeaderSort | None,
        store: ColumnStore,
        current: CurrentCandidate,
    ) -> None:
        super().__init__(filters)
        self._filters, self._header_sort = filters, header_sort
        self._store, self._current = store, current
        filters.queue_requested.connect(self._set_queue)
        if header_sort is not None:
            header_sort.sort_requested.connect(self._set_sort)
        keep_current(self._take_own, store.own_changed, store.changed)

    def show_queue(self, queue: Queue) -> None:
        self._filters.show_queue(queue)
        self._mark_column(queue)

    def _set_queue(self, tree: Filter, sort: Sort) -> None:
        self._current.set_queue(tree, sort)
        self._filters.show_queue(self._current.queue)  # the old one if that was refused

    def _set_sort(self, sort: Sort) -> None:
        self._set_queue(self._current.queue.tree, sort)
        self._mark_column(self._current.queue)

    def _mark_column(self, queue: Queue) -> None:
        if self._header_sort is not None:
            self._header_sort.show_queue(queue)

    def _take_own(self) -> None:
        """Offer the list's own columns to the filter, under the names the person gave them."""
        names = [each.name for each in self._store.own]
        titles = {each: self._store.names.get(own_key(each), each) for each in names}
        self._filters.set_own_columns(names, titles)
        self._mark_column(self._current.queue)


class HeaderSort(QObject):
    """A click on a column's title orders the queue by it: highest first, lowest first, as listed.

    Names and columns of texts begin with the first letter of the alphabet.
    """

    sort_requested = Signal(object)

    def __init__(self, table: CandidateTable, model: QueueModel) -> None:
        super().__init__(table)
        self._model = model
        self._header = table.horizontalHeader()
        self._sort = Sort()
        self._header.setSectionsClickable(True)
        self._header.sectionClicked.connect(self._click)

    def show_queue(self, queue: Queue) -> None:
        """Mark the column by which the queue is ordered."""
        self._sort = queue.sort
        column = next((each for each, key in KEYS.items() if key == queue.sort.key), None)
        if queue.sort.key == "own":
            column = self._model.column_of(own_key(queue.sort.own))
        self._model.sorted_column = column
        self._header.setSortIndicatorShown(column is not None)
        if column is not None:
            is_down = queue.sort.descending
            order = Qt.SortOrder.DescendingOrder if is_down else Qt.SortOrder.AscendingOrder
            self._header.setSortIndicator(column, order)

    def _click(self, column: int) -> None:
        first, second = self._orders(column)
        self.sort_requested.emit({first: second, second: Sort()}.get(self._sort, first))

    def _orders(self, column: int) -> tuple[Sort, Sort]:
        """The orders that the first and the second click on a title ask for."""
        if column >= FIRST_OWN:
            name = self._model.own[column - FIRST_OWN].name
            up, down = Sort("own", own=name), Sort("own", True, own=name)
        elif column in KEYS:
            up, down = Sort(KEYS[column]), Sort(KEYS[column], True)
        else:
            return Sort(), Sort()
        return (down, up) if self._model.is_number(column) else (up, down)
