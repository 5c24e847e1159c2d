"""The rating room: rating, pairwise choices and the figures, in a window of its own."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QCloseEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QButtonGroup,
    QFrame,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from agent.ratings.desk import RatingDesk
from app.ui.background.runner import Runner
from app.ui.rating.pairs_page import PairsPage
from app.ui.rating.rating_page import RatingPage
from app.ui.theme.theme import CurrentTheme
from app.ui.trajectory.trajectory_pictures import TrajectoryPictures
from app.ui.widgets.labels import button, row

HELP_PAGE = "rating"


class RatingWindow(QWidget):
    closed = Signal()
    help_requested = Signal(str)

    def __init__(
        self,
        desk: RatingDesk,
        runner: Runner,
        current_theme: CurrentTheme,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self.setWindowTitle(self.tr("Rating room"))
        self.setMinimumSize(720, 480)
        self.resize(QSize(1200, 860).boundedTo(self.screen().availableSize() - QSize(8, 40)))
        self.desk, self._current_theme = desk, current_theme
        self.pictures = TrajectoryPictures(desk.spectra.of, runner, self)
        self._stack = QStackedWidget(self)
        self.rating = RatingPage(desk, self.pictures, self._stack)
        self._pages: dict[str, QWidget] = {"rate": self.rating}
        self._stack.addWidget(self.rating)
        self.tabs: dict[str, QPushButton] = {
            "rate": button(self.tr("Rate"), "page"),
            "pairs": button(self.tr("Compare in pairs"), "page"),
            "figures": button(self.tr("Figures (names the models)"), "page"),
        }
        self._lay_out()
        for at, name in enumerate(self.tabs, 1):
            key = QShortcut(QKeySequence(f"Ctrl+{at}"), self)
            key.activated.connect(partial(self.show_page, name))
        QShortcut(QKeySequence("F1"), self).activated.connect(
            partial(self.help_requested.emit, HELP_PAGE)
        )
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

    def closeEvent(self, event: QCloseEvent) -> None:
        # Nothing to ask: every rating is saved already.
        super().closeEvent(event)
        self.closed.emit()

    def _make(self, name: str) -> QWidget:
        if name == "pairs":
            return PairsPage(self.desk, self.pictures, self._stack)
        from app.ui.rating.figures_page import FiguresPage  # pyqtgraph is not needed before

        return FiguresPage(self.desk, self._current_theme, self._stack)

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
