"""The strip below the plot: verdict, confidence, proposal, star, flags, comment, undo and redo."""

from functools import partial
from operator import attrgetter

from PySide6.QtCore import QEvent, QObject, QPoint, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QButtonGroup, QFrame, QLineEdit, QMenu, QSizePolicy, QWidget

from agent.tasks.look import has_class
from agent.trajectory.p_yes import probability_text
from app.core.queue import QueueRow
from app.core.session.records import MAX_COMMENT, MAX_CONFIDENCE, Opinion, Verdict
from app.ui.base.actions.actions import ACTIONS
from app.ui.base.actions.commands import Commands
from app.ui.base.keys.keymap import Keymap
from app.ui.base.theme.theme import CurrentTheme
from app.ui.judge.verdict.flag_row import CHIPS_PX, CustomFlag, FlagMenu, FlagRow, FocusLeft
from app.ui.judge.verdict.state_block import StateBlock
from app.ui.judge.verdict.verdict_text import (
    HEIGHT,
    MARKS,
    NAMES,
    confidence_meaning,
    conflict_text,
    verdict_buttons,
    with_conflict,
)
from app.ui.session.candidate.current import (
    ChangeOpinion,
    CurrentCandidate,
    amend,
    with_comment,
    with_flag_toggled,
)
from app.ui.session.session_context import SessionContext
from app.ui.widgets import labels
from app.ui.widgets.flow_layout import FlowLayout
from app.ui.widgets.labels import escape_mnemonics, keep_current, row, short_label
from app.ui.widgets.painted_button import PaintedButton, hint, quiet_button
from app.ui.widgets.text_width import OnEvent, PlaceholderWidth

CONFIDENCE_HEIGHT, WIDTH, SIDE_PX = 28, 150, 8
ORDER = tuple(NAMES)
PROPOSALS = {"YES": Verdict.ACCEPT, "NO": Verdict.REJECT}
BOTH_AT_ONCE = *((Verdict.ACCEPT, n) for n in (4, 3)), *((Verdict.UNSURE, n) for n in (2, 1))
"""Verdicts that one key gives with a confidence."""


