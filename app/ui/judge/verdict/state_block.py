"""The saved verdict of the current candidate, and what was saved last."""

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication, QEvent, QSize, QTimer
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from agent.tasks.look import has_class
from app.core.session.records import LogEntry, Opinion, Verdict
from app.ui.judge.verdict.verdict_text import (
    MARKS,
    mark_and_word,
    verdict_colour,
    verdict_mark,
    verdict_word,
)
from app.ui.session.session_context import SessionContext
from app.ui.widgets.labels import ElidedLabel, keep_current, row, short_label
from app.ui.widgets.text_width import OnEvent

translate = QCoreApplication.translate


def saved_texts(entry: LogEntry, before: Opinion, name: str) -> tuple[str, str]:
    """Say what was saved, with name and time and without.

    `before` is the former opinion, `name` that of the object.
    """
    action = _action_text(entry, before)
    parts = [action, name]
    is_verdict = entry.action == "set" and entry.opinion.verdict not in (None, before.verdict)
    if is_verdict and (seconds := entry.seconds) is not None:
        shown = f"{seconds:.1f}" if seconds < 10 else f"{seconds:.0f}"
        parts.append(translate("saved", "{seconds} s").replace("{seconds}", shown))
    return " · ".join(filter(None, parts)), action


def _action_text(entry: LogEntry, before: Opinion) -> str:
    now = entry.opinion
    if entry.action == "set" and (now.verdict == before.verdict or now.verdict is None):
        for part, saved in _parts_saved().items():
            if getattr(now, part) != getattr(before, part):
                return saved
    return _verdict_acts()[entry.action].replace("{what}", verdict_word(now.verdict))


def _verdict_acts() -> dict[str, str]:
    return {
        "set": translate("saved", "Saved: {what}"),
        "undo": translate("saved", "Undone: {what}"),
        "redo": translate("saved", "Redone: {what}"),
    }


def _parts_saved() -> dict[str, str]:
    return {
        "comment": translate("saved", "Comment saved"),
        "flags": translate("saved", "Flags saved"),
        "confidence": translate("saved", "Confidence saved"),
        "subclass": translate("saved", "Sub-class saved"),
        "fields": translate("saved", "Field saved"),
        "velocity": translate("saved", "Velocity saved"),
    }


def _every_act() -> list[str]:
    words = [verdict_word(verdict) for verdict in (None, *Verdict)]
    acts = [act.replace("{what}", word) for act in _verdict_acts().values() for word in words]
    return [*acts, *_parts_saved().values()]


BRIGHT_MS = 2500
MAX_MOVES = 1
SPACING_PX = 6
SLACK_PX = 4


class OneLineLabel(ElidedLabel):
    """An elided label as wide as the layout leaves it, which asks for no width itself."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("", parent)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    @property
    def least_width(self) -> int:
        """What the fewest words need."""
        return self.fontMetrics().horizontalAdvance(self._texts[-1]) + 2


class StateBlock(QWidget):
    def __init__(self, context: SessionContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._current, self._current_theme = context.current, context.current_theme
        self._state = ("", "")  # as a word and as a mark
        self._measured_fonts, self._least_px = ("", ""), 0
        """The fonts for which the least width was found."""
        self._moves = 0  # candidates shown since something was saved
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.saved = OneLineLabel(self)
        self.verdict = short_label("", parent=self)
        self._bright = QTimer(self, singleShot=True, interval=BRIGHT_MS)
        row(self.verdict, (self.saved, 1), spacing=SPACING_PX, parent=self)
        now, theme = context.current, context.current_theme
        for changed in (now.spectrum_failed, now.spectrum_changed, theme.changed):
            changed.connect(self._restyle)
        self._bright.timeout.connect(self._restyle)
        now.candidate_changed.connect(self._show_candidate)
        now.judged.connect(self._show_saved)
        keep_current(self._show_row, now.row_changed)
        OnEvent(self, self._fit_state, QEvent.Type.Resize)

    def minimumSizeHint(self) -> QSize:
        """Room for every state, and for every act beside its mark: none moves what is beside it."""
        fonts = self.verdict.font().key(), self.saved.font().key()
        if fonts != self._measured_fonts:
            words = [mark_and_word(verdict) for verdict in (None, *Verdict)]
            state = _widest(self.verdict, [*words, self.tr("✕ unreadable")])
            act = _widest(self.verdict, list(MARKS.values())) + _widest(self.saved, _every_act())
            self._least_px = max(state, act + SPACING_PX)
            self._measured_fonts = fonts
        return QSize(self._least_px, super().minimumSizeHint().height())

    def _show_candidate(self) -> None:
        """Tell what was saved beside the next candidate too, but not beside those that follow."""
        self._moves += 1
        if self._moves > MAX_MOVES:
            self.saved.show_text("")
        self._show_row()

    def _show_row(self, _: object = None) -> None:
        if self._current.session.is_read_only and not self.saved.full_text:
            self.saved.show_texts(
                self.tr("This session is read-only: verdicts cannot be saved"), self.tr("read-only")
            )
        self._restyle()

    def _show_saved(self, entry: LogEntry) -> None:
        row = self._current.row
        is_current = row is not None and row.candidate.id == entry.candidate_id
        name = row.candidate.name if row is not None and is_current else ""
        self.saved.show_texts(*saved_texts(entry, self._current.saved_opinion, name))
        self._bright.start()
        self._moves = 0
        self._restyle()

    def _restyle(self, _: object = None) -> None:
        theme, row = self._current_theme.theme, self._current.row
        if row is None:
            self._state = self.tr("No candidate"), ""
            self.verdict.setStyleSheet(f"color: {theme.dim};")
        elif not has_class(self._current.session.task):
            self._state = "", ""
        else:
            verdict = row.opinion.verdict
            is_unreadable = bool(self._current.fault) and verdict is None
            self._state = mark_and_word(verdict), verdict_mark(verdict)
            if is_unreadable:
                self._state = self.tr("✕ unreadable"), MARKS[Verdict.REJECT]
            colour = theme.warning if is_unreadable else verdict_colour(theme, verdict)
            self.verdict.setStyleSheet(f"color: {colour}; font-weight: 600;")
        is_bright = self._bright.isActive()
        self.saved.setStyleSheet(f"color: {theme.text if is_bright else theme.dim};")
        self._fit_state()

    def _fit_state(self) -> None:
        """Leave the word of the state out where what was saved would be cut: its button says it."""
        whole, mark = self._state
        room = self.width() - SPACING_PX - self.saved.least_width
        is_room = _widest(self.verdict, [whole]) <= room or not self.saved.full_text
        self.verdict.setText(whole if is_room else mark)


def _widest(label: QLabel, texts: Sequence[str]) -> int:
    return max(map(label.fontMetrics().horizontalAdvance, texts)) + SLACK_PX
