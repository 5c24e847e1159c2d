"""Pairwise: two trajectories of one spectrum side by side; which is better?"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLineEdit, QPushButton, QVBoxLayout, QWidget

from agent.errors import WorkbenchError
from agent.ratings.records import MAX_NOTE, Choice, trajectory_id
from agent.trajectory.trajectory import Trajectory
from app.ui.widgets.labels import button, row, with_key, wrapped_label
from train.review.rating_round import Pair, Pressed, RatingRound
from train.review.window.inspection_view import TrajectoryView
from train.review.window.round_page import RoundPage, scrolled
from train.review.window.trajectory_pictures import TrajectoryPictures


class PairsPage(RoundPage):
    def __init__(
        self, rating_round: RatingRound, pictures: TrajectoryPictures, parent: QWidget | None = None
    ) -> None:
        super().__init__(rating_round, pictures, parent)
        self.empty = wrapped_label(
            self.tr(
                "There is nothing to compare: no spectrum has inspections by two models in "
                "these files."
            ),
            "dim",
        )
        self.views = TrajectoryView(self), TrajectoryView(self)
        self.note = QLineEdit(maxLength=MAX_NOTE)
        self.note.setPlaceholderText(self.tr("Note (C)"))
        self.note.setAccessibleName(self.tr("Note"))
        self.buttons: dict[Pressed, QPushButton] = {
            "left": button(with_key(self.tr("The left one"), "←"), ""),
            "tie": button(with_key(self.tr("Equally good"), "T"), ""),
            "right": button(with_key(self.tr("The right one"), "→"), ""),
        }
        self.back = button(with_key(self.tr("Back"), "B"))
        self.skip = button(with_key(self.tr("Skip"), "N"))
        self._lay_out()
        for pressed, each in self.buttons.items():
            each.setCheckable(True)
            each.clicked.connect(partial(self.choose, pressed))
        self.back.clicked.connect(partial(self._step, -1))
        self.skip.clicked.connect(partial(self._step, 1))
        self.note.returnPressed.connect(self.setFocus)
        pictures.drawn.connect(self._on_drawn)
        self.show_at(rating_round.first_open_pair())

    @property
    def pair(self) -> Pair | None:
        return self.round.pairs[self.at] if self.round.pairs else None

    def show_at(self, at: int) -> None:
        self.at = at
        pair = self.pair
        for part in (*self.views, self.bar, self.progress):
            part.setVisible(pair is not None)
        self.empty.setVisible(pair is None)
        if pair is None:
            return
        for view, one in zip(self.views, pair.shown, strict=True):
            view.show_trajectory(one, self._pictures.of(one))
        choice = self.round.choice_of(pair)
        self.note.setText("" if choice is None else choice.note)
        for pressed, each in self.buttons.items():
            each.setChecked(choice is not None and pressed == _pressed(pair, choice))
        self._show_progress()
        self.request_pictures()

    def coming(self) -> Sequence[Trajectory]:
        return [one for pair in self.round.pairs[self.at : self.at + 2] for one in pair.shown]

    def choose(self, pressed: Pressed, *_: object) -> None:
        """Store the choice and go to the next pair."""
        pair = self.pair
        if pair is not None and self._give(pair, pressed):
            self._step(1)

    def store(self) -> bool:
        """Save a note that was changed after the choice."""
        pair = self.pair
        choice = None if pair is None else self.round.choice_of(pair)
        if pair is None or choice is None or choice.note == self.note.text().strip():
            return True
        return self._give(pair, _pressed(pair, choice))

    def _give(self, pair: Pair, pressed: Pressed) -> bool:
        try:
            self.round.choose(pair, pressed, self.note.text().strip())
        except WorkbenchError as error:
            self.show_problem(error)
            return False
        self.show_problem(None)
        self.changed.emit()
        return True

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        if event.isAutoRepeat() and key not in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            return
        chosen: dict[int, Pressed] = {
            Qt.Key.Key_Left: "left",
            Qt.Key.Key_Right: "right",
            Qt.Key.Key_T: "tie",
        }
        if key in chosen:
            self.choose(chosen[key])
        elif key == Qt.Key.Key_N:
            self._step(1)
        elif key in (Qt.Key.Key_B, Qt.Key.Key_Backspace):
            self._step(-1)
        elif key == Qt.Key.Key_C:
            self.note.setFocus()
        elif key == Qt.Key.Key_Escape:
            self.setFocus()
        elif not scrolled(key, *self.views):
            super().keyPressEvent(event)

    def _lay_out(self) -> None:
        self.bar = QFrame(self)
        self.bar.setProperty("role", "card")
        inside = QVBoxLayout(self.bar)
        inside.setContentsMargins(14, 10, 14, 10)
        inside.addLayout(row(1, *self.buttons.values(), 1))
        inside.addLayout(row((self.note, 1), self.back, self.skip))
        sides = QHBoxLayout()
        sides.setSpacing(8)
        for view in self.views:
            sides.addWidget(view, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 8, 12, 12)
        layout.setSpacing(8)
        for part in (self.progress, self.problem, self.empty):
            layout.addWidget(part)
        layout.addLayout(sides, 1)
        layout.addWidget(self.bar)

    def _step(self, by: int, *_: object) -> None:
        if not self.store():
            return
        at = self.at + by
        if at >= len(self.round.pairs):
            at = self.round.first_open_pair()
        self.show_at(max(at, 0))
        self.setFocus()

    def _show_progress(self) -> None:
        text = self.tr("{at} of {all} · chosen: {done} · {name}")
        self.show_progress(text, len(self.round.pairs), self.round.chosen)

    def _on_drawn(self, name: str) -> None:
        pair = self.pair
        if pair is None or name not in pair.key:
            return
        for view, one in zip(self.views, pair.shown, strict=True):
            drawn = self._pictures.of(one)
            if drawn is not None:
                view.show_pictures(drawn)


def _pressed(pair: Pair, choice: Choice) -> Pressed:
    """Which button a choice was, with the sides as they are shown now."""
    if choice.preferred == "tie":
        return "tie"
    better = choice.first if choice.preferred == "first" else choice.second
    return "left" if trajectory_id(pair.shown[0]) == better.trajectory else "right"
