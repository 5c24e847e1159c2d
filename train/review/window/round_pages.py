"""Rating: one trajectory at a time, or two side by side, blind to model and truth."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QHideEvent, QKeyEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLineEdit, QPushButton, QVBoxLayout, QWidget

from agent.errors import WorkbenchError
from agent.ratings.records import MAX_NOTE, Choice, Rating, trajectory_id
from agent.ratings.rubric import CRITERIA, HIGHEST, LOWEST
from agent.trajectory.trajectory import Trajectory
from app.ui.base.translation.message_texts import translate_message
from app.ui.judge.agent.score_grid import ScoreGrid
from app.ui.widgets.labels import button, row, short_label, with_key, wrapped_label
from train.review.rating_round import Pair, Pressed, RatingRound
from train.review.window.inspection_view import TrajectoryPictures, TrajectoryView

Key = Qt.Key
PAGE = 0.85
"""Of the height on screen that a key scrolls."""
PAGES: Mapping[int, float] = {
    Key.Key_Down: 0.15,
    Key.Key_Up: -0.15,
    Key.Key_Space: PAGE,
    Key.Key_PageDown: PAGE,
    Key.Key_PageUp: -PAGE,
    Key.Key_Home: -1000.0,
    Key.Key_End: 1000.0,
}


class RoundPage(QWidget):
    """Walks through what a person judges, item by item."""

    def __init__(
        self,
        rating_round: RatingRound,
        pictures: TrajectoryPictures,
        view_count: int,
        parent: QWidget | None,
    ) -> None:
        super().__init__(parent)
        self.round, self._pictures = rating_round, pictures
        self.at = 0
        self.views = tuple(TrajectoryView(self) for _ in range(view_count))
        self.progress = short_label("", "dim")
        self.problem = wrapped_label("", "warning")
        self.problem.hide()
        self.note = QLineEdit(self, maxLength=MAX_NOTE)
        self.note.setPlaceholderText(self.tr("Note (C)"))
        self.note.setAccessibleName(self.tr("Note"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        pictures.drawn.connect(self._on_drawn)

    @property
    def count(self) -> int:
        raise NotImplementedError

    def trajectories_at(self, at: int) -> Sequence[Trajectory]:
        """What is shown of this item, from the left."""
        raise NotImplementedError

    def first_open(self) -> int:
        """The first item that is not judged."""
        raise NotImplementedError

    def show_at(self, at: int) -> None:
        self.at = at
        for view, one in zip(self.views, self.trajectories_at(at), strict=True):
            view.show_trajectory(one, self._pictures.of(one))
        self.show_judged()
        self.request_pictures()

    def show_judged(self) -> None:
        """Show what was given before, and how many are done."""
        raise NotImplementedError

    def store(self) -> bool:
        """Save what is on the screen; whether nothing of it can be lost."""
        raise NotImplementedError

    def step(self, by: int, *_: object) -> None:
        """Go on or back; after the last one to the first that is not judged."""
        if not self.store():
            return
        at = self.at + by
        self.show_at(max(at, 0) if at < self.count else self.first_open())
        self.setFocus()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.request_pictures()
        self.setFocus()

    def hideEvent(self, event: QHideEvent) -> None:
        self.store()
        super().hideEvent(event)

    def request_pictures(self) -> None:
        """Of what is on the screen, and of what follows ahead of time."""
        if self.isVisible():
            ahead = range(self.at, min(self.at + 2, self.count))
            self._pictures.request(*(one for at in ahead for one in self.trajectories_at(at)))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        if event.isAutoRepeat() and key not in (Key.Key_Up, Key.Key_Down):
            return  # a held key is one press
        if self.took(key, event.text()):
            return
        if key in (Key.Key_N, Key.Key_B):
            self.step(1 if key == Key.Key_N else -1)
        elif key == Key.Key_C:
            self.note.setFocus()
        elif key == Key.Key_Escape:
            self.setFocus()
        elif key in PAGES:
            for view in self.views:
                view.scroll_page(PAGES[key])
        else:
            super().keyPressEvent(event)

    def took(self, key: int, typed: str) -> bool:
        """Whether it is a key of this page alone."""
        raise NotImplementedError

    def show_progress(self, text: str, done: int) -> None:
        """`text` has places for where one is, how many there are, how many are done, and who."""
        for name, value in {"at": self.at + 1, "all": self.count, "done": done}.items():
            text = text.replace(f"{{{name}}}", f"{value:,}")
        self.progress.setText(text.replace("{name}", self.round.by))

    def give(self, work: Callable[[], object]) -> bool:
        """Store what was given, or say why that failed."""
        try:
            work()
        except WorkbenchError as error:
            self.problem.setText(translate_message(str(error)))
            self.problem.show()
            return False
        self.problem.hide()
        return True

    def _on_drawn(self, name: str) -> None:
        shown = self.trajectories_at(self.at) if self.count else ()
        for view, one in zip(self.views, shown, strict=False):
            drawn = self._pictures.of(one)
            if drawn is not None and name == trajectory_id(one):
                view.show_pictures(drawn)


class RatingPage(RoundPage):
    def __init__(
        self, rating_round: RatingRound, pictures: TrajectoryPictures, parent: QWidget | None = None
    ) -> None:
        super().__init__(rating_round, pictures, 1, parent)
        (self.view,) = self.views
        self.bar = ScoreBar(self.note, self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 8, 12, 12)
        layout.setSpacing(8)
        for part in (self.progress, self.problem):
            layout.addWidget(part)
        layout.addWidget(self.view, 1)
        layout.addWidget(self.bar)
        self.bar.changed.connect(self.store)
        self.bar.next.clicked.connect(partial(self.step, 1))
        self.bar.previous.clicked.connect(partial(self.step, -1))
        self.show_at(self.first_open())

    @property
    def count(self) -> int:
        return len(self.round.trajectories)

    @property
    def trajectory(self) -> Trajectory:
        return self.round.trajectories[self.at]

    def trajectories_at(self, at: int) -> Sequence[Trajectory]:
        return (self.round.trajectories[at],)

    def first_open(self) -> int:
        return self.round.first_unrated()

    def show_judged(self) -> None:
        self.bar.show_rating(self.round.rating_of(self.trajectory))
        self._show_progress()

    def took(self, key: int, typed: str) -> bool:
        is_digit = len(typed) == 1 and typed.isascii() and typed.isdigit()
        if is_digit and LOWEST <= int(typed) <= HIGHEST:
            self.bar.grid.press(int(typed))
        elif key in (Key.Key_Return, Key.Key_Enter):
            if self.bar.grid.is_complete:
                self.step(1)
        elif key in (Key.Key_Right, Key.Key_Left):
            self.step(1 if key == Key.Key_Right else -1)
        elif key == Key.Key_Tab:
            self.bar.grid.switch()
        else:
            return False
        return True

    def focusNextPrevChild(self, is_next: bool) -> bool:
        """Tab switches between the criteria."""
        if self.hasFocus():
            self.bar.grid.switch()
            return True
        return super().focusNextPrevChild(is_next)

    def store(self) -> bool:
        """Save as soon as both scores are there, and again when one or the note changes."""
        scores, note = self.bar.grid.scores, self.note.text().strip()
        coherence, consistency = scores["coherence"], scores["consistency"]
        if coherence is None or consistency is None:
            return True  # half a rating is none
        before = self.round.rating_of(self.trajectory)
        given = coherence, consistency, note
        if before is not None and (before.coherence, before.consistency, before.note) == given:
            return True
        is_stored = self.give(partial(self.round.rate, self.trajectory, *given))
        self._show_progress()
        return is_stored

    def _show_progress(self) -> None:
        text = self.tr("{at} of {all} · rated: {done} · {name}")
        self.show_progress(text, self.round.rated)


class ScoreBar(QFrame):
    """The bar below a trajectory: the scores, a note, and the way on."""

    changed = Signal()
    """A score was given, or the note is written."""

    def __init__(self, note: QLineEdit, parent: QWidget) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self.grid, self.note = ScoreGrid(self), note
        self.previous = button(with_key(self.tr("Back"), "←"))
        self.next = button(with_key(self.tr("Next"), self.tr("Enter")), "primary")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(14, 10, 14, 10)
        layout.setSpacing(6)
        layout.addWidget(self.grid)
        layout.addLayout(row((self.note, 1), self.previous, self.next))
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


class PairsPage(RoundPage):
    """Two trajectories of one spectrum; which is better?"""

    def __init__(
        self, rating_round: RatingRound, pictures: TrajectoryPictures, parent: QWidget | None = None
    ) -> None:
        super().__init__(rating_round, pictures, 2, parent)
        self.empty = wrapped_label(
            self.tr(
                "There is nothing to compare: no spectrum has inspections by two models in "
                "these files."
            ),
            "dim",
        )
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
        self.back.clicked.connect(partial(self.step, -1))
        self.skip.clicked.connect(partial(self.step, 1))
        self.note.returnPressed.connect(self.setFocus)
        for part in (*self.views, self.bar, self.progress):
            part.setVisible(bool(self.count))
        self.empty.setVisible(not self.count)
        if self.count:
            self.show_at(self.first_open())

    @property
    def count(self) -> int:
        return len(self.round.pairs)

    @property
    def pair(self) -> Pair | None:
        return self.round.pairs[self.at] if self.round.pairs else None

    def trajectories_at(self, at: int) -> Sequence[Trajectory]:
        return self.round.pairs[at].shown

    def first_open(self) -> int:
        return self.round.first_open_pair()

    def show_judged(self) -> None:
        pair = self.round.pairs[self.at]
        choice = self.round.choice_of(pair)
        self.note.setText("" if choice is None else choice.note)
        for pressed, each in self.buttons.items():
            each.setChecked(choice is not None and pressed == _pressed(pair, choice))
        self.show_progress(self.tr("{at} of {all} · chosen: {done} · {name}"), self.round.chosen)

    def choose(self, pressed: Pressed, *_: object) -> None:
        """Store the choice and go to the next pair."""
        pair = self.pair
        if pair is not None and self._choose(pair, pressed):
            self.step(1)

    def store(self) -> bool:
        """Save a note that was changed after the choice."""
        pair = self.pair
        choice = None if pair is None else self.round.choice_of(pair)
        if pair is None or choice is None or choice.note == self.note.text().strip():
            return True
        return self._choose(pair, _pressed(pair, choice))

    def took(self, key: int, typed: str) -> bool:
        chosen: dict[int, Pressed] = {
            Key.Key_Left: "left",
            Key.Key_Right: "right",
            Key.Key_T: "tie",
        }
        if key in chosen:
            self.choose(chosen[key])
        elif key == Key.Key_Backspace:
            self.step(-1)
        return key in chosen or key == Key.Key_Backspace

    def step(self, by: int, *_: object) -> None:
        if self.count:
            super().step(by)

    def _choose(self, pair: Pair, pressed: Pressed) -> bool:
        return self.give(partial(self.round.choose, pair, pressed, self.note.text().strip()))

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


def _pressed(pair: Pair, choice: Choice) -> Pressed:
    """Which button a choice was, with the sides as they are shown now."""
    if choice.preferred == "tie":
        return "tie"
    better = choice.first if choice.preferred == "first" else choice.second
    return "left" if trajectory_id(pair.shown[0]) == better.trajectory else "right"