class VerdictBar(QFrame):
    """Also handles the commands that judge and navigate."""

    def __init__(self, context: SessionContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "strip")
        self._current, self._keymap = context.current, context.keymap
        self._commands = VerdictCommands(context.current, context.commands, self)
        theme = context.current_theme
        self.buttons = verdict_buttons(theme, self)
        self.state = StateBlock(context, self)
        self.confidence = ConfidenceRow(context.current_theme, context.keymap, self)
        self.proposal = ProposalButton(context, self)
        self.comment = CommentBox(context, self)
        self.previous = PreviousObject(context, self.comment, self)
        self.undo = quiet_button(theme, self, mark="↶", height=HEIGHT)
        self.redo = quiet_button(theme, self, mark="↷", height=HEIGHT)
        self.choose_class = labels.button(self.tr("Choose a class to judge"), "")
        self.choose_class.clicked.connect(partial(context.commands.run, "other_class"))
        self._lay_out()
        # Chips are not made while Qt lays the strip out.
        self._fitting = QTimer(self, singleShot=True, interval=0)
        self._fitting.timeout.connect(self._fit_flags)
        OnEvent(self, self._fitting.start, QEvent.Type.Resize, QEvent.Type.FontChange)
        keep_current(self._show_keys, context.keymap.changed)
        self.confidence.chosen.connect(self._current.set_confidence)
        self.undo.clicked.connect(self._current.undo)
        self.redo.clicked.connect(self._current.redo)
        self._current.opinion_changed.connect(self._show_opinion)
        self._current.spectrum_changed.connect(self._enable_buttons)
        self._current.spectrum_failed.connect(self._enable_buttons)
        keep_current(self._show_row, self._current.candidate_changed, self._current.row_changed)

    def _show_keys(self) -> None:
        keymap = self._keymap
        for verdict, button in self.buttons.items():
            name = NAMES[verdict]
            title, stay = ACTIONS[name].title, self.tr("{key}: the same and stay here")
            stay = stay.replace("{key}", keymap.label(f"{name}_stay"))
            about = f"{hint(title, keymap, name)}\n{stay}"
            button.set_label(title, keymap.label(name), about)
        undo, redo = self.tr("Undo"), self.tr("Redo")
        for name, button, text in (("undo", self.undo, undo), ("redo", self.redo, redo)):
            button.set_label("", hint=hint(text, keymap, name))
            button.setAccessibleName(text)

    def _lay_out(self) -> None:
        group = QButtonGroup(self, exclusive=False)
        group.idClicked.connect(self._press)
        strip = self._strip = FlowLayout(self)
        strip.setContentsMargins(SIDE_PX, 4, SIDE_PX, 4)
        for number, verdict in enumerate(ORDER):
            self.buttons[verdict].setCheckable(True)
            group.addButton(self.buttons[verdict], number)
        told = labels.short_label(self.tr("No class to judge"), "title")
        no_class: list[QWidget] = [told, self.choose_class]
        to_judge: list[QWidget] = [*self.buttons.values(), self.confidence, self.proposal]
        is_judged = has_class(self._current.session.task)
        shown, hidden = (to_judge, no_class) if is_judged else (no_class, to_judge)
        for part in [*shown, self.comment, self.state, self.undo, self.redo]:
            strip.addWidget(part)
        self._row: list[QWidget] = [*shown, self.state, self.undo, self.redo]
        for part in hidden:
            part.setParent(self)
            part.hide()

    def _fit_flags(self) -> None:
        """Let flags take what one row leaves them; where there are more rows, all they need."""
        flags = self.comment.flags
        others = [part for part in self._row if not part.isHidden()]
        bare = self.comment.minimumSizeHint().width() - flags.minimumSizeHint().width()
        needed = bare + flags.bare_px + sum(part.minimumSizeHint().width() for part in others)
        left = self.width() - 2 * SIDE_PX - needed - self._strip.spacing() * len(others)
        flags.set_room(left if left >= 0 else CHIPS_PX)

    def _press(self, number: int) -> None:
        self._mark_saved()  # changed once it is saved
        self._current.judge(ORDER[number])

    def _show_row(self, _: QueueRow | None = None) -> None:
        self._show_opinion(self._current.opinion)
        self._enable_buttons()

    def _show_opinion(self, opinion: Opinion) -> None:
        self._mark_saved()
        self.confidence.show_value(opinion.confidence)

    def _mark_saved(self) -> None:
        row = self._current.row
        saved = None if row is None else row.opinion.verdict
        for verdict, button in self.buttons.items():
            button.setChecked(verdict == saved)

    def _enable_buttons(self, _: object = None) -> None:
        can_write = not self._current.session.is_read_only
        can_judge = self._current.row is not None and can_write
        for button in self.buttons.values():
            button.setEnabled(can_judge and not self._current.fault)
        self.confidence.setEnabled(can_judge)
        for button in (self.undo, self.redo):
            button.setEnabled(can_write)


class ConfidenceRow(QWidget):
    """Buttons for the person's confidence, from 4 (sure) to 0 (none)."""

    chosen = Signal(object)  # the confidence, or None if the chosen button was pressed again

    def __init__(self, current_theme: CurrentTheme, keymap: Keymap, parent: QWidget) -> None:
        super().__init__(parent)
        self._value: int | None = None
        self._keymap = keymap
        self._caption = short_label(self.tr("sure"), "dim")
        self._other_end = short_label(self.tr("none"), "dim")
        self.buttons = {
            value: quiet_button(current_theme, self, height=CONFIDENCE_HEIGHT)
            for value in range(MAX_CONFIDENCE, -1, -1)
        }
        group = QButtonGroup(self, exclusive=False)
        group.idClicked.connect(self._press)
        line = row(self._caption, spacing=3, parent=self)
        for value, button in self.buttons.items():
            button.setCheckable(True)
            group.addButton(button, value)
            line.addWidget(button)
        line.addWidget(self._other_end)
        keep_current(self._show_keys, keymap.changed)
        self.show_value(None)

    def show_value(self, value: int | None) -> None:
        self._value = value
        for each, button in self.buttons.items():
            button.setChecked(each == value)
        meaning = self.tr("not given") if value is None else confidence_meaning(value)
        for end in (self._caption, self._other_end):
            end.setToolTip(self.tr("Confidence: {meaning}").replace("{meaning}", meaning))

    def _show_keys(self) -> None:
        for value, button in self.buttons.items():
            text = self.tr("Confidence {value}: {meaning}").replace("{value}", str(value))
            text = text.replace("{meaning}", confidence_meaning(value))
            button.set_label(str(value), hint=hint(text, self._keymap, f"confidence_{value}"))
            button.setAccessibleName(text)

    def _press(self, value: int) -> None:
        self.buttons[value].setChecked(value == self._value)  # changed once it is saved
        self.chosen.emit(None if value == self._value else value)


