"""Rating: one trajectory at a time, in this person's order, blind to model and truth."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from agent.errors import WorkbenchError
from agent.ratings.desk import RatingDesk
from agent.ratings.records import trajectory_id
from agent.ratings.rubric import HIGHEST, LOWEST
from agent.trajectory.trajectory import Trajectory
from app.ui.rating.score_bar import ScoreBar
from app.ui.trajectory.trajectory_pictures import TrajectoryPictures
from app.ui.trajectory.trajectory_view import TrajectoryView
from app.ui.translation.message_texts import translate_message
from app.ui.widgets.labels import short_label, wrapped_label

PAGE = 0.85
"""Of the height on screen that a key scrolls."""


class RatingPage(QWidget):
    changed = Signal()
    """Something was rated."""

    def __init__(
        self, desk: RatingDesk, pictures: TrajectoryPictures, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.desk, self._pictures = desk, pictures
        self.at = desk.first_unrated()
        self.progress = short_label("", "dim")
        self.problem = wrapped_label("", "warning")
        self.problem.hide()
        self.view = TrajectoryView(self)
        self.bar = ScoreBar(self)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 8, 12, 12)
        layout.setSpacing(8)
        for part in (self.progress, self.problem):
            layout.addWidget(part)
        layout.addWidget(self.view, 1)
        layout.addWidget(self.bar)
        self.bar.changed.connect(self._store)
        self.bar.next_requested.connect(self.go_on)
        self.bar.previous_requested.connect(self.go_back)
        pictures.drawn.connect(self._on_drawn)
        self.show_at(self.at)

    @property
    def trajectory(self) -> Trajectory:
        return self.desk.trajectories[self.at]

    def show_at(self, at: int) -> None:
        self.at = at
        self.view.show_trajectory(self.trajectory, self._pictures.of(self.trajectory))
        self.bar.show_rating(self.desk.rating_of(self.trajectory))
        self._show_progress()
        self._request()

    def go_on(self) -> None:
        """Go to the next trajectory; after the last one to the first that is not rated."""
        last = len(self.desk.trajectories) - 1
        self.show_at(self.at + 1 if self.at < last else self.desk.first_unrated())
        self.setFocus()

    def go_back(self) -> None:
        self.show_at(max(self.at - 1, 0))
        self.setFocus()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._request()
        self.setFocus()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, typed = event.key(), event.text()
        is_digit = len(typed) == 1 and typed.isascii() and typed.isdigit()
        if event.isAutoRepeat() and key not in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            return  # a held key is one press
        if is_digit and LOWEST <= int(typed) <= HIGHEST:
            self.bar.press(int(typed))
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if self.bar.is_complete:
                self.go_on()
        elif key in (Qt.Key.Key_Right, Qt.Key.Key_N):
            self.go_on()
        elif key in (Qt.Key.Key_Left, Qt.Key.Key_B):
            self.go_back()
        elif key == Qt.Key.Key_Tab:
            self.bar.switch()
        elif key == Qt.Key.Key_C:
            self.bar.note.setFocus()
        elif key == Qt.Key.Key_Escape:
            self.setFocus()
        elif not scrolled(self.view, key):
            super().keyPressEvent(event)

    def focusNextPrevChild(self, is_next: bool) -> bool:
        """Tab switches between the criteria."""
        if self.hasFocus():
            self.bar.switch()
            return True
        return super().focusNextPrevChild(is_next)

    def _store(self) -> None:
        """Save as soon as both scores are there, and again when one or the note changes."""
        if not self.bar.is_complete:
            return
        scores, note = self.bar.scores, self.bar.note.text().strip()
        before = self.desk.rating_of(self.trajectory)
        coherence, consistency = scores["coherence"], scores["consistency"]
        assert coherence is not None and consistency is not None
        if before is not None and (before.coherence, before.consistency, before.note) == (
            coherence,
            consistency,
            note,
        ):
            return
        try:
            self.desk.rate(self.trajectory, coherence, consistency, note)
        except WorkbenchError as error:
            self.problem.setText(translate_message(str(error)))
            self.problem.show()
            return
        self.problem.hide()
        self._show_progress()
        self.changed.emit()

    def _show_progress(self) -> None:
        text = self.tr("{at} of {all} · rated: {rated} · {name}")
        counts = {"at": self.at + 1, "all": len(self.desk.trajectories), "rated": self.desk.rated}
        for name, count in counts.items():
            text = text.replace(f"{{{name}}}", f"{count:,}")
        self.progress.setText(text.replace("{name}", self.desk.by))

    def _request(self) -> None:
        """Draw this one, then the one that follows."""
        if self.isVisible():
            self._pictures.request(*self.desk.trajectories[self.at : self.at + 2])

    def _on_drawn(self, name: str) -> None:
        drawn = self._pictures.of(self.trajectory)
        if drawn is not None and name == trajectory_id(self.trajectory):
            self.view.show_pictures(drawn)


def scrolled(view: TrajectoryView, key: int) -> bool:
    """Scroll by a key; whether it was one that scrolls."""
    pages = {
        Qt.Key.Key_Down: 0.15,
        Qt.Key.Key_Up: -0.15,
        Qt.Key.Key_Space: PAGE,
        Qt.Key.Key_PageDown: PAGE,
        Qt.Key.Key_PageUp: -PAGE,
        Qt.Key.Key_Home: -1000.0,
        Qt.Key.Key_End: 1000.0,
    }
    found = {int(each): step for each, step in pages.items()}.get(int(key))
    if found is not None:
        view.scroll_page(found)
    return found is not None
