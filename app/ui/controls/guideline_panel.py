"""The question of the task and its guideline, in a panel that scrolls."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

from agent.tasks.look import has_class
from app.ui.controls.guideline_card import GuidelineCard
from app.ui.session_context import SessionContext
from app.ui.translation.data_texts import task_text
from app.ui.widgets.labels import column, wrapped_label


class GuidelinePanel(QScrollArea):
    def __init__(self, context: SessionContext) -> None:
        super().__init__()
        self.card: GuidelineCard | None = None
        task = context.current.session.task
        inner = QWidget(self.viewport())
        layout = column(spacing=6, margins=(12, 8, 12, 8), parent=inner)
        if has_class(task):
            layout.addWidget(wrapped_label(task_text(task.question), "title"))
            self.card = GuidelineCard(context, inner)
            layout.addWidget(self.card)
        else:
            text = self.tr("There is no class to judge, and so no guideline.")
            layout.addWidget(wrapped_label(text, "dim"))
        layout.addStretch(1)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidget(inner)
        self.viewport().setAutoFillBackground(False)
        inner.setAutoFillBackground(False)
