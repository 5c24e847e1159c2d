"""A draft to read or to revise: the spectrum, then every turn, checked while it is written."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QComboBox, QWidget

from agent.errors import WorkbenchError
from app.ui.base.background.runner import Runner
from app.ui.base.theme.theme import CurrentTheme
from app.ui.base.translation.message_texts import translate_message
from app.ui.widgets.labels import button, column, row, short_label, wrapped_label
from train.review.live_check import LiveCheck, check_live, marked_spans
from train.review.revision import Revision, former_turns
from train.review.window.inspection_view import CardColumn
from train.review.window.look_panel import LookPanel
from train.review.window.pool_access import OpenDraft
from train.review.window.turn_card import TurnCard

CHECK_MS = 120  # after the last key before the claims are checked
VERSIONS_PX = 240  # at most, however long the name of who revised it


class DraftView(QWidget):
    revised = Signal(object)  # the Revision after a change by the person
    checked = Signal(object)  # the LiveCheck of what is on the screen
    problem = Signal(str)

    def __init__(
        self, runner: Runner, current_theme: CurrentTheme, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._runner, self._current_theme = runner, current_theme
        self.draft: OpenDraft | None = None
        self.revision = Revision(())
        self.is_editable = False
        self.cards: list[TurnCard] = []
        self.overview: LookPanel | None = None
        self._undone: list[Revision] = []
        self._check_now = LiveCheck(0, ())
        self._is_checking = False
        self._timer = QTimer(self, interval=CHECK_MS, singleShot=True)
        self._timer.timeout.connect(self._check)
        self.title = wrapped_label("", "title")
        self.claims = wrapped_label("", "dim")
        self.verdict_fault = wrapped_label("", "warning")
        self.versions = QComboBox(self)
        self.versions.setAccessibleName(self.tr("Compare with"))
        self.versions.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.versions.setMaximumWidth(VERSIONS_PX)
        self.differences = button(self.tr("Show differences"))
        self.differences.setCheckable(True)
        self.undo_button = button(self.tr("Undo"))
        policy = self.undo_button.sizePolicy()
        policy.setRetainSizeWhenHidden(True)  # or the draft jumps from one stage to the next
        self.undo_button.setSizePolicy(policy)
        self.area = CardColumn(self)
        self._lay_out()
        self.versions.currentIndexChanged.connect(self._compare)
        self.differences.toggled.connect(self._show_differences)
        self.undo_button.clicked.connect(self.undo)

    def show_draft(self, draft: OpenDraft, *, is_editable: bool) -> None:
        is_same = self.draft is not None and self.draft.case.id == draft.case.id
        has_same_turns = is_same and self.revision.replies == draft.shown.replies
        is_on_screen = has_same_turns and self.is_editable == is_editable
        self.draft, self.is_editable = draft, is_editable
        self._fill_versions(draft)
        if is_on_screen:  # somebody else's answer does not disturb who reads or writes
            return
        self.revision, self._undone = draft.shown, []
        first = draft.case.trajectory
        about = first.spectrum.object_id or first.spectrum.path or draft.case.id
        kind = f" ({draft.example.label})" if draft.example.label else ""
        self.title.setText(f"{about} · {first.task} · {draft.example.answer}{kind}")
        self._build()
        self._show_check(draft.check)
        self._show_verdict(draft)
        self.area.verticalScrollBar().setValue(0)

    def undo(self) -> None:
        """Take back the last change: of a look, of the order, or what was written at a go."""
        if self._undone:
            self.revision = self._undone.pop()
            self._build()
            self._on_change()

    def _lay_out(self) -> None:
        compared = short_label(self.tr("Compare with"), "dim")
        rows = (
            row((self.title, 1), self.undo_button),
            row((self.claims, 1), compared, self.versions, self.differences),
        )
        column(*rows, self.verdict_fault, (self.area, 1), spacing=6, parent=self)

    def _show_verdict(self, draft: OpenDraft) -> None:
        """Warn of a draft that cannot be trained on, whatever its reasons."""
        verdict = next((turn.verdict for turn in reversed(draft.shown.turns)), None)
        text = self.tr("It answers {verdict}, but the truth is {truth}: discard it.")
        text = text.replace("{verdict}", verdict or "–").replace("{truth}", draft.example.answer)
        self.verdict_fault.setText(text)
        self.verdict_fault.setVisible(verdict != draft.example.answer)

    # The turns

    def _build(self) -> None:
        """Make a card for each turn anew."""
        self.area.clear()
        self.cards, self.overview = [], None
        draft = self.draft
        self.undo_button.setVisible(self.is_editable and draft is not None)
        self.undo_button.setEnabled(bool(self._undone))
        if draft is None:
            return
        self.overview = LookPanel(draft.maker, self._runner, None, parent=self.area.column)
        self.area.add(self.overview)
        for place, turn in enumerate(self.revision.turns):
            card = TurnCard(
                place, turn, draft.maker, self._runner, self._current_theme,
                is_editable=self.is_editable, parent=self.area.column,
            )  # fmt: skip
            card.texts_changed.connect(self._change_texts)
            if card.look is not None:
                card.look.changed.connect(partial(self._change_look, place))
            for arrow, step in ((card.earlier_button, -1), (card.later_button, 1)):
                arrow.setEnabled(self.revision.is_look(place + step))
                arrow.clicked.connect(partial(self._move, place, step))
            card.delete_button.clicked.connect(partial(self._delete, place))
            card.remove_button.clicked.connect(partial(self._remove_marked, place))
            self.cards.append(card)
            self.area.add(card)
        self._compare()
        self._show_differences(self.differences.isChecked())

    def _change_texts(self, place: int, thought: str, reasons: str) -> None:
        try:
            revision = self.revision.with_texts(place, thought, reasons)
        except WorkbenchError as error:
            self.problem.emit(translate_message(str(error)))
            return
        self._change(revision, is_written_on=self._timer.isActive())

    def _change_look(self, place: int, low: float, high: float, label: str) -> None:
        self._change(self.revision.with_look(place, low, high, label))

    def _move(self, place: int, step: int, *_: object) -> None:
        self._rebuild(self.revision.with_look_later(place if step > 0 else place - 1))

    def _delete(self, place: int, *_: object) -> None:
        if self.revision.is_look(place):
            self._rebuild(self.revision.without_look(place))

    def _remove_marked(self, place: int, *_: object) -> None:
        turn, faults = self.revision.turns[place], self._check_now.of_turn(place)
        texts = []
        for text in (turn.thought, turn.reasons):
            for start, end in reversed(marked_spans(text, faults)):
                text = f"{text[:start]}{text[end:].lstrip(' ;')}"
            texts.append(text.strip())
        self._rebuild(self.revision.with_texts(place, *texts))

    def _change(self, revision: Revision, *, is_written_on: bool = False) -> None:
        if not is_written_on:
            self._undone.append(self.revision)
        self.revision = revision
        self._on_change()

    def _rebuild(self, revision: Revision) -> None:
        """A change after which there are other cards."""
        self._undone.append(self.revision)
        self.revision = revision
        self._build()
        self._on_change()

    def _on_change(self) -> None:
        for card, turn in zip(self.cards, self.revision.turns, strict=True):
            card.follow_turn(turn)
        self.undo_button.setEnabled(bool(self._undone))
        self._timer.start()
        self.revised.emit(self.revision)

    # Claims

    def _check(self) -> None:
        """Check in the background; what was written meanwhile is checked afterwards."""
        draft = self.draft
        if draft is None or self._is_checking:
            return
        self._is_checking = True
        replies = self.revision.replies
        work = partial(check_live, draft.case.trajectory, replies, draft.example, draft.task)
        done = partial(self._on_checked, draft, replies)
        self._runner.run(work, done, self._on_check_failed, owner=self)

    def _on_checked(self, draft: OpenDraft, replies: Sequence[str], check: LiveCheck) -> None:
        self._is_checking = False
        if draft is self.draft and tuple(replies) == self.revision.replies:
            self._show_check(check)
        elif self.draft is not None:
            self._timer.start()

    def _on_check_failed(self, error: WorkbenchError) -> None:
        self._is_checking = False
        self.problem.emit(translate_message(str(error)))

    def _show_check(self, check: LiveCheck) -> None:
        self._check_now = check
        text = self.tr("{n} claims, all supported by what is measured")
        if check.faults:
            text = self.tr("{n} claims, {m} not supported: marked below")
        wrong = str(len(check.faults))
        self.claims.setText(text.replace("{n}", str(check.claims)).replace("{m}", wrong))
        for card in self.cards:
            card.show_faults(check.of_turn(card.place))
        self.checked.emit(check)

    # Earlier wordings

    def _fill_versions(self, draft: OpenDraft) -> None:
        self.versions.blockSignals(True)
        self.versions.clear()
        case = draft.case
        self.versions.addItem(self.tr("the draft"), case.trajectory.replies)
        revised = [review for review in case.reviews if review.replies]
        for number, review in enumerate(revised, 1):
            name = self.tr("revision {n} by {name}").replace("{n}", str(number))
            self.versions.addItem(name.replace("{name}", review.by), review.replies)
        if draft.outdated is not None:
            self.versions.addItem(self.tr("what you had not saved"), draft.outdated.replies)
        last = len(revised) if self.is_editable else max(len(revised) - 1, 0)
        self.versions.setCurrentIndex(last)
        self.versions.blockSignals(False)

    def _compare(self) -> None:
        replies = self.versions.currentData()
        if self.draft is None or replies is None:
            return
        before = Revision.of(replies).turns
        former = former_turns(before, self.revision.turns)
        for card, turn in zip(self.cards, former, strict=True):
            card.show_former(turn)

    def _show_differences(self, is_on: bool) -> None:
        for card in self.cards:
            card.former_button.setChecked(is_on)
