"""The agent's steps one below the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QImage, QResizeEvent
from PySide6.QtWidgets import QScrollArea, QWidget

from app.ui.agent.card import StepCard
from app.ui.agent.card_content import CardContent
from app.ui.theme.theme import CurrentTheme

BETWEEN = 6
NEAR_END = 24
"""Pixels within which one is reading the newest."""


class Timeline(QScrollArea):
    """Cards are kept and take new contents: a candidate's change costs no widget."""

    chosen = Signal(int)
    enlarged = Signal(int)
    wants_to_go_on = Signal(int)

    def __init__(self, current_theme: CurrentTheme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._current_theme = current_theme
        self._cards: list[StepCard] = []
        self._count = 0
        self._column = QWidget()
        self.setWidget(self._column)
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(self.tr("Steps of the agent"))
        current_theme.changed.connect(self._restyle)

    @property
    def cards(self) -> tuple[StepCard, ...]:
        """Those that show something."""
        return tuple(self._cards[: self._count])

    def show_cards(self, contents: Sequence[CardContent], *, follow: bool = False) -> None:
        """`follow`: stay at the end where the reader is there."""
        bar = self.verticalScrollBar()
        was_at_end = bar.value() >= bar.maximum() - NEAR_END
        if not contents and not self._count:
            return
        while len(self._cards) < len(contents):
            self._cards.append(self._made())
        for card, content in zip(self._cards, contents, strict=False):
            card.show_content(content)
            card.show()
        for card in self._cards[len(contents) : self._count]:
            card.hide()
        is_longer, self._count = len(contents) >= self._count, len(contents)
        self._place()
        if follow and was_at_end and is_longer:
            bar.setValue(bar.maximum())
        elif not follow:
            bar.setValue(0)

    def card_of(self, place: int) -> StepCard | None:
        """That of a step."""
        for card in self.cards:
            if card.content is not None and card.content.place == place:
                return card
        return None

    def mark(self, place: int, *, may_go_on: bool = False) -> None:
        """The step at which the plot looks."""
        for card in self.cards:
            is_it = card.content is not None and card.content.place == place >= 0
            card.set_current(is_it)
            card.set_may_go_on(is_it and may_go_on)
            if is_it:
                self.ensureWidgetVisible(card, 0, BETWEEN)

    def show_pictures(self, pictures: Mapping[str, QImage]) -> None:
        """By hash; those not drawn yet stay empty."""
        for card in self.cards:
            content = card.content
            if content is not None and content.picture in pictures and not card.has_picture:
                card.set_picture(pictures[content.picture])

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    def _made(self) -> StepCard:
        card = StepCard(self._current_theme, self._column)
        card.chosen.connect(self.chosen)
        card.enlarged.connect(self.enlarged)
        card.wants_to_go_on.connect(self.wants_to_go_on)
        card.grown.connect(self._place)
        return card

    def _place(self) -> None:
        width, y = self.viewport().width(), 0
        for card in self.cards:
            height = card.height_for(width)
            card.setGeometry(0, y, width, height)
            y += height + BETWEEN
        self._column.resize(width, max(y - BETWEEN, 0))

    def _restyle(self) -> None:
        for card in self._cards:
            card.restyle()
        self._place()
