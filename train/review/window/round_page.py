"""What the pages of a round share: where one is in it, its pictures, and what went wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QWidget

from agent.errors import WorkbenchError
from agent.trajectory.trajectory import Trajectory
from app.ui.translation.message_texts import translate_message
from app.ui.widgets.labels import short_label, wrapped_label
from train.review.rating_round import RatingRound
from train.review.window.inspection_view import TrajectoryView
from train.review.window.trajectory_pictures import TrajectoryPictures

PAGE = 0.85
"""Of the height on screen that a key scrolls."""
PAGES: Mapping[int, float] = {
    Qt.Key.Key_Down: 0.15,
    Qt.Key.Key_Up: -0.15,
    Qt.Key.Key_Space: PAGE,
    Qt.Key.Key_PageDown: PAGE,
    Qt.Key.Key_PageUp: -PAGE,
    Qt.Key.Key_Home: -1000.0,
    Qt.Key.Key_End: 1000.0,
}


class RoundPage(QWidget):
    changed = Signal()
    """Something was given."""

    def __init__(
        self, rating_round: RatingRound, pictures: TrajectoryPictures, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.round, self._pictures = rating_round, pictures
        self.at = 0
        self.progress = short_label("", "dim")
        self.problem = wrapped_label("", "warning")
        self.problem.hide()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def coming(self) -> Sequence[Trajectory]:
        """What is on the screen, and what follows, whose pictures are drawn ahead of time."""
        raise NotImplementedError

    def store(self) -> bool:
        """Save what is on the screen; whether nothing of it can be lost."""
        raise NotImplementedError

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.request_pictures()
        self.setFocus()

    def hideEvent(self, event: QHideEvent) -> None:
        self.store()
        super().hideEvent(event)

    def request_pictures(self) -> None:
        if self.isVisible():
            self._pictures.request(*self.coming())

    def show_progress(self, text: str, count: int, done: int) -> None:
        """`text` has places for where one is, how many there are, how many are done, and who."""
        for name, value in {"at": self.at + 1, "all": count, "done": done}.items():
            text = text.replace(f"{{{name}}}", f"{value:,}")
        self.progress.setText(text.replace("{name}", self.round.by))

    def show_problem(self, error: WorkbenchError | None) -> None:
        self.problem.setText("" if error is None else translate_message(str(error)))
        self.problem.setVisible(error is not None)


def scrolled(key: int, *views: TrajectoryView) -> bool:
    """Scroll by a key; whether it was one that scrolls."""
    if key not in PAGES:
        return False
    for view in views:
        view.scroll_page(PAGES[key])
    return True
