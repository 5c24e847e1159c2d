"""The bar that sets the queue's filter and order."""

import re
import zlib
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Literal

from PySide6.QtCore import QPoint, QPointF, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QActionGroup, QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QButtonGroup, QGridLayout, QLineEdit, QMenu, QWidget

from agent.errors import WorkbenchError
from app.core.queue import (
    EVERYTHING,
    MINE,
    Filter,
    FilterError,
    Sort,
    combine,
    conjuncts,
    filter_text,
    parse_filter,
    parse_sort,
)
from app.core.queue import sort_text as text_of_sort
from app.core.queue.filter_parser import FIELDS, MAX_LENGTH, VERDICT_WORDS
from app.core.queue.filters import ANSWERS, BETWEEN, NUMBER_FIELDS, TEXT_FIELDS, THINGS
from app.core.queue.own_columns import own_values
from app.core.session.assignments import has_assignments
from app.core.session.records import Change
from app.ui.base.theme.theme import CurrentTheme
from app.ui.base.translation.message_texts import translate_message
from app.ui.judge.queue.columns import OBJECT, P_COMBINED, fixed_title
from app.ui.judge.verdict.flag_row import FLAGS, STAR
from app.ui.session.candidate.queue_neighbours import Queue
from app.ui.session.session_context import SessionContext
from app.ui.widgets.labels import column, keep_current, one_line, row, show_or_hide, wrapped_label
from app.ui.widgets.painted_button import hint, quiet_button
from app.ui.widgets.suggestions import Suggestions
from app.ui.widgets.text_width import PlaceholderWidth

COLUMNS = 3  # of the quick filters
MAX_ORDER = 16  # characters of a column's name on the button of the order
SEEDS = 10_000
LIKE: Literal["like"] = "like"

# A name or a value in quotes belongs to the word, with the blanks in it.
LAST_WORD = re.compile(
    r"""(?:-?(?:own\.)?"[^"]*"[:=~](?:"[^"]*|[^\s()"]*)|[^\s()":=~]*[:=~]"[^"]*|[^\s()"]*)$"""
)
LAST_CONDITION = re.compile(
    r"""-?(?P<own>own\.)?(?:"(?P<quoted>[^"]*)"|(?P<name>[^\s()":=~<>!]+))[:=~]"""
    r"""(?P<value>"[^"]*|[^\s()"]*)$"""
)
VERDICTS = ("unjudged", *VERDICT_WORDS)
WORDS: dict[str, tuple[str, ...]] = {
    **{"verdict": VERDICTS, "any": VERDICTS, "agent": ANSWERS},
    **{"disagree": BETWEEN, "has": THINGS, "flag": (STAR, *FLAGS)},
}
CHOICES = (
    *(f"{field}:{each}" for field, words in WORDS.items() for each in words),
    *(f"{each}{sign}" for sign in "><" for each in NUMBER_FIELDS),
    *(f"{each}:" for each in TEXT_FIELDS),
)
MAX_SUGGESTIONS = 12
PAUSE_MS = 400  # after the last key, before what was typed is applied


