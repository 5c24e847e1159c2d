"""The agent's steps as a scrolling list of cards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QImage, QResizeEvent
from PySide6.QtWidgets import QScrollArea, QWidget

from app.ui.base.theme.theme import CurrentTheme
from app.ui.judge.agent.card import StepCard
from app.ui.judge.agent.card_content import CardContent

SPACING = 6
NEAR_END = 24  # pixels from the end within which the list follows new steps


class Timeline(QScrollArea):
    """Reuses its card widgets, so that changing the candidate creates none."""

    chosen = Signal(int)
    enlarged = Signal(int)
    rerun_requested = Signal(int)

    def __init__(self, current_theme: CurrentTheme) -> None:
        super().__init__()
        self._current_theme = current_theme
        self._cards: list[StepCard] = []
        self._count = 0
        self._column = QWidget()
        self.setWidget(self._column)
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(self.tr("Agent steps"))
        current_theme.changed.connect(self._restyle)

    @property
    def cards(self) -> tuple[StepCard, ...]:
        return tuple(self._cards[: self._count])

    def show_cards(self, contents: Sequence[CardContent], *, follow: bool = False) -> None:
        """Show these steps; `follow` keeps the list at its end if it is there."""
        bar = self.verticalScrollBar()
        was_at_end = bar.value() >= bar.maximum() - NEAR_END
        if not contents and not self._count:
            return
        while len(self._cards) < len(contents):
            self._cards.append(self._new_card())
        for card, content in zip(self._cards, contents, strict=False):
            card.show_content(content)
            card.show()
        for card in self._cards[len(contents) : self._count]:
            card.hide()
        is_longer, self._count = len(contents) >= self._count, len(contents)
        self._lay_out()
        if follow and was_at_end and is_longer:
            bar.setValue(bar.maximum())
        elif not follow:
            bar.setValue(0)

    def card_of(self, index: int) -> StepCard | None:
        for card in self.cards:
            if card.content is not None and card.content.index == index:
                return card
        return None

    def mark(self, index: int, *, can_rerun: bool = False) -> None:
        """Mark the step that the plot shows; -1: none."""
        for card in self.cards:
            is_current = card.content is not None and card.content.index == index >= 0
            card.set_current(is_current)
            card.set_can_rerun(is_current and can_rerun)
            if is_current:
                self.ensureWidgetVisible(card, 0, SPACING)

    def show_pictures(self, pictures: Mapping[str, QImage]) -> None:
        """Show pictures by their hash; the others stay empty."""
        for card in self.cards:
            content = card.content
            if content is not None and content.picture in pictures and not card.has_picture:
                card.set_picture(pictures[content.picture])

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._lay_out()

    def _new_card(self) -> StepCard:
        card = StepCard(self._current_theme, self._column)
        card.chosen.connect(self.chosen)
        card.enlarged.connect(self.enlarged)
        card.rerun_requested.connect(self.rerun_requested)
        card.height_changed.connect(self._lay_out)
        return card

    def _lay_out(self) -> None:
        width, y = self.viewport().width(), 0
        for card in self.cards:
            height = card.height_for(width)
            card.setGeometry(0, y, width, height)
            y += height + SPACING
        self._column.resize(width, max(y - SPACING, 0))

    def _restyle(self) -> None:
        for card in self._cards:
            card.restyle()
        self._lay_out()
