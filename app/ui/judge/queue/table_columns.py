"""Which columns a table of candidates shows, how wide they are and in which order."""

from collections.abc import Mapping

from PySide6.QtCore import QEvent, QObject, QTimer, Signal
from PySide6.QtGui import QFont, QFontMetrics
from PySide6.QtWidgets import QHeaderView

from app.core.queue.column_values import parts_of
from app.core.session.records import Verdict
from app.ui.judge.queue.columns import (
    AGENT,
    FIRST_OWN,
    FLAGS,
    KEYS,
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
from app.ui.judge.queue.queue_model import MARKS_TITLE, QueueModel
from app.ui.judge.verdict.verdict_text import mark_and_word
from app.ui.session.candidate.current import CurrentCandidate
from app.ui.widgets.candidate_table import CandidateTable
from app.ui.widgets.labels import keep_current

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
        self,
        table: CandidateTable,
        model: QueueModel,
        store: ColumnStore,
        current: CurrentCandidate,
        name: str,
    ) -> None:
        super().__init__(table)
        self._table, self._model, self._store, self._current = table, model, store, current
        self.name = name  # of the table, under which the choice is kept
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
        metrics, chosen = self._table.fontMetrics(), self._store.choice(self.name).widths
        self._header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        widest = WIDEST | {VERDICT: mark_and_word(Verdict.ACCEPT)}
        for column in range(self._model.columnCount()):
            own = WIDEST_NUMBER if self._model.is_number(column) else WIDEST_TEXT
            width = metrics.horizontalAdvance(widest.get(column) or own) + ROOM_PX
            self._table.setColumnWidth(column, chosen.get(self._model.key_of(column), width))
        self._fit_titles(chosen)

    def show(self, _: object = None) -> None:
        """Show what was chosen or has content, and not what blind mode hides."""
        chosen, ordered = self._store.choice(self.name).shown, self.column_of_order()
        by_itself = ALWAYS | self._model.used
        hidden = OF_AGENT | self._model.giving_class_away
        if not self._current.blind_mode.is_on:
            hidden = frozenset()
        for column in range(self._model.columnCount()):
            is_shown = chosen.get(self._model.key_of(column), column in by_itself)
            is_shown = (is_shown or column in (OBJECT, ordered)) and column not in hidden
            self._table.setColumnHidden(column, not is_shown)
        self._fit_titles(self._store.choice(self.name).widths)
        self._set_brief(False)
        if self._is_too_narrow():
            self._set_brief(True)
        for column in HIDDEN_FIRST:
            is_chosen = chosen.get(KEYS[column], False)
            if column != ordered and not is_chosen and self._is_too_narrow(column):
                self._table.setColumnHidden(column, True)
        is_told = self.is_shown(AGENT) or self._current.blind_mode.is_on
        self._model.set_marks_conflict(not is_told)
        self._fit_flags(self._store.choice(self.name).widths)
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
        self._store.arrange(self.name, tuple(map(self._model.key_of, columns)), widths)

    def _take_own(self) -> None:
        self._model.set_own(self._store.own)
        self._apply()

    def _apply(self) -> None:
        self._model.set_names(self._store.names)
        choice = self._store.choice(self.name)
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

    def _fit_titles(self, chosen: Mapping[str, int]) -> None:
        """Widen columns whose title would be cut; the header knows no size of hidden ones."""
        most = self._table.fontMetrics().horizontalAdvance(WIDEST_TEXT) + ROOM_PX
        for column in range(self._model.columnCount()):
            needs_title = column in (SCORE, SNR, AGENT, P_YES, P_COMBINED) or column >= FIRST_OWN
            if needs_title and self._model.key_of(column) not in chosen:
                needed = min(self._header.sectionSizeHint(column), most)
                if needed > self._header.sectionSize(column) and self.is_shown(column):
                    self._table.setColumnWidth(column, needed)

    def _fit_flags(self, chosen: Mapping[str, int]) -> None:
        if self._table.isColumnHidden(FLAGS) or KEYS[FLAGS] in chosen:
            return
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
        flags = 0 if self._table.isColumnHidden(FLAGS) else MIN_FLAGS_PX
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
        if KEYS[VERDICT] not in self._store.choice(self.name).widths:
            widest = MARKS_TITLE if on else mark_and_word(Verdict.ACCEPT)
            width = self._table.fontMetrics().horizontalAdvance(widest)
            self._table.setColumnWidth(VERDICT, width + ROOM_PX)