class ProposalButton(PaintedButton):
    """Has a fixed width, which also hides the length of the proposal in blind mode."""

    def __init__(self, context: SessionContext, parent: QWidget | None = None) -> None:
        super().__init__(context.current_theme, attrgetter("agent"), parent, height=HEIGHT)
        self._current, self._keymap = context.current, context.keymap
        self._action = "take_proposal"
        self._widest: int | None = None
        """Width of the widest label in the present text; computed when it is asked for."""
        self.clicked.connect(lambda: context.commands.run(self._action))
        now = context.current
        changes = now.candidate_changed, now.row_changed, now.spectrum_changed, now.spectrum_failed
        context.keymap.changed.connect(self._keys_changed)
        keep_current(self._show, *changes, now.blind_mode.changed)

    def sizeHint(self) -> QSize:
        if self._widest is None:
            mark = max(MARKS.values(), key=self.fontMetrics().horizontalAdvance)
            answers = (
                ("", self.tr("No proposal"), ""),
                ("", self.tr("Reveal agent"), self._keymap.label("reveal")),
                (mark, self._answer("YES ≠"), self._keymap.label("take_proposal")),
            )
            self._widest = max(WIDTH, *(self.width_of(*each) for each in answers))
        return QSize(self._widest, self.height_hint)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.FontChange:
            self._widest = None
        super().changeEvent(event)

    def _keys_changed(self) -> None:
        self._widest = None
        self._show()

    def _answer(self, verdict: str) -> str:
        return self.tr("Agent: {answer}").replace("{answer}", verdict)

    def _show(self, _: object = None) -> None:
        row, verdict = self._current.row, proposed_verdict(self._current.row)
        self.mark, self._action = "", "take_proposal"
        if row is not None and self._current.blind_mode.hides(row):
            self._action = "reveal"
            text = self.tr("Reveal agent")
            self.setEnabled(not self._current.blind_mode.in_study)
            self.set_label(text, self._keymap.label("reveal"), hint(text, self._keymap, "reveal"))
            return
        if row is None or verdict is None:
            self.setEnabled(False)
            self.set_label(self.tr("No proposal"), hint=self.tr("The agent has no proposal"))
            return
        self.mark, p_yes = MARKS[verdict], row.candidate.agent_p_yes
        text = self._answer(with_conflict(row.candidate.agent_verdict or "", row.candidate))
        self.setEnabled(not self._current.session.is_read_only and not self._current.fault)
        about = hint(self.tr("Use the agent's proposal"), self._keymap, "take_proposal")
        if p_yes is not None:
            about += f" · p(YES) {probability_text(p_yes)}"
        if row.candidate.agent_members:
            about += f"\n{conflict_text(row.candidate.agent_members)}"
        self.set_label(text, self._keymap.label("take_proposal"), about)


# Commands that judge, navigate and switch blind mode.
def proposed_verdict(row: QueueRow | None) -> Verdict | None:
    return None if row is None else PROPOSALS.get(row.candidate.agent_verdict or "")


class VerdictCommands(QObject):
    def __init__(self, current: CurrentCandidate, commands: Commands, parent: QObject) -> None:
        super().__init__(parent)
        self._current = current
        for verdict, name in NAMES.items():
            commands.add(name, partial(self._judge, verdict))
            commands.add(f"{name}_stay", partial(self._judge, verdict, stay=True))
        for verdict, value in BOTH_AT_ONCE:
            judge = partial(self._judge, verdict, confidence=value)
            commands.add(f"{NAMES[verdict]}_{value}", judge)
        for value in range(MAX_CONFIDENCE + 1):
            commands.add(f"confidence_{value}", partial(current.set_confidence, value))
        commands.add("take_proposal", self.take_proposal)
        for name in ("undo", "redo", "next", "previous", "reveal"):
            commands.add(name, getattr(current, name))
        commands.add("blind", self._toggle_blind_mode)

    def _judge(
        self, verdict: Verdict, *, stay: bool = False, confidence: int | None = None
    ) -> None:
        if has_class(self._current.session.task):
            self._current.judge(verdict, stay=stay, confidence=confidence)
        else:
            self._current.message.emit(self.tr("There is no class to judge: choose one first"))

    def take_proposal(self) -> None:
        """Judge as the agent proposes, unless blind mode hides the proposal."""
        row, current = self._current.row, self._current
        if row is None:
            return
        if current.blind_mode.hides(row):
            text = self.tr("Blind mode: judge it yourself or reveal the agent's verdict first")
            current.message.emit(text)
        elif (verdict := proposed_verdict(row)) is None:
            current.message.emit(self.tr("The agent has no proposal"))
        else:
            self._judge(verdict)

    def _toggle_blind_mode(self) -> None:
        current = self._current
        with current.reporting():
            current.blind_mode.set_on(not current.blind_mode.is_on)
            on = self.tr("Blind mode is on: the agent's opinion stays hidden until you judge")
            current.message.emit(on if current.blind_mode.is_on else self.tr("Blind mode is off"))


