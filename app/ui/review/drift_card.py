"""The card on drift: whether people's verdicts change in the course of the session."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QCoreApplication

from app.core.statistics.drift import Drift
from app.ui.review.figures import Figure, draw_drift
from app.ui.review.sentences import drift_sentence
from app.ui.session_context import SessionContext
from app.ui.widgets.labels import clear_layout, column, wrapped_label
from app.ui.widgets.page_parts import PageCard

MAX_PEOPLE = 4
HEIGHT = 130


class DriftCard(PageCard):
    def __init__(self, context: SessionContext) -> None:
        super().__init__(QCoreApplication.translate("DriftCard", "Change over time"))
        self._current_theme = context.current_theme
        none = self.tr("At least fifty verdicts by one person are needed to see a change.")
        self.empty = wrapped_label(none, "dim")
        about = self.tr(
            "Solid: accepted fraction, block by block. Dashed: the agent's mean p(YES)."
        )
        self.legend = wrapped_label(about, "dim")
        self._column = column()
        self.body.addWidget(self.empty)
        self.body.addLayout(self._column)
        self.body.addWidget(self.legend)
        self.figures: list[Figure] = []
        self.empty.hide()
        self.legend.hide()

    def show_drift(self, found: Sequence[Drift], *, with_agent: bool) -> None:
        clear_layout(self._column)
        self.figures = []
        long = [each for each in found if len(each.blocks) > 1][:MAX_PEOPLE]
        self.empty.setVisible(not long)
        self.legend.setVisible(bool(long))
        for each in long:
            blocks = each.blocks
            if not with_agent:
                blocks = tuple(replace(block, p_yes=None) for block in blocks)
            figure = Figure(self._current_theme, each.reviewer)
            label = wrapped_label(each.reviewer)
            self.figures.append(figure.below(label, self._column, HEIGHT))
            figure.draw(draw_drift, blocks)
            sentence = drift_sentence(each)
            if sentence and with_agent:
                self._column.addWidget(wrapped_label(sentence, "warning"))
