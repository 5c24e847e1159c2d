"""The rating room: rating, pairwise choices and the figures, in a window of its own."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QSize
from PySide6.QtWidgets import (
    QButtonGroup,
    QFrame,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from app.ui.base.background.runner import Runner
from app.ui.base.theme.theme import CurrentTheme
from app.ui.widgets.labels import button, row
from train.review.rating_round import RatingRound
from train.review.window.inspection_view import TrajectoryPictures
from train.review.window.room import Room
from train.review.window.round_pages import PairsPage, RatingPage

HELP_PAGE = "rating"
SIZE = QSize(1200, 860)


class RatingRoom(Room):
    def __init__(
        self,
        rating_round: RatingRound,
        runner: Runner,
        current_theme: CurrentTheme,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(HELP_PAGE, SIZE, parent=parent)
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
        self._lay_out()
        for at, name in enumerate(self.tabs, 1):
            self.add_key(f"Ctrl+{at}", partial(self.show_page, name))
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

    def _lay_out(self) -> None:
        bar, group = QFrame(self), QButtonGroup(self)
        bar.setProperty("role", "bar")
        for name, each in self.tabs.items():
            each.setCheckable(True)
            each.clicked.connect(partial(self.show_page, name))
            group.addButton(each)
        line = row(*self.tabs.values(), 1)
        line.setContentsMargins(12, 6, 12, 6)
        bar.setLayout(line)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(bar)
        layout.addWidget(self._stack, 1)
