"""The rating room: one trajectory at a time, or two side by side, blind to model and truth."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QHideEvent, QKeyEvent, QShowEvent
from PySide6.QtWidgets import QButtonGroup, QFrame, QLineEdit, QPushButton, QStackedWidget, QWidget

from agent.errors import WorkbenchError
from agent.ratings.records import MAX_NOTE, Choice, Rating, trajectory_id
from agent.ratings.rubric import CRITERIA, HIGHEST, LOWEST
from agent.trajectory.trajectory import Trajectory
from app.ui.base.background.runner import Runner
from app.ui.base.theme.theme import CurrentTheme
from app.ui.base.translation.message_texts import translate_message
from app.ui.widgets.labels import button, column, row, short_label, with_key, wrapped_label
from train.review.rating_round import Pair, Pressed, RatingRound
from train.review.window.inspection_view import TrajectoryPictures, TrajectoryView
from train.review.window.room import Room
from train.review.window.score_grid import ScoreGrid

HELP_PAGE = "rating"
SIZE = QSize(1200, 860)
Key = Qt.Key
PAGE = 0.85  # of the height on screen that a key scrolls
PAGES: Mapping[int, float] = {
    Key.Key_Down: 0.15, Key.Key_Space: PAGE, Key.Key_PageDown: PAGE, Key.Key_End: 1000.0,
    Key.Key_Up: -0.15, Key.Key_PageUp: -PAGE, Key.Key_Home: -1000.0,
}  # fmt: skip
CHOICES: Mapping[int, Pressed] = {Key.Key_Left: "left", Key.Key_Right: "right", Key.Key_T: "tie"}
PAGE_MARGINS, BAR_MARGINS = (12, 8, 12, 12), (14, 10, 14, 10)


class RatingRoom(Room):
    """Rating, pairwise choices and the figures, in a window of its own."""

    def __init__(
        self, rating_round: RatingRound, runner: Runner, current_theme: CurrentTheme
    ) -> None:
        super().__init__(HELP_PAGE, SIZE)
        self.setWindowTitle(self.tr("Rating room"))
        self.setMinimumSize(720, 480)
        self.round, self._current_theme = rating_round, current_theme
        self.pictures = TrajectoryPictures(rating_round.spectra.of, runner, self)
        self._stack = QStackedWidget(self)
        self.rating = RatingPage(rating_round, self.pictures, self._stack)
        self._pages: dict[str, QWidget] = {"rate": self.rating}
        self._stack.addWidget(self.rating)
        self.tabs: dict[str, QPushButton] = {
            "rate": button(self.tr("Rate"), "page"),
            "pairs": button(self.tr("Compare in pairs"), "page"),
            "figures": button(self.tr("Figures (names the models)"), "page"),
        }
        bar, group = QFrame(self), QButtonGroup(self)
        bar.setProperty("role", "bar")
        for at, (name, each) in enumerate(self.tabs.items(), 1):
            each.setCheckable(True)
            each.clicked.connect(partial(self.show_page, name))
            group.addButton(each)
            self.add_key(f"Ctrl+{at}", partial(self.show_page, name))
        row(*self.tabs.values(), 1, margins=(12, 6, 12, 6), parent=bar)
        column(bar, (self._stack, 1), spacing=0, parent=self)
        self.show_page("rate")

    def show_page(self, name: str, *_: object) -> None:
        page = self._pages.get(name)
        if page is None:
            page = self._pages[name] = self._make(name)
            self._stack.addWidget(page)
        self._stack.setCurrentWidget(page)
        self.tabs[name].setChecked(True)
        page.setFocus()

    @property
    def page(self) -> QWidget:
        found = self._stack.currentWidget()
        assert found is not None
        return found

    def _make(self, name: str) -> QWidget:
        if name == "pairs":
            return PairsPage(self.round, self.pictures, self._stack)
        from train.review.window.figures_page import FiguresPage  # pyqtgraph is not needed before

        return FiguresPage(self.round, self._current_theme, self._stack)


class RoundPage(QWidget):
    """Walks through what a person judges; an item is what is shown at a time, from the left."""

    views: tuple[TrajectoryView, ...]

    def __init__(
        self,
        rating_round: RatingRound,
        pictures: TrajectoryPictures,
        items: Sequence[tuple[Trajectory, ...]],
        first_open: Callable[[], int],
        parent: QWidget | None,
    ) -> None:
        super().__init__(parent)
        self.round, self._pictures = rating_round, pictures
        self.items, self._first_open = items, first_open
        self.at = 0
        self.progress = short_label("", "dim")
        self.problem = wrapped_label("", "warning")
        self.problem.hide()
        self.note = QLineEdit(self, maxLength=MAX_NOTE)
        self.note.setPlaceholderText(self.tr("Note (C)"))
        self.note.setAccessibleName(self.tr("Note"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        pictures.drawn.connect(self._on_drawn)

    def show_first(self) -> None:
        """Show the first item that is not judged."""
        self.show_at(self._first_open())

    def show_at(self, at: int) -> None:
        self.at = at
        for view, one in zip(self.views, self.items[at], strict=True):
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
        self.show_at(max(at, 0) if at < len(self.items) else self._first_open())
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
            ahead = self.items[self.at : self.at + 2]
            self._pictures.request(*(one for item in ahead for one in item))

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
        for name, value in {"at": self.at + 1, "all": len(self.items), "done": done}.items():
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
        shown = self.items[self.at] if self.items else ()
        for view, one in zip(self.views, shown, strict=False):
            drawn = self._pictures.of(one)
            if drawn is not None and name == trajectory_id(one):
                view.show_pictures(drawn)


class RatingPage(RoundPage):
    def __init__(
        self, rating_round: RatingRound, pictures: TrajectoryPictures, parent: QWidget | None = None
    ) -> None:
        items = [(one,) for one in rating_round.trajectories]
        super().__init__(rating_round, pictures, items, rating_round.first_unrated, parent)
        self.view = TrajectoryView(self)
        self.views = (self.view,)
        self.bar = ScoreBar(self.note, self)
        parts = (self.progress, self.problem, (self.view, 1), self.bar)
        column(*parts, margins=PAGE_MARGINS, parent=self)
        self.bar.changed.connect(self.store)
        self.bar.next.clicked.connect(partial(self.step, 1))
        self.bar.previous.clicked.connect(partial(self.step, -1))
        self.show_first()

    @property
    def trajectory(self) -> Trajectory:
        return self.round.trajectories[self.at]

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

    changed = Signal()  # a score was given, or the note is written

    def __init__(self, note: QLineEdit, parent: QWidget) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self.grid, self.note = ScoreGrid(self), note
        self.previous = button(with_key(self.tr("Back"), "←"))
        self.next = button(with_key(self.tr("Next"), self.tr("Enter")), "primary")
        buttons = row((self.note, 1), self.previous, self.next)
        column(self.grid, buttons, spacing=6, margins=BAR_MARGINS, parent=self)
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
        items = [pair.shown for pair in rating_round.pairs]
        super().__init__(rating_round, pictures, items, rating_round.first_open_pair, parent)
        self.views = TrajectoryView(self), TrajectoryView(self)
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
        self.bar = QFrame(self)
        self.bar.setProperty("role", "card")
        choices = row(1, *self.buttons.values(), 1)
        ways = row((self.note, 1), self.back, self.skip)
        column(choices, ways, spacing=None, margins=BAR_MARGINS, parent=self.bar)
        sides = row(*((view, 1) for view in self.views))
        parts = (self.progress, self.problem, self.empty, (sides, 1), self.bar)
        column(*parts, margins=PAGE_MARGINS, parent=self)
        for pressed, each in self.buttons.items():
            each.setCheckable(True)
            each.clicked.connect(partial(self.choose, pressed))
        self.back.clicked.connect(partial(self.step, -1))
        self.skip.clicked.connect(partial(self.step, 1))
        self.note.returnPressed.connect(self.setFocus)
        for part in (*self.views, self.bar, self.progress):
            part.setVisible(bool(items))
        self.empty.setVisible(not items)
        if items:
            self.show_first()

    @property
    def pair(self) -> Pair | None:
        return self.round.pairs[self.at] if self.round.pairs else None

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
        if key in CHOICES:
            self.choose(CHOICES[key])
        elif key == Key.Key_Backspace:
            self.step(-1)
        return key in CHOICES or key == Key.Key_Backspace

    def step(self, by: int, *_: object) -> None:
        if self.items:
            super().step(by)

    def _choose(self, pair: Pair, pressed: Pressed) -> bool:
        return self.give(partial(self.round.choose, pair, pressed, self.note.text().strip()))


def _pressed(pair: Pair, choice: Choice) -> Pressed:
    """Which button a choice was, with the sides as they are shown now."""
    if choice.preferred == "tie":
        return "tie"
    better = choice.first if choice.preferred == "first" else choice.second
    return "left" if trajectory_id(pair.shown[0]) == better.trajectory else "right"
