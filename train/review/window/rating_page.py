"""Rating: one trajectory at a time, in this person's order, blind to model and truth."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QLineEdit, QVBoxLayout, QWidget

from agent.errors import WorkbenchError
from agent.ratings.records import MAX_NOTE, Rating, trajectory_id
from agent.ratings.rubric import CRITERIA, HIGHEST, LOWEST
from agent.trajectory.trajectory import Trajectory
from app.ui.agent.score_grid import ScoreGrid
from app.ui.widgets.labels import button, row, with_key
from train.review.rating_round import RatingRound
from train.review.window.inspection_view import TrajectoryView
from train.review.window.round_page import RoundPage, scrolled
from train.review.window.trajectory_pictures import TrajectoryPictures


class RatingPage(RoundPage):
    def __init__(
        self, rating_round: RatingRound, pictures: TrajectoryPictures, parent: QWidget | None = None
    ) -> None:
        super().__init__(rating_round, pictures, parent)
        self.view = TrajectoryView(self)
        self.bar = ScoreBar(self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 8, 12, 12)
        layout.setSpacing(8)
        for part in (self.progress, self.problem):
            layout.addWidget(part)
        layout.addWidget(self.view, 1)
        layout.addWidget(self.bar)
        self.bar.changed.connect(self.store)
        self.bar.next_requested.connect(self.go_on)
        self.bar.previous_requested.connect(self.go_back)
        pictures.drawn.connect(self._on_drawn)
        self.show_at(rating_round.first_unrated())

    @property
    def trajectory(self) -> Trajectory:
        return self.round.trajectories[self.at]

    def show_at(self, at: int) -> None:
        self.at = at
        self.view.show_trajectory(self.trajectory, self._pictures.of(self.trajectory))
        self.bar.show_rating(self.round.rating_of(self.trajectory))
        self._show_progress()
        self.request_pictures()

    def coming(self) -> Sequence[Trajectory]:
        return self.round.trajectories[self.at : self.at + 2]

    def go_on(self) -> None:
        """Go to the next trajectory; after the last one to the first that is not rated."""
        if not self.store():
            return
        last = len(self.round.trajectories) - 1
        self.show_at(self.at + 1 if self.at < last else self.round.first_unrated())
        self.setFocus()

    def go_back(self) -> None:
        if self.store():
            self.show_at(max(self.at - 1, 0))
            self.setFocus()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, typed = event.key(), event.text()
        is_digit = len(typed) == 1 and typed.isascii() and typed.isdigit()
        if event.isAutoRepeat() and key not in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            return  # a held key is one press
        if is_digit and LOWEST <= int(typed) <= HIGHEST:
            self.bar.grid.press(int(typed))
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if self.bar.grid.is_complete:
                self.go_on()
        elif key in (Qt.Key.Key_Right, Qt.Key.Key_N):
            self.go_on()
        elif key in (Qt.Key.Key_Left, Qt.Key.Key_B):
            self.go_back()
        elif key == Qt.Key.Key_Tab:
            self.bar.grid.switch()
        elif key == Qt.Key.Key_C:
            self.bar.note.setFocus()
        elif key == Qt.Key.Key_Escape:
            self.setFocus()
        elif not scrolled(key, self.view):
            super().keyPressEvent(event)

    def focusNextPrevChild(self, is_next: bool) -> bool:
        """Tab switches between the criteria."""
        if self.hasFocus():
            self.bar.grid.switch()
            return True
        return super().focusNextPrevChild(is_next)

    def store(self) -> bool:
        """Save as soon as both scores are there, and again when one or the note changes."""
        scores, note = self.bar.grid.scores, self.bar.note.text().strip()
        coherence, consistency = scores["coherence"], scores["consistency"]
        if coherence is None or consistency is None:
            return True  # half a rating is none
        before = self.round.rating_of(self.trajectory)
        given = coherence, consistency, note
        if before is not None and (before.coherence, before.consistency, before.note) == given:
            return True
        try:
            self.round.rate(self.trajectory, *given)
        except WorkbenchError as error:
            self.show_problem(error)
            return False
        self.show_problem(None)
        self._show_progress()
        self.changed.emit()
        return True

    def _show_progress(self) -> None:
        text = self.tr("{at} of {all} · rated: {done} · {name}")
        self.show_progress(text, len(self.round.trajectories), self.round.rated)

    def _on_drawn(self, name: str) -> None:
        drawn = self._pictures.of(self.trajectory)
        if drawn is not None and name == trajectory_id(self.trajectory):
            self.view.show_pictures(drawn)


class ScoreBar(QFrame):
    changed = Signal()
    """A score was given, or the note is written."""
    next_requested = Signal()
    previous_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self.grid = ScoreGrid(self)
        self.note = QLineEdit(maxLength=MAX_NOTE)
        self.note.setPlaceholderText(self.tr("Note (C)"))
        self.note.setAccessibleName(self.tr("Note"))
        self.previous = button(with_key(self.tr("Back"), "←"))
        self.next = button(with_key(self.tr("Next"), self.tr("Enter")), "primary")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(14, 10, 14, 10)
        layout.setSpacing(6)
        layout.addWidget(self.grid)
        layout.addLayout(row((self.note, 1), self.previous, self.next))
        self.previous.clicked.connect(self.previous_requested)
        self.next.clicked.connect(self.next_requested)
        self.note.returnPressed.connect(self.leave_note)
        self.grid.changed.connect(self._on_scored)
        self.show_rating(None)

    def show_rating(self, rating: Rating | None) -> None:
        """Show what was given before, or an empty bar."""
        scores = {name: None if rating is None else getattr(rating, name) for name in CRITERIA}
        self.grid.show_scores(scores)
        self.note.setText("" if rating is None else rating.note)
        self.next.setEnabled(self.grid.is_complete)

    def leave_note(self) -> None:
        """Give the keys back; the note is stored with the scores."""
        parent = self.parentWidget()
        if parent is not None:
            parent.setFocus()
        self.changed.emit()

    def _on_scored(self) -> None:
        self.next.setEnabled(self.grid.is_complete)
        self.changed.emit()
