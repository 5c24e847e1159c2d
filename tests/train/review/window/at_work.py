"""A person in a curation room: sends keys and clicks, and waits for what they cause."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from app.ui.base.background.runner import Runner
from app.ui.base.theme.theme import CurrentTheme
from tests.train.review.helpers import give
from train.review.pool import Pool, open_pool
from train.review.review_rules import Case
from train.review.window.pool_room import PoolRoom

CTRL = Qt.KeyboardModifier.ControlModifier
LEFT = Qt.MouseButton.LeftButton


class Reviewer:
    def __init__(self, qtbot, room: PoolRoom) -> None:
        self.qtbot, self.room = qtbot, room

    def wait(self, condition) -> None:
        self.qtbot.waitUntil(condition)

    def press(self, key: str | Qt.Key, held=Qt.KeyboardModifier.NoModifier) -> None:
        QTest.keyClick(self.target, key, held)

    def type(self, text: str) -> None:
        QTest.keyClicks(self.target, text)

    @property
    def target(self) -> QWidget:
        """Where a person's keys go."""
        if QApplication.activeWindow() is not self.room:
            self.room.activateWindow()
            self.wait(self.room.isActiveWindow)
        return self.room.focusWidget() or self.room

    def click(self, widget) -> None:
        self.qtbot.mouseClick(widget, LEFT)

    def sees(self, number: str) -> None:
        """Wait until this draft is on the screen."""
        self.wait(lambda: self.room.draft is not None and self.room.draft.case.id == number)

    def drawn(self) -> None:
        """Wait until every picture is there."""
        self.wait(
            lambda: all(
                card.look is None or card.look.picture.isVisible() or card.look.error.text()
                for card in self.room.view.cards
            )
        )

    def act(self, key: str, held=Qt.KeyboardModifier.NoModifier) -> Case:
        """Press a key, and wait until a review of the draft is on the disk."""
        with self.qtbot.waitSignal(self.room.access.reviewed) as written:
            self.press(key, held)
        return written.args[0]


@contextmanager
def at_work(qtbot, pool: Pool, by: str) -> Iterator[Reviewer]:
    """The room with its first draft, as this person sees it."""
    runner = Runner()
    room = PoolRoom(open_pool(pool.place), by, runner, CurrentTheme())
    qtbot.addWidget(room)
    room.show()
    room.activateWindow()
    qtbot.waitUntil(room.isActiveWindow)
    reviewer = Reviewer(qtbot, room)
    reviewer.wait(lambda: room.draft is not None)
    try:
        yield reviewer
    finally:
        room.close()
        runner.close()


def log_of(pool: Pool) -> list[tuple[object, ...]]:
    """The reviews as they are on the disk."""
    return [
        (each.role, each.by, each.approve, each.changes, each.note)
        for each in open_pool(pool.place).store.reviews()
    ]


def one_vote_each_way(pool: Pool, number: str) -> None:
    """Revised by Ben, audited by Cy and Di; Ben has voted for it and Cy against it."""
    for by, role in (("Ben", "screener"), ("Ben", "reviser"), ("Cy", "auditor"), ("Di", "auditor")):
        give(pool, number, by, role)
    give(pool, number, "Ben", "voter")
    give(pool, number, "Cy", "voter", approve=False)
