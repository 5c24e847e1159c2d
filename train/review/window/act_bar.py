"""What a person may do with the draft on the screen: a key for each act, scores and a reason."""

from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QPushButton, QWidget

from agent.ratings.records import MAX_NOTE
from app.ui.widgets.labels import (
    button,
    column,
    escape_mnemonics,
    one_line,
    row,
    with_key,
    wrapped_label,
)
from app.ui.widgets.reviewer_name import CancellableField
from train.review.review_rules import Role
from train.review.window.score_grid import ScoreGrid

APPROVE_KEY, REFUSE_KEY, SAVE_KEY = "A", "X", "Ctrl+S"


@dataclass(frozen=True)
class Act:
    """An act of one role; some need a reason. `replaces` is who is no longer waited for.

    `takes_over` is of no role: the person becomes the author.
    """

    approve: bool
    changes: bool = False
    needs_reason: bool = False
    replaces: str = ""
    takes_over: bool = False


APPROVE, REFUSE = Act(True), Act(False)
DISCARD = Act(False, needs_reason=True)
WANT_CHANGES = Act(False, changes=True, needs_reason=True)
TAKE_OVER = Act(False, needs_reason=True, takes_over=True)


class ActBar(QFrame):
    decided = Signal(object, str)  # the act, and its reason
    given_back = Signal()  # the person wants none of their changes
    left = Signal()  # the person leaves the field of the reason

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self.stage: Role | None = None
        """The role in which the person can act; None where there is nothing to do."""
        self._about: object = None
        self._pending: Act | None = None
        self._silent = ""
        self.state = wrapped_label("", "dim")
        self.reason = CancellableField(self, maxLength=MAX_NOTE)
        self.reason.setAccessibleName(self.tr("Reason"))
        self.reason.returnPressed.connect(self._confirm)
        self.reason.cancelled.connect(self._leave)
        self.scores = ScoreGrid(self)
        self.approve_button = button("", "accept")
        self.refuse_button = button("", "reject")
        self.back_button = button(self.tr("Give it back unchanged"))
        self.back_button.setToolTip(
            self.tr("Forget what you have changed and not saved, and let others revise it")
        )
        self.replace_button = button("", "")
        self.replace_button.clicked.connect(self._replace)
        self.take_over_button = button("", "")
        self.take_over_button.clicked.connect(partial(self._decide, TAKE_OVER))
        self.approve_button.clicked.connect(self.approve)
        self.refuse_button.clicked.connect(self.refuse)
        self.back_button.clicked.connect(self.given_back)
        buttons = *self._buttons, self.replace_button, self.take_over_button
        acts = row(*buttons, (self.reason, 1), self.back_button)
        column(self.state, self.scores, acts, spacing=6, margins=(12, 8, 12, 8), parent=self)
        self.show_stage(None, "")

    def show_stage(
        self,
        stage: Role | None,
        text: str,
        *,
        about: object = None,
        is_changed: bool = False,
        silent: str = "",
        author: str = "",
    ) -> None:
        """Offer the acts of this role; what was written stays while it is `about` the same.

        `text` says what the acts are about, or what is waited for, `silent` who need not be, and
        `author` from whom the draft may be taken over.
        """
        if (stage, about) != (self.stage, self._about):
            self._pending = None
            self.reason.clear()
            self.scores.show_scores({})
        self.stage, self._about, self._silent = stage, about, silent
        self.state.setText(text)
        names = {
            "screener": (self.tr("Keep"), self.tr("Discard")),
            "reviser": (self.tr("Save revision"), self.tr("Discard")),
            "auditor": (self.tr("Approve"), self.tr("Ask for changes")),
            "voter": (self.tr("Vote for"), self.tr("Vote against")),
        }.get(stage or "")
        for part in self._buttons:
            part.setVisible(names is not None)
        self.scores.setVisible(self.has_scores)
        self.replace_button.setVisible(names is None and bool(silent))
        self.take_over_button.setVisible(names is None and bool(author))
        self.reason.setVisible(names is not None or bool(silent or author))
        self.back_button.setVisible(stage == "reviser" and is_changed)
        hints = {
            "screener": self.tr("Reason; needed to discard it"),
            "reviser": self.tr("What you changed and why, for the auditors"),
            "auditor": self.tr("What should change and why, for the author"),
            "voter": self.tr("Reason (optional)"),
        }
        self.reason.setPlaceholderText(hints.get(stage or "", self.tr("Reason, for the log")))
        if names is None:
            wait, take = self.tr("Wait no longer for {name}"), self.tr("Take it over from {name}")
            _set_name(self.replace_button, wait, silent)
            _set_name(self.take_over_button, take, author)
            return
        keys = (SAVE_KEY if stage == "reviser" else APPROVE_KEY), REFUSE_KEY
        for part, name, key in zip(self._buttons, names, keys, strict=True):
            part.setText(with_key(name, key))
            part.setAccessibleName(name)

    @property
    def has_scores(self) -> bool:
        return self.stage in ("auditor", "voter")

    def approve(self) -> None:
        """Keep, save, approve, or vote for it."""
        if self.stage is not None:
            self._decide(APPROVE)

    def refuse(self) -> None:
        """Discard, ask for changes, or vote against it."""
        if self.stage is not None:
            self._decide({"auditor": WANT_CHANGES, "voter": REFUSE}.get(self.stage, DISCARD))

    def set_busy(self, is_busy: bool) -> None:
        """While a review is written nothing else is."""
        for part in (*self._buttons, self.replace_button, self.take_over_button):
            part.setEnabled(not is_busy)

    @property
    def is_busy(self) -> bool:
        return not self.refuse_button.isEnabled()

    @property
    def _buttons(self) -> tuple[QPushButton, QPushButton]:
        return self.approve_button, self.refuse_button

    def _decide(self, act: Act, *_: object) -> None:
        if self.is_busy:
            return
        reason = self.reason.text().strip()
        if act.needs_reason and not reason:
            self._pending = act
            self.reason.setFocus(Qt.FocusReason.ShortcutFocusReason)
            return
        self._pending = None
        self.decided.emit(act, reason)

    def _replace(self) -> None:
        self._decide(Act(False, needs_reason=True, replaces=self._silent))

    def _confirm(self) -> None:
        """Enter in the field of the reason: do what was waiting for it."""
        if self._pending is not None and self.reason.text().strip():
            self._decide(self._pending)
        elif self._pending is None:
            self.left.emit()

    def _leave(self) -> None:
        self._pending = None
        self.left.emit()


def _set_name(part: QPushButton, text: str, name: str) -> None:
    """Write a text with somebody's name on a button."""
    text = text.replace("{name}", one_line(name, 40))
    part.setText(escape_mnemonics(text))
    part.setAccessibleName(text)