# The comment field and the flags, of the current candidate and of the one before.
MIN_PX = 110
SEPARATOR = "; "


class CommentBox(QWidget):
    """Passes each keystroke on at once, so that a comment stays with the candidate it is for."""

    def __init__(self, context: SessionContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._current, self._settings = context.current, context.settings
        self._keymap = context.keymap
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.flags = FlagRow(context, self)
        self.edit = QLineEdit(self, maxLength=MAX_COMMENT)
        self.edit.setAccessibleName(self.tr("Comment"))
        self._width = PlaceholderWidth(self.edit, MIN_PX)
        self.standard = PaintedButton(context.current_theme, attrgetter("border"), self, mark="▾")
        self.menu = QMenu(self)
        self._row = row(self.flags, (self.edit, 1), self.standard, spacing=4, parent=self)
        self._over: QLineEdit | None = None
        self._over_title = short_label("", "title", self)
        self._over_title.hide()
        keep_current(self._show_keys, context.keymap.changed)
        context.commands.add("comment", self._start_typing)
        self.edit.textEdited.connect(partial(self._current.set_comment, save=False))
        self.edit.editingFinished.connect(self._save)
        self.edit.returnPressed.connect(self.edit.clearFocus)
        self.standard.clicked.connect(self._open_menu)
        self.menu.triggered.connect(self._append)
        self._current.opinion_changed.connect(self._show)
        keep_current(self._show_row, self._current.candidate_changed)

    def show_over(self, line: QLineEdit | None, title: str) -> None:
        """Show another line with a title in place of the comment, or the comment again."""
        for over, stretch in ((self._over_title, 0), (line, 1)):
            if over is not None and self._row.indexOf(over) < 0:
                self._row.insertWidget(self._row.indexOf(self.edit), over, stretch)
        other, self._over = self._over, line
        for part in (self.flags, self.edit):  # both are about the object on screen
            part.setVisible(line is None)
        self._over_title.setVisible(line is not None)
        self._over_title.setText(title)
        if line is not None:
            line.show()
        elif other is not None:
            other.hide()

    def _show_keys(self) -> None:
        text = self.tr("Comment ({key})").replace("{key}", self._keymap.label("comment"))
        self.edit.setPlaceholderText(text)
        self._width.fit()
        about = hint(self.tr("Comment; Enter or Esc returns to the plot"), self._keymap, "comment")
        self.edit.setToolTip(about)
        self.standard.set_label("", hint=self.tr("Standard comments"))

    def _start_typing(self) -> None:
        if self.edit.isEnabled() and self.edit.isReadOnly():
            text = self.tr("This session is read-only: comments cannot be saved")
            self._current.message.emit(text)
        elif self.edit.isEnabled():
            self.edit.setFocus(Qt.FocusReason.ShortcutFocusReason)
            self.edit.end(False)

    def _show_row(self, _: object = None) -> None:
        is_there, is_read_only = self._current.row is not None, self._current.session.is_read_only
        self.edit.setEnabled(is_there)
        self.edit.setReadOnly(is_read_only)
        self.standard.setEnabled(is_there and not is_read_only)
        self._show(self._current.opinion)

    def _show(self, opinion: Opinion) -> None:
        if opinion.comment != self.edit.text():
            self.edit.setText(opinion.comment)
            self.edit.setCursorPosition(0)

    def _save(self) -> None:
        if self.edit.isEnabled() and not self.edit.isReadOnly():
            self._current.set_comment(self.edit.text())

    def _open_menu(self) -> None:
        self.menu.clear()
        for text in dict.fromkeys((*self._settings.settings.comments, *self._defaults())):
            self.menu.addAction(escape_mnemonics(text)).setData(text)
        self.menu.popup(self.standard.mapToGlobal(QPoint(0, self.standard.height() + 2)))

    def _append(self, action: QAction) -> None:
        typed = self.edit.text().strip()
        text = str(action.data())
        if text not in typed.split(SEPARATOR):
            self._current.set_comment(f"{typed}{SEPARATOR}{text}" if typed else text)

    def _defaults(self) -> tuple[str, ...]:
        return (
            self.tr("follow up"),
            self.tr("binary?"),
            self.tr("another class"),
            self.tr("two sources in the fibre"),
            self.tr("lines are sky residuals"),
            self.tr("flux calibration is wrong in the blue"),
            self.tr("too noisy, needs another spectrum"),
        )


class PreviousObject(QObject):
    """Handles "comment_previous" and "flags_previous"; both name the object they are about."""

    def __init__(self, context: SessionContext, box: CommentBox, parent: QWidget) -> None:
        super().__init__(parent)
        self._current, self._box = context.current, box
        self._now: QueueRow | None = context.current.row
        self._before: QueueRow | None = None
        self._about: QueueRow | None = None  # the object of the line or menu that is open
        self._was = ""
        self.edit = QLineEdit(box, maxLength=MAX_COMMENT)
        self.edit.hide()
        self.custom = CustomFlag(box)
        self.menu = FlagMenu(box)
        self.menu.chosen.connect(self._toggle)
        self.menu.custom_requested.connect(self._ask_custom)
        self.custom.given.connect(self._add_custom)
        self.custom.closed.connect(partial(box.show_over, None, ""))
        FocusLeft(self.edit).left.connect(self._save)
        self.edit.editingFinished.connect(self._save)
        self.edit.returnPressed.connect(self.edit.clearFocus)
        context.current.candidate_changed.connect(self._on_candidate)
        context.commands.add("comment_previous", self.start_typing)
        context.commands.add("flags_previous", self.open_menu)

    def _on_candidate(self, row: QueueRow | None) -> None:
        if row is None or self._now is None or row.candidate.id != self._now.candidate.id:
            self._before = self._now
            self._save()
            self.custom.close_line()
        self._now = row

    def start_typing(self) -> None:
        if (opinion := self._opinion()) is None or self._before is None:
            return
        self._about, self._was = self._before, opinion.comment
        self.edit.setText(opinion.comment)
        text = self.tr("Comment on {object}").replace("{object}", self._about.candidate.name)
        self.edit.setPlaceholderText(self.tr("Comment, Enter"))
        self.edit.setAccessibleName(text)
        self.edit.setToolTip(text)
        self._show_over(self.edit, self._about)
        self.edit.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.edit.end(False)

    def open_menu(self) -> None:
        if (opinion := self._opinion()) is None or self._before is None:
            return
        self._about = self._before
        self.menu.show_flags(opinion.flags)
        heading = self.tr("Flags of {object}").replace("{object}", self._about.candidate.name)
        self.menu.add_heading(heading)
        more = self._box.flags.more
        self.menu.popup(more.mapToGlobal(QPoint(0, more.height() + 2)))

    def _show_over(self, line: QLineEdit, about: QueueRow) -> None:
        self._box.show_over(line, self.tr("{object}:").replace("{object}", about.candidate.name))

    def _opinion(self) -> Opinion | None:
        """What the person said of the previous object; None where nothing can be changed."""
        if self._before is None:
            self._current.message.emit(self.tr("There is no previous object"))
            return None
        if self._current.session.is_read_only:
            self._current.message.emit(self.tr("This session is read-only"))
            return None
        standing = self._current.session.judgement(self._before.candidate.id)
        return Opinion() if standing is None else standing.opinion

    def _save(self) -> None:
        about = self._about
        if about is None or self.edit.isHidden():
            return
        text = self.edit.text()
        self._about = None
        self._box.show_over(None, "")
        if text != self._was:
            self._amend(about, with_comment(text))

    def _toggle(self, flag: str) -> None:
        if self._about is not None:
            self._amend(self._about, with_flag_toggled(flag))

    def _amend(self, about: QueueRow, change: ChangeOpinion) -> None:
        if amend(self._current, about.candidate.id, change):
            said = self.tr("Saved for {object}").replace("{object}", about.candidate.name)
            self._current.message.emit(said)

    def _ask_custom(self) -> None:
        if self._about is None:
            return
        text = self.tr("Custom flag for {object}").replace("{object}", self._about.candidate.name)
        self.custom.setAccessibleName(text)
        self.custom.setToolTip(text)
        self._show_over(self.custom, self._about)
        self.custom.ask()

    def _add_custom(self, name: str) -> None:
        opinion = self._opinion()
        if opinion is not None and name not in opinion.flags:
            self._toggle(name)