class FilterBar(QWidget):
    """Only requests a filter and order, since blind mode may refuse them."""

    queue_requested = Signal(object, object)  # a Filter and a Sort

    def __init__(
        self, context: SessionContext, parent: QWidget | None = None, *, columns: int = COLUMNS
    ) -> None:
        super().__init__(parent)
        current_theme, session_id = context.current_theme, context.bridge.session.id
        self._current_theme, self._keymap = current_theme, context.keymap
        self._session, self._runner = context.bridge.session, context.runner
        self._current, self._blind_mode = context.current, context.current.blind_mode
        self._titles: Mapping[str, str] = {}
        self._queue: Queue | None = None
        self.is_shared_out = False  # whether something is assigned to this person
        self._random = f"random:{zlib.crc32(session_id.encode()) % SEEDS}"
        self.edit = FilterEdit(current_theme, self)
        self._width = PlaceholderWidth(self.edit)
        self.fault = wrapped_label("", parent=self)
        self.fault.hide()
        self.order = quiet_button(current_theme, self)
        self.menu = QMenu(self)
        self._orders = QActionGroup(self)
        labels = self._quick_labels()
        self.quick = {text: quiet_button(current_theme, self, height=22) for text in labels}
        self.mine = quiet_button(current_theme, self, height=22)
        self.mine.setCheckable(True)
        self._lay_out(columns)
        self._offer_mine()
        keep_current(self._show_keys, context.keymap.changed)
        self.edit.typed.connect(self._request_typed)
        self.edit.values_wanted.connect(self._find_values)
        self.edit.submitted.connect(self._request_filter)
        self.edit.fault_changed.connect(self._show_fault)
        self.order.clicked.connect(self._open_menu)
        self.mine.clicked.connect(self.toggle_mine)
        context.bridge.changed.connect(self._on_session_changed)
        self._orders.triggered.connect(self._choose_order)
        current_theme.changed.connect(self._restyle)

    def _show_keys(self) -> None:
        placeholder = self.tr("Filter ({key})").replace("{key}", self._keymap.label("filter"))
        self.edit.setPlaceholderText(placeholder)
        self._width.fit()
        self.edit.setAccessibleName(self.tr("Filter the list"))
        title = hint(self.tr("Filter the list"), self._keymap, "filter")
        about = self.tr(
            "Example: verdict:unjudged snr>10 flag:star. All conditions must hold; or, not and"
            " parentheses work too. Press Enter to apply the filter at once."
        )
        self.edit.setToolTip(f"{title}\n{about}")

    def start_editing(self) -> None:
        self.edit.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.edit.selectAll()

    def show_queue(self, queue: Queue) -> None:
        self._queue = queue
        if self.edit.tree() != queue.tree:
            self.edit.show_text(filter_text(queue.tree))
        rest = combine(*others_of(queue.tree))
        for text, button in self.quick.items():
            button.setChecked(parse_filter(text) == rest)
        self.mine.setChecked(MINE in conjuncts(queue.tree))
        self._show_order(queue.sort)

    def set_own_columns(self, names: Sequence[str], titles: Mapping[str, str]) -> None:
        """Take the names of the list's own columns, and what the person calls some of them."""
        self.edit.own_columns, self._titles = tuple(names), titles
        if self._queue is not None:
            self._show_order(self._queue.sort)

    def _show_order(self, sort: Sort) -> None:
        order = text_of_sort(sort)
        label = self._sort_label(sort)
        for action in self._orders.actions():
            action.setChecked(action.data() in (order, sort.key))
            if action.isChecked():
                label = action.text()
        self.order.set_label(f"{label} ▾", hint=self.tr("Order of the queue"))

    def _sort_label(self, sort: Sort) -> str:
        """Name an order that is not in the menu."""
        names = {"snr": self.tr("S/N"), "p_yes": "p(YES)", "object": fixed_title(OBJECT)}
        names["p_combined"] = fixed_title(P_COMBINED)
        names["own"] = one_line(self._titles.get(sort.own, sort.own), MAX_ORDER)
        text = self.tr("{column}, falling") if sort.descending else self.tr("{column}, rising")
        return text.replace("{column}", names.get(sort.key, sort.key))

    def _quick_labels(self) -> dict[str, str]:
        return {
            "verdict:unjudged": self.tr("unjudged"),
            "verdict:accept": self.tr("accepted"),
            "verdict:unsure": self.tr("unsure"),
            "disagree:agent": self.tr("disagree"),
            "has:flag": self.tr("flagged"),
            "has:fault": self.tr("unreadable"),
        }

    def _order_labels(self) -> dict[str, str]:
        return {
            "list": self.tr("as listed"),
            "score": self.tr("highest score"),
            "snr": self.tr("highest S/N"),
            "p_yes": self.tr("highest p(YES)"),
            "p_combined": self.tr("highest with catalogues"),
            "uncertain": self.tr("most uncertain"),
            "surprising": self.tr("most surprising"),
            "disagreeing": self.tr("agents disagree first"),
            "ra": self.tr("by right ascension"),
            "object": self.tr("by name"),
            self._random: self.tr("random"),
            LIKE: self.tr("most like the present one"),
            "learned:best": self.tr("learned: best first"),
            "learned:uncertain": self.tr("learned: most uncertain first"),
            "learned:mixed": self.tr("learned: best, one in ten at random"),
        }

    def _lay_out(self, columns: int) -> None:
        grid = QGridLayout()
        grid.setSpacing(4)
        about = self.tr("Only what is assigned to you; press again for all")
        self.mine.set_label(self.tr("only mine"), hint=about)
        group = QButtonGroup(self, exclusive=False)
        group.idClicked.connect(self._toggle_quick)
        labels = self._quick_labels()
        for number, (text, button) in enumerate(self.quick.items()):
            button.setCheckable(True)
            button.set_label(labels[text], hint=text)
            button.setSizePolicy(self.edit.sizePolicy())
            group.addButton(button, number)
            grid.addWidget(button, number // columns, number % columns)
        for text, label in self._order_labels().items():
            action = QAction(label, self, checkable=True)
            action.setData(LIKE if text == LIKE else text_of_sort(parse_sort(text)))
            self._orders.addAction(action)
            self.menu.addAction(action)
        self._offer_targets()
        line = row((self.edit, 1), self.order, spacing=4)
        whole = column(line, self.fault, spacing=4, parent=self)
        if columns > COLUMNS:  # there is room beside the order
            line.addWidget(self.mine)
        else:
            self.mine.setSizePolicy(self.edit.sizePolicy())
            whole.addWidget(self.mine)
        whole.addLayout(grid)

    def _offer_targets(self) -> None:
        """Besides the verdict, sub-classes and flags can be learned."""
        learned = self.menu.addMenu(self.tr("learned: a sub-class or a flag"))
        classes = [f"subclass={each.name}" for each in self._session.subclasses]
        for target in (*classes, *(f"flag={each}" for each in (STAR, *FLAGS))):
            text = self.tr("learned: {what}").replace("{what}", target.partition("=")[2])
            action = QAction(text, self, checkable=True)
            action.setData(text_of_sort(Sort("learned", learn="best", target=target)))
            self._orders.addAction(action)
            learned.addAction(action)

    def _toggle_quick(self, number: int) -> None:
        """Apply a quick filter; a second press removes it. Only mine stays only mine."""
        if self._queue is None:
            return
        wanted = parse_filter(list(self.quick)[number])
        tree = self._queue.tree
        mine = [term for term in conjuncts(tree) if term == MINE]
        is_on = combine(*others_of(tree)) == wanted
        self._request_filter(combine(*mine, EVERYTHING if is_on else wanted))

    def toggle_mine(self) -> None:
        """Show what is assigned to this person, or all again."""
        if self._queue is not None and self.is_shared_out:
            tree, rest = self._queue.tree, others_of(self._queue.tree)
            mine = () if MINE in conjuncts(tree) else (MINE,)
            self._request_filter(combine(*mine, *rest))

    def _on_session_changed(self, change: Change) -> None:
        if change.aspect == "list":
            self._offer_mine()

    def _offer_mine(self) -> None:
        self.is_shared_out = has_assignments(self._session)
        self.mine.setVisible(self.is_shared_out)

    def _request_filter(self, tree: Filter) -> None:
        if self._queue is not None:
            self.queue_requested.emit(tree, self._queue.sort)

    def _request_typed(self, tree: Filter) -> None:
        """Apply what is being typed; the text stays as it is."""
        queue = self._queue
        if queue is None or tree == queue.tree or self._blind_mode.refusal(tree, queue.sort):
            return
        self.queue_requested.emit(tree, queue.sort)

    def _find_values(self, column: str, beginning: str) -> None:
        work = partial(own_values, self._session, column, beginning, MAX_SUGGESTIONS)
        offer = partial(self.edit.offer_values, column, beginning)
        self._runner.run(work, offer, self._ignore, owner=self)

    def _ignore(self, _: WorkbenchError) -> None:
        """Without suggestions one can still type."""

    def _choose_order(self, action: QAction) -> None:
        if self._queue is None:
            return
        if action.data() != LIKE:
            sort = parse_sort(str(action.data()))
        elif self._current.candidate is None:
            return
        else:
            sort = Sort(LIKE, like=self._current.candidate.id)
        self.queue_requested.emit(self._queue.tree, sort)

    def _open_menu(self) -> None:
        self.menu.popup(self.order.mapToGlobal(QPoint(0, self.order.height() + 2)))

    def _show_fault(self, text: str) -> None:
        show_or_hide(self.fault, text)
        self._restyle()

    def _restyle(self) -> None:
        self.fault.setStyleSheet(f"color: {self._current_theme.theme.reject};")


def others_of(tree: Filter) -> list[Filter]:
    """The conditions of a filter beside "only mine"."""
    return [term for term in conjuncts(tree) if term != MINE]


# The line edit for filters, with suggestions; a fault is underlined where it occurs. A valid
# filter is applied while it is typed, after a short pause; a fault is told on Enter only.
def completions(text: str, cursor: int, own_columns: Sequence[str] = ()) -> tuple[str, ...]:
    word = last_word(text, cursor).lower().removeprefix("-")
    if not word:
        return ()
    short = [_quoted(name) for name in own_columns if name.lower() not in FIELDS]
    choices = (*CHOICES, *short, *[f"own.{_quoted(name)}" for name in own_columns])
    found = [each for each in choices if each.lower().startswith(word) and each.lower() != word]
    inside = [each for each in choices if word in each.lower()[1:] and each not in found]
    return (*found, *inside)[:MAX_SUGGESTIONS] if found or len(word) > 1 else ()


def completed(text: str, cursor: int, choice: str) -> tuple[str, int]:
    """The text with the word before the cursor replaced, and the new cursor position."""
    word = last_word(text, cursor)
    minus = "-" if word.startswith("-") else ""
    start = text[: cursor - len(word)] + minus + choice
    return start + text[cursor:], len(start)


def column_before(
    text: str, cursor: int, own_columns: Sequence[str]
) -> tuple[str, str, str] | None:
    """The own column whose value is being typed, the word up to the value, and its beginning."""
    word = LAST_CONDITION.search(text[:cursor])
    if word is None:
        return None
    name = (word["quoted"] or word["name"]).lower()
    if word["own"] is None and name in FIELDS:
        return None
    found = next((each for each in own_columns if each.lower() == name), None)
    beginning = word["value"].removeprefix('"')
    start = word.group()[: len(word.group()) - len(word["value"])].removeprefix("-")
    return None if found is None else (found, start, beginning)


def last_word(text: str, cursor: int) -> str:
    match = LAST_WORD.search(text[:cursor])
    return match.group() if match else ""


def _quoted(name: str) -> str:
    return name if re.fullmatch(r"[^\W\d]\w*", name) else f'"{name}"'


class FilterEdit(QLineEdit):
    submitted = Signal(object)  # a Filter, when Enter was pressed and the text is valid
    typed = Signal(object)  # a Filter, when the person paused and the text is valid
    values_wanted = Signal(str, str)  # the own column whose value is being typed, and its beginning
    fault_changed = Signal(str)  # what is wrong with the text; empty if it is valid

    def __init__(self, current_theme: CurrentTheme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._current_theme = current_theme
        self._fault_at: int | None = None
        self.own_columns: Sequence[str] = ()
        self.setMaxLength(MAX_LENGTH)
        self.setClearButtonEnabled(True)
        self.suggestions = Suggestions(self)
        self.suggestions.chosen.connect(self._choose)
        self._pause = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._pause.timeout.connect(self._apply_typed)
        self.textEdited.connect(self._text_edited)
        self.returnPressed.connect(self._submit)
        self.textChanged.connect(self._submit_if_cleared)

    def tree(self) -> Filter | None:
        """The filter as far as it is typed; None if it is not valid."""
        try:
            return parse_filter(self.text(), self.own_columns)
        except FilterError:
            return None

    def offer_values(self, column: str, beginning: str, values: Sequence[str]) -> None:
        """Suggest values of a column, unless something else is being typed by now."""
        found = column_before(self.text(), self.cursorPosition(), self.own_columns)
        if found is None or (found[0], found[2]) != (column, beginning):
            return
        offered = [found[1] + _quoted(value) for value in values if value != beginning]
        self.suggestions.show(offered[:MAX_SUGGESTIONS])

    def show_text(self, text: str) -> None:
        self._pause.stop()
        if text != self.text():
            self.setText(text)
        self._fault_at = None
        self.fault_changed.emit("")

    def parse(self) -> Filter | None:
        """The typed filter; None if it is not valid."""
        tree, fault, self._fault_at = None, "", None
        try:
            tree = parse_filter(self.text(), self.own_columns)
        except FilterError as error:
            fault, self._fault_at = translate_message(str(error)), error.position
        self.fault_changed.emit(fault)
        self.update()
        return tree

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._fault_at is None:
            return
        metrics, text = self.fontMetrics(), self.text()
        at = min(self._fault_at, max(len(text) - 1, 0))
        before = metrics.horizontalAdvance(text[: self.cursorPosition()])
        left = self.cursorRect().center().x() - before + metrics.horizontalAdvance(text[:at])
        word = text[at:].split(" ", 1)[0] or " "
        right = left + max(metrics.horizontalAdvance(word), 6)
        painter = QPainter(self)
        painter.setPen(QPen(QColor(self._current_theme.theme.reject), 2.0, Qt.PenStyle.DotLine))
        bottom = self.rect().center().y() + metrics.height() / 2 + 1
        painter.drawLine(QPointF(left, bottom), QPointF(right, bottom))
        painter.end()

    def _text_edited(self, text: str) -> None:
        # Unfinished text is no fault: faults appear on Enter, and are updated until corrected.
        if self._fault_at is not None:
            self.parse()
        self._pause.start()
        cursor = self.cursorPosition()
        wanted = column_before(text, cursor, self.own_columns)
        if wanted is not None:
            self.suggestions.hide()
            self.values_wanted.emit(wanted[0], wanted[2])
        else:
            self.suggestions.show(completions(text, cursor, self.own_columns))

    def _apply_typed(self) -> None:
        tree = self.tree()
        if tree is not None and self.text():
            self.typed.emit(tree)

    def _choose(self, choice: str) -> None:
        text, cursor = completed(self.text(), self.cursorPosition(), choice)
        self.setText(text)
        self.setCursorPosition(cursor)
        self._pause.start()
        if not last_word(text, cursor).endswith((":", "<", ">")):
            self.parse()

    def _submit(self) -> None:
        self.suggestions.hide()
        self._pause.stop()
        if (tree := self.parse()) is not None:
            self.submitted.emit(tree)

    def _submit_if_cleared(self, text: str) -> None:
        """Remove the filter when the clear button was pressed."""
        if not text and self.isModified():
            self._submit()
