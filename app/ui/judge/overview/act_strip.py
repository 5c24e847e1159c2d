"""The strip below the overview: how many are selected, what can be done with them, a question."""

from functools import partial
from operator import attrgetter

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QButtonGroup, QFrame, QLineEdit, QMenu, QWidget, QWidgetAction

from agent.tasks.subclass import Subclass, path_of, subclasses_below
from app.core.errors import SessionError
from app.core.session.own_fields import OwnField, own_fields, value_of
from app.core.session.records import MAX_COMMENT
from app.core.session.session import Session
from app.core.session.subclass_and_fields import MAX_FIELD_TEXT, FieldValue
from app.ui.base.actions.actions import ACTIONS
from app.ui.base.keys.text_focus import OWN_KEYS
from app.ui.base.translation.data_texts import task_text
from app.ui.base.translation.message_texts import translate_message
from app.ui.judge.overview.group_acts import Question
from app.ui.judge.verdict.flag_row import STAR, FlagMenu
from app.ui.judge.verdict.verdict_text import NAMES, mark_and_word, verdict_buttons
from app.ui.session.session_context import SessionContext
from app.ui.widgets import labels
from app.ui.widgets.painted_button import PaintedButton, quiet_button
from app.ui.widgets.text_width import PlaceholderWidth

COUNT_PX, COMMENT_PX = 130, 200  # least widths


class ActStrip(QFrame):
    """Only requests acts on what is selected."""

    verdict_requested = Signal(object)
    flag_requested = Signal(str)
    comment_given = Signal(str)

    def __init__(self, context: SessionContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "strip")
        self._keymap = context.keymap
        theme = context.current_theme
        self.count = labels.short_label("")
        self.count.setMinimumWidth(COUNT_PX)
        self.buttons = verdict_buttons(theme, self)
        self.star = PaintedButton(theme, attrgetter("unsure"), self, mark="★", is_quiet=True)
        self.flag = PaintedButton(theme, attrgetter("border"), self)
        self.comment = QLineEdit(self, maxLength=MAX_COMMENT)
        self._width = PlaceholderWidth(self.comment, COMMENT_PX)
        self.undo = quiet_button(theme, self, mark="↶", height=30)
        self.menu = FlagMenu(self)
        self.subclass = PaintedButton(theme, attrgetter("border"), self)
        self.subclass_menu = SubclassMenu(context.bridge.session, self)
        self._group = QButtonGroup(self, exclusive=False)
        for number, each in enumerate(self.buttons.values()):
            self._group.addButton(each, number)
        tools = self.star, self.flag, self.subclass, self.comment, self.undo
        layout = labels.flow(self.count, *self.buttons.values(), *tools, parent=self)
        layout.setContentsMargins(8, 4, 8, 4)
        verdicts = list(self.buttons)
        self._group.idClicked.connect(lambda at: self.verdict_requested.emit(verdicts[at]))
        self.star.clicked.connect(partial(self.flag_requested.emit, STAR))
        self.flag.clicked.connect(self.open_flags)
        self.subclass.clicked.connect(self.open_subclasses)
        self.menu.chosen.connect(self.flag_requested)
        self.comment.returnPressed.connect(self._give_comment)
        labels.keep_current(self._show_keys, context.keymap.changed)
        self.show_count(0, 0)

    def show_count(self, selected: int, total: int, *, can_write: bool = True) -> None:
        text = self.tr("{n} of {total} selected") if selected else self.tr("Total: {total}")
        self.count.setText(text.replace("{n}", f"{selected:,}").replace("{total}", f"{total:,}"))
        can_act = can_write and selected > 0
        for part in (*self.buttons.values(), self.star, self.flag, self.subclass, self.comment):
            part.setEnabled(can_act)
        self.undo.setEnabled(can_write)
        self.subclass.setVisible(self.subclass_menu.is_useful)

    def open_subclasses(self) -> None:
        if self.subclass.isEnabled() and self.subclass_menu.is_useful:
            self.subclass_menu.fill()
            height = self.subclass_menu.sizeHint().height()
            self.subclass_menu.popup(self.subclass.mapToGlobal(QPoint(0, -height)))

    def open_flags(self) -> None:
        if self.flag.isEnabled():
            self.menu.show_flags(())
            self.menu.popup(self.flag.mapToGlobal(QPoint(0, -self.menu.sizeHint().height())))

    def _show_keys(self) -> None:
        keymap = self._keymap
        about = self.tr("Give all selected candidates this verdict")
        for verdict, each in self.buttons.items():
            name = NAMES[verdict]
            each.set_label(ACTIONS[name].title, keymap.label(name), about)
        self.star.set_label("", keymap.label("star"), self.tr("Star all selected candidates"))
        about = self.tr("Flag all selected candidates")
        self.flag.set_label(self.tr("Flag"), keymap.label("flags"), about)
        about = self.tr("Give all selected candidates a sub-class or the value of a field")
        self.subclass.set_label(self.tr("Sub-class, field ▾"), keymap.label("subclass"), about)
        self.undo.set_label("", hint=self.tr("Undo the last act"))
        placeholder = self.tr("Comment on all selected ({key})")
        self.comment.setPlaceholderText(placeholder.replace("{key}", keymap.label("comment")))
        self._width.fit()
        self.comment.setAccessibleName(self.tr("Comment on all selected candidates"))
        self.comment.setToolTip(
            self.tr("Enter adds it to all selected. What stands here at a verdict is its reason.")
        )

    def _give_comment(self) -> None:
        self.comment_given.emit(self.comment.text())
        self.comment.clear()


