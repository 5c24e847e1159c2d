"""One turn of a draft: its thought, then a call with its picture, or the answer."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from PySide6.QtCore import QCoreApplication, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFocusEvent, QResizeEvent, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QLabel, QPlainTextEdit, QSizePolicy, QTextEdit, QWidget

from agent.inspection.pictures import PictureMaker
from app.ui.base.background.runner import Runner
from app.ui.base.theme.theme import CurrentTheme, Theme
from app.ui.base.translation.message_texts import translate_message
from app.ui.widgets.labels import button, row, short_label, wrapped_label
from train.review.audit import Fault
from train.review.live_check import Span, marked_spans
from train.review.revision import DraftTurn, word_differences
from train.review.window.inspection_view import Card
from train.review.window.look_panel import LookPanel

MAX_SENTENCE = 90  # characters of a marked sentence that are repeated with its reason
TINT_ALPHA = 38
MOST_LINES = 30
translate = QCoreApplication.translate


class TurnCard(Card):
    """Edits one turn; `place` is its number, from 0."""

    texts_changed = Signal(int, str, str)  # place, thought and reasons

    def __init__(
        self,
        place: int,
        turn: DraftTurn,
        maker: PictureMaker,
        runner: Runner,
        current_theme: CurrentTheme,
        *,
        is_editable: bool,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.place, self.turn = place, turn
        self._current_theme = current_theme
        self._former: DraftTurn | None = None
        self._faults: tuple[Fault, ...] = ()
        self.thought = MarkedText(self.tr("Thought"), turn.thought, current_theme, self)
        self.reasons: MarkedText | None = None
        self.look: LookPanel | None = None
        if turn.range is not None:
            low, high = map(float, turn.range)
            self.look = LookPanel(
                maker, runner, (low, high), turn.label, is_editable=is_editable, parent=self
            )
        elif turn.verdict is not None:
            self.reasons = MarkedText(self.tr("Reasons"), turn.reasons, current_theme, self)
        for text in self._texts:
            text.setReadOnly(not is_editable)
            text.textChanged.connect(self._change_texts)
        self.former_button = button(self.tr("Former text"))
        self.former_button.setCheckable(True)
        self.earlier_button = button("↑")
        self.later_button = button("↓")
        self.delete_button = button(self.tr("Delete look"))
        self.remove_button = button(self.tr("Remove the marked sentences"))
        self.former = QLabel(self)
        self.problems = wrapped_label("", "warning")
        self._set_up_buttons(is_editable)
        self._lay_out()
        current_theme.changed.connect(self._show_differences)

    @property
    def _texts(self) -> tuple[MarkedText, ...]:
        return (self.thought,) if self.reasons is None else (self.thought, self.reasons)

    def show_faults(self, faults: Sequence[Fault]) -> None:
        """Mark what is not supported, and say why below."""
        self._faults = tuple(faults)
        marked = 0
        for text in self._texts:
            spans = marked_spans(text.toPlainText(), self._faults)
            marked += len(spans)
            text.mark(spans)
        lines = dict.fromkeys(self._problem(fault) for fault in self._faults)
        self.problems.setText("\n".join(lines))
        self.problems.setVisible(bool(lines))
        self.remove_button.setVisible(bool(marked) and not self.thought.isReadOnly())

    def show_former(self, former: DraftTurn | None) -> None:
        """Compare with this turn of an earlier wording; None: the turn is new."""
        self._former = former
        self._show_differences()

    def follow_turn(self, turn: DraftTurn) -> None:
        """The turn as it is now, after a change by a person."""
        self.turn = turn
        if self.former_button.isChecked():
            self._show_differences()

    def _set_up_buttons(self, is_editable: bool) -> None:
        has_look = self.look is not None and is_editable
        for arrow, hint in (
            (self.earlier_button, self.tr("Move the look up, with what is said of it")),
            (self.later_button, self.tr("Move the look down, with what is said of it")),
        ):
            arrow.setToolTip(hint)
            arrow.setAccessibleName(hint)
            arrow.setVisible(has_look)
        self.delete_button.setVisible(has_look)
        self.delete_button.setToolTip(self.tr("With its announcement and its description"))
        self.remove_button.hide()
        self.former_button.toggled.connect(self._show_differences)
        self.former.hide()
        self.problems.hide()

    def _lay_out(self) -> None:
        title = self.tr("Turn {n}").replace("{n}", str(self.place + 1))
        if self.turn.verdict is not None:
            answer = self.tr("answer {verdict}").replace("{verdict}", self.turn.verdict)
            title = f"{title} · {answer}"
        layout = self.body
        arrows = self.earlier_button, self.later_button
        head = short_label(title, "title")
        layout.addLayout(row(head, 1, self.former_button, *arrows, self.delete_button))
        layout.addWidget(self.thought)
        if self.reasons is not None:
            layout.addWidget(short_label(self.tr("Reasons"), "dim"))
            layout.addWidget(self.reasons)
        layout.addWidget(self.problems)
        layout.addLayout(row(self.remove_button, 1))
        self.former.setTextFormat(Qt.TextFormat.RichText)
        self.former.setWordWrap(True)
        self.former.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        layout.addWidget(self.former)
        if self.look is not None:
            layout.addWidget(self.look)

    def _problem(self, fault: Fault) -> str:
        reason = translate_message(fault.reason)
        said = " ".join(fault.text.split())
        if len(said) > MAX_SENTENCE:
            said = f"{said[:MAX_SENTENCE]}…"
        return f"✗ “{said}” – {reason}" if said else f"✗ {reason}"

    def _change_texts(self) -> None:
        reasons = "" if self.reasons is None else self.reasons.toPlainText()
        for text in self._texts:
            text.mark(marked_spans(text.toPlainText(), self._faults))
        self.texts_changed.emit(self.place, self.thought.toPlainText(), reasons)

    def _show_differences(self, *_: object) -> None:
        is_on = self.former_button.isChecked()
        if is_on:
            theme = self._current_theme.theme
            self.former.setText(difference_html(self._former, self.turn, theme))
        self.former.setVisible(is_on)


class MarkedText(QPlainTextEdit):
    """Plain text only; Tab goes on to the next field."""

    def __init__(
        self, name: str, text: str, current_theme: CurrentTheme, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._current_theme = current_theme
        self.spans: tuple[Span, ...] = ()  # start and end of each marked sentence
        self.setPlainText(text)
        self.setAccessibleName(name)
        self.setTabChangesFocus(True)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.document().documentLayout().documentSizeChanged.connect(self._fit)
        current_theme.changed.connect(self._follow)
        self._fit()

    def mark(self, spans: Sequence[Span]) -> None:
        self.spans = tuple(spans)
        colour = QColor(self._current_theme.theme.reject)
        tint = QColor(colour)
        tint.setAlpha(TINT_ALPHA)
        kind = QTextCharFormat()
        kind.setUnderlineStyle(QTextCharFormat.UnderlineStyle.WaveUnderline)
        kind.setUnderlineColor(colour)
        kind.setBackground(tint)
        marks, most = [], self.document().characterCount() - 1
        for start, end in spans:
            cursor = QTextCursor(self.document())
            cursor.setPosition(min(start, most))
            cursor.setPosition(min(end, most), QTextCursor.MoveMode.KeepAnchor)
            mark = QTextEdit.ExtraSelection()
            mark.cursor, mark.format = cursor, kind
            marks.append(mark)
        self.setExtraSelections(marks)

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), self.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if event.reason() != Qt.FocusReason.PopupFocusReason:
            cursor = self.textCursor()
            cursor.clearSelection()
            self.setTextCursor(cursor)

    def _fit(self) -> None:
        lines = min(max(round(self.document().size().height()), 1), MOST_LINES)
        margins = self.contentsMargins()
        inner = 2 * round(self.document().documentMargin())
        height = lines * self.fontMetrics().lineSpacing() + inner
        height += margins.top() + margins.bottom() + 2 * self.frameWidth()
        if height != self.height() or height != self.minimumHeight():
            self.setFixedHeight(height)

    def _follow(self, _: Theme) -> None:
        self.mark(self.spans)


def difference_html(before: DraftTurn | None, after: DraftTurn, theme: Theme) -> str:
    """What changed in a turn; `before` is None for a new one."""
    if before is None:
        return escape(translate("curation", "This turn is new."))
    parts = []
    if before.range != after.range or before.label != after.label:
        parts.append(words_html(_call_text(before), _call_text(after), theme))
    for old, new in ((before.thought, after.thought), (before.reasons, after.reasons)):
        if old != new:
            parts.append(words_html(old, new, theme))
    if not parts:
        return escape(translate("curation", "As it was."))
    return "<br>".join(parts)


def words_html(before: str, after: str, theme: Theme) -> str:
    styles = {
        "same": f"color:{theme.text}",
        "gone": f"color:{theme.reject}; text-decoration:line-through",
        "new": f"color:{theme.accent}; text-decoration:underline",
    }
    return "".join(
        f'<span style="{styles[piece.kind]}">{escape(piece.text)}</span>'
        + (" " if piece.kind == "gone" and not piece.text.endswith(" ") else "")
        for piece in word_differences(before, after)
    )


def _call_text(turn: DraftTurn) -> str:
    if turn.range is None:
        return ""
    low, high = turn.range
    return f"{low:g} – {high:g} Å {turn.label}"
