"""Columns, order and menus of the queue; the overview has some of them, too."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QPoint, Qt, QTimer, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QFont, QFontMetrics, QGuiApplication
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QLineEdit, QMenu, QWidget

from app.core.queue import EVERYTHING, Filter, Sort
from app.core.queue.column_values import parts_of
from app.core.queue.sorts import SortKey
from app.core.session.records import Candidate, Verdict
from app.ui.base.actions.actions import ACTIONS
from app.ui.judge.controls.web_pages import PAGES, identify
from app.ui.judge.queue.columns import (
    AGENT,
    FIRST_OWN,
    FLAGS,
    KEYS,
    MAX_NAME,
    MEMBERS,
    OBJECT,
    OF_AGENT,
    P_COMBINED,
    P_YES,
    SCORE,
    SNR,
    SPECTRUM,
    VERDICT,
    ColumnStore,
    own_key,
)
from app.ui.judge.queue.filter_bar import FilterBar
from app.ui.judge.queue.queue_model import MARKS_TITLE, QueueModel
from app.ui.judge.verdict.verdict_text import mark_and_word
from app.ui.session.candidate.blind_mode import BlindMode
from app.ui.session.candidate.current import CurrentCandidate
from app.ui.session.candidate.queue_neighbours import Queue
from app.ui.session.session_context import SessionContext
from app.ui.widgets.candidate_table import CandidateTable
from app.ui.widgets.labels import add_action, add_check, keep_current

WIDEST = {
    OBJECT: "J2147…2752.7",  # at least
    VERDICT: "✓ accepted",
    SNR: "123.4",
    SCORE: "0.12345",
    AGENT: "YES ≠",
    P_YES: "p(YES)",
    P_COMBINED: "0.999999",
    MEMBERS: "nano-eye NO, measured YES",
    FLAGS: "velocity, noisy",
    SPECTRUM: "0" * 16,
}
"""Texts that must fit the columns; the user may widen them."""
WIDEST_NUMBER, WIDEST_TEXT = "-12.345", "0" * 14  # the same for the list's own columns
ROOM_PX = 12
MAX_NAME_CHARACTERS = 26  # of a digit's width: longer names may be cut
MIN_FLAGS_PX = 44
HIDDEN_FIRST = (SCORE, SNR, FLAGS, MEMBERS, P_COMBINED, AGENT, P_YES)
"""Columns hidden where room is short, unless the person has chosen them."""
COLUMN_OF_ORDER = {
    "score": SCORE,
    "snr": SNR,
    "p_yes": P_YES,
    "p_combined": P_COMBINED,
    "uncertain": P_YES,
}
"""The column that explains an order; it is not hidden."""
ALWAYS = frozenset({OBJECT, VERDICT})
LINES_HIGH = 1.6  # height of a row with a small spectrum, in lines of text


class TableColumns(QObject):
    values_shown = Signal(bool)
    """Whether a column of a service is on screen, each time that columns are shown."""

    def __init__(
        self, table: CandidateTable, model: QueueModel, store: ColumnStore, context: SessionContext
    ) -> None:
        super().__init__(table)
        self._table, self._model, self._store = table, model, store
        self._current = context.current
        self._is_pressed = self._is_applying = False
        """Whether the mouse is down on a title; whether columns are moved by the program."""
        self._resized: dict[str, int] = {}  # widths that the person has just given
        self._header = table.horizontalHeader()
        self._header.setSectionsMovable(True)
        self._header.viewport().installEventFilter(self)
        self._viewport = table.viewport()
        self._viewport.installEventFilter(self)
        self._header.sectionResized.connect(self._note_width)
        self._header.sectionMoved.connect(self._note_move)
        self._settled = QTimer(self, singleShot=True, interval=0)
        self._settled.timeout.connect(self._keep)
        # Not while Qt lays the table out.
        self._fitting = QTimer(self, singleShot=True, interval=0)
        self._fitting.timeout.connect(self.show)
        store.own_changed.connect(self._take_own)
        self._model.set_own(store.own)
        self.set_widths()
        keep_current(self._apply, store.changed)

    def set_widths(self) -> None:
        """Give all columns the width of what stands in them, or what the person gave them."""
        metrics, chosen = self._table.fontMetrics(), self._store.choice.widths
        self._header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        widest = WIDEST | {VERDICT: mark_and_word(Verdict.ACCEPT)}
        for column in range(self._model.columnCount()):
            own = WIDEST_NUMBER if self._model.is_number(column) else WIDEST_TEXT
            width = metrics.horizontalAdvance(widest.get(column) or own) + ROOM_PX
            self._table.setColumnWidth(column, chosen.get(self._model.key_of(column), width))
        self._fit_titles()

    def show(self, _: object = None) -> None:
        """Show what was chosen or has content, and not what blind mode hides."""
        chosen, ordered = self._store.choice.shown, self.column_of_order()
        by_itself = ALWAYS | self._model.used
        hidden = OF_AGENT | self._model.giving_class_away
        if not self._current.blind_mode.is_on:
            hidden = frozenset()
        for column in range(self._model.columnCount()):
            is_shown = chosen.get(self._model.key_of(column), column in by_itself)
            is_shown = (is_shown or column in (OBJECT, ordered)) and column not in hidden
            self._table.setColumnHidden(column, not is_shown)
        self._fit_titles()
        self._set_brief(False)
        if self._is_too_narrow():
            self._set_brief(True)
        for column in HIDDEN_FIRST:
            is_chosen = chosen.get(KEYS[column], False)
            if column != ordered and not is_chosen and self._is_too_narrow(column):
                self._table.setColumnHidden(column, True)
        is_told = self.is_shown(AGENT) or self._current.blind_mode.is_on
        self._model.set_marks_conflict(not is_told)
        self._fit_flags()
        self._fit_names()
        self.values_shown.emit(self.shows_values)

    def column_of_order(self) -> int | None:
        sort = self._current.queue.sort
        if sort.key == "own":
            return self._model.column_of(own_key(sort.own))
        return COLUMN_OF_ORDER.get(sort.key)

    @property
    def shows_values(self) -> bool:
        """Whether a column of a service is on screen."""
        names = enumerate((each.name for each in self._model.own), FIRST_OWN)
        return any(self.is_shown(column) for column, name in names if parts_of(name))

    @property
    def shows_evidence(self) -> bool:
        """Whether rows look different when a service has answered."""
        return self.is_shown(P_COMBINED) or self.shows_values

    def is_shown(self, column: int) -> bool:
        return not self._table.isColumnHidden(column)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Tell a width that the person gives from one that the program gives."""
        if watched is self._viewport:
            if event.type() == QEvent.Type.Resize:
                self._fitting.start()
            return False
        if event.type() == QEvent.Type.MouseButtonPress:
            self._is_pressed = True
        elif event.type() == QEvent.Type.MouseButtonRelease:
            self._is_pressed = False
            if self._resized:
                self._settled.start()
        return False

    def _note_width(self, column: int, _: int, width: int) -> None:
        is_stretched = self._header.sectionResizeMode(column) != QHeaderView.ResizeMode.Interactive
        if self._is_pressed and not is_stretched:
            self._resized[self._model.key_of(column)] = width

    def _note_move(self, *_: int) -> None:
        if not self._is_applying:
            self._settled.start()  # the header is still moving it

    def _keep(self) -> None:
        widths, self._resized = self._resized, {}
        columns = sorted(range(self._model.columnCount()), key=self._header.visualIndex)
        self._store.arrange(tuple(map(self._model.key_of, columns)), widths)

    def _take_own(self) -> None:
        self._model.set_own(self._store.own)
        self._apply()

    def _apply(self) -> None:
        self._model.set_names(self._store.names)
        choice = self._store.choice
        known = [self._model.column_of(key) for key in choice.order]
        columns = [each for each in known if each is not None]
        rest = [each for each in range(self._model.columnCount()) if each not in columns]
        rest.sort(key=SPECTRUM.__eq__)  # last, behind the list's own columns
        self._is_applying = True
        # From the right, where the spectrum goes: most are then in place, and a move is slow.
        for place, column in reversed(list(enumerate([*columns, *rest]))):
            if self._header.visualIndex(column) != place:
                self._header.moveSection(self._header.visualIndex(column), place)
        self._is_applying = False
        self.set_widths()
        has_lines = choice.shown.get(KEYS[SPECTRUM], False)
        self._table.set_rows_high(LINES_HIGH if has_lines else 1.0)
        self.show()

    def _fit_titles(self) -> None:
        """Widen columns whose title would be cut; the header knows no size of hidden ones."""
        chosen = self._store.choice.widths
        most = self._table.fontMetrics().horizontalAdvance(WIDEST_TEXT) + ROOM_PX
        for column in range(self._model.columnCount()):
            needs_title = column in (SCORE, SNR, AGENT, P_YES, P_COMBINED) or column >= FIRST_OWN
            if needs_title and self._model.key_of(column) not in chosen:
                needed = min(self._header.sectionSizeHint(column), most)
                if needed > self._header.sectionSize(column) and self.is_shown(column):
                    self._table.setColumnWidth(column, needed)

    def _fit_flags(self) -> None:
        if self.is_shown(FLAGS) and KEYS[FLAGS] not in self._store.choice.widths:
            most = self._table.fontMetrics().horizontalAdvance(WIDEST[FLAGS]) + ROOM_PX
            left = self._room_beside_names() - self._width_without(FLAGS)
            self._table.setColumnWidth(FLAGS, max(MIN_FLAGS_PX, min(left, most)))

    def _fit_names(self) -> None:
        """Let names take all room that is left; where none is, the table scrolls sideways."""
        mode, room = QHeaderView.ResizeMode, self._table.viewport().width()
        least = min(self._name_width(), room // 2)
        is_crushed = room - self._width_without(OBJECT) < least
        self._header.setSectionResizeMode(OBJECT, mode.Fixed if is_crushed else mode.Stretch)
        if is_crushed:
            self._table.setColumnWidth(OBJECT, max(least, 1))

    def _is_too_narrow(self, column: int = FLAGS) -> bool:
        """Whether names would be cut; flags may be, and for p(YES) names down to half the table."""
        flags = MIN_FLAGS_PX if self.is_shown(FLAGS) else 0
        whole, beside = self._table.viewport().width(), self._room_beside_names()
        room = max(beside, whole // 2) if column == P_YES else beside
        return whole > 0 and self._width_without(FLAGS) + flags > room

    def _room_beside_names(self) -> int:
        return self._table.viewport().width() - self._name_width()

    def _width_without(self, excluded: int) -> int:
        """Width of the visible columns, except the names and this one."""
        columns = range(self._model.columnCount())
        counted = (each for each in columns if each not in (OBJECT, excluded))
        return sum(map(self._table.columnWidth, counted))

    def _name_width(self) -> int:
        font = QFont(self._table.font())
        font.setBold(True)  # the current row is bold
        texts = WIDEST[OBJECT], self._model.longest_name, "0" * MAX_NAME_CHARACTERS
        least, widest, most = map(QFontMetrics(font).horizontalAdvance, texts)
        return min(max(least, widest) + ROOM_PX, most)

    def _set_brief(self, on: bool) -> None:
        """Show verdicts as marks without words, or with them."""
        if on == self._model.is_brief:
            return
        self._model.set_brief(on)
        if KEYS[VERDICT] not in self._store.choice.widths:
            widest = MARKS_TITLE if on else mark_and_word(Verdict.ACCEPT)
            width = self._table.fontMetrics().horizontalAdvance(widest)
            self._table.setColumnWidth(VERDICT, width + ROOM_PX)


translate = QCoreApplication.translate
MIN_EDIT_PX = 90
SITES = {"open_simbad": "SIMBAD", "open_aladin": "Aladin"}
ORDERS: tuple[SortKey, ...] = ("object", "score", "snr", "p_yes", "p_combined")
SORT_KEYS = {KEYS.index(each): each for each in ORDERS}
"""By the other fixed columns the queue has no order."""


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

    def open_below(self, button: QWidget) -> None:
        self._fill(None)
        self.menu.popup(button.mapToGlobal(QPoint(0, button.height() + 2)))

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
        add_action(self.menu, self.tr("Reset the columns"), self._store.reset)

    def _add(self, column: int) -> None:
        title = self._model.title(column)
        if column == SPECTRUM and title == self._model.original_title(column):
            title = self.tr("small spectrum")
        on = self._columns.is_shown(column)
        show = partial(self._store.show, self._model.key_of(column))
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
        column = next((each for each, key in SORT_KEYS.items() if key == queue.sort.key), None)
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
        elif column in SORT_KEYS:
            key = SORT_KEYS[column]
            up, down = Sort(key), Sort(key, True)
        else:
            return Sort(), Sort()
        return (down, up) if self._model.is_number(column) else (up, down)