class ConfirmLine(QFrame):
    """Asks before a verdict on spectra that were not on screen; Enter says yes, Esc no."""

    confirmed = Signal(object)  # the `Question`
    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "strip")
        self.setProperty(OWN_KEYS, True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.question: Question | None = None
        self.text = labels.short_label("", "warning")
        self.yes = labels.button(self.tr("Yes (Enter)"), call=self._confirm)
        self.no = labels.button(self.tr("No (Esc)"), call=self.close_question)
        labels.row(
            (self.text, 1), self.yes, self.no, spacing=None, margins=(12, 6, 12, 6), parent=self
        )
        self.hide()

    def ask(self, question: Question) -> None:
        self.question = question
        text = self.tr(
            "You have not seen the spectrum of {unopened} of these {n} candidates."
            " Give all {n} this verdict: {verdict}?"
        )
        text = text.replace("{unopened}", f"{question.unopened:,}")
        text = text.replace("{n}", f"{len(question.rows):,}")
        text = text.replace("{verdict}", mark_and_word(question.verdict))
        text = question.told or text
        if question.reason:
            reason = self.tr("Reason: {reason}").replace(
                "{reason}", labels.one_line(question.reason, 60)
            )
            text = f"{text} {reason}"
        self.text.setText(text)
        self.show()
        self.setFocus(Qt.FocusReason.OtherFocusReason)

    def close_question(self) -> None:
        if self.question is not None:
            self.question = None
            self.hide()
            self.closed.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.isAutoRepeat():
            return
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._confirm()
        elif event.key() == Qt.Key.Key_Escape:
            self.close_question()

    def _confirm(self) -> None:
        if (question := self.question) is not None:
            self.close_question()
            self.confirmed.emit(question)


class SubclassMenu(QMenu):
    """The menu that gives all selected candidates a sub-class or a value of an own field."""

    subclass_chosen = Signal(str)  # 'DA/DAH'; empty to take it away
    field_given = Signal(str, object)  # name and value of a field; None to take it away
    refused = Signal(str)

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(parent)
        self._session = session
        self.lines: dict[str, QLineEdit] = {}
        """Where the values of numbers and texts are typed, by field."""
        self._parts: list[QMenu] = []

    @property
    def is_useful(self) -> bool:
        return bool(self._session.subclasses or own_fields(self._session))

    def fill(self) -> None:
        self.clear()
        for part in self._parts:
            part.deleteLater()
        self._parts, self.lines = [], {}
        for each in subclasses_below("", self._session.subclasses):
            self._add_subclass(self, each)
        if self._session.subclasses:
            labels.add_action(self, self.tr("No sub-class"), partial(self.subclass_chosen.emit, ""))
            self.addSeparator()
        for field in own_fields(self._session):
            self._add_field(field)

    def _add_subclass(self, menu: QMenu, one: Subclass) -> None:
        title = labels.escape_mnemonics(f"{one.name}    {task_text(one.description)}")
        path = path_of(one.name, self._session.subclasses)
        below = subclasses_below(path, self._session.subclasses)
        inner = self._submenu(menu, title) if below else menu
        labels.add_action(inner, title, partial(self.subclass_chosen.emit, path))
        if below:
            inner.addSeparator()
        for each in below:
            self._add_subclass(inner, each)

    def _add_field(self, field: OwnField) -> None:
        inner = self._submenu(self, labels.escape_mnemonics(field.shown))
        given = partial(self.field_given.emit, field.name)
        if field.kind == "tick":
            labels.add_action(inner, self.tr("yes"), partial(given, True))
        for choice in field.choices:
            labels.add_action(inner, labels.escape_mnemonics(choice), partial(given, choice))
        if field.kind in ("number", "text"):
            line = QLineEdit(inner, maxLength=MAX_FIELD_TEXT)
            line.setAccessibleName(field.shown)
            line.setPlaceholderText(self.tr("value, Enter"))
            line.returnPressed.connect(partial(self._take_typed, field))
            holder = QWidgetAction(inner)
            holder.setDefaultWidget(line)
            inner.addAction(holder)
            self.lines[field.name] = line
        labels.add_action(inner, self.tr("none"), partial(given, None))

    def _take_typed(self, field: OwnField) -> None:
        try:
            value: FieldValue | None = value_of(field, self.lines[field.name].text())
        except SessionError as error:
            self.refused.emit(translate_message(str(error)))
            return
        self.close()
        self.field_given.emit(field.name, value)

    def _submenu(self, menu: QMenu, title: str) -> QMenu:
        inner = QMenu(title, menu)
        menu.addMenu(inner)
        self._parts.append(inner)
        return inner
