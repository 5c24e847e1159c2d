"""The page of the export dialog about agent records: what they are, and whether there are any."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, Signal
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from agent.errors import WorkbenchError
from agent.trajectory.trajectory import ModelRef
from app.core.inspections.store import models_of
from app.core.session.records import Change
from app.ui.session_context import SessionContext
from app.ui.translation.message_texts import translate_message
from app.ui.widgets.labels import wrapped_label


def description_page(text: str, *more: QWidget) -> QWidget:
    """A page with a card that describes a file, and what stands below."""
    page = QWidget()
    card = QFrame()
    card.setProperty("role", "card")
    inner = QVBoxLayout(card)
    inner.setContentsMargins(16, 14, 16, 14)
    inner.addWidget(wrapped_label(text))
    layout = QVBoxLayout(page)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(8)
    for each in (card, *more):
        layout.addWidget(each)
    layout.addStretch(1)
    return page


class RecordsPanel(QWidget):
    counted = Signal()
    """Whether there are records is known anew."""

    def __init__(
        self, context: SessionContext, description: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._context = context
        self.has_rows = False
        self.note = wrapped_label("", "dim")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(description_page(description, self.note))
        context.bridge.changed.connect(self._follow)

    def refresh(self) -> None:
        session = self._context.current.session
        self._context.runner.run(lambda: models_of(session), self._show, self._fail, owner=self)

    def _follow(self, change: Change) -> None:
        if self.isVisible() and change.aspect == "inspection" and not self.has_rows:
            self.refresh()

    def _show(self, models: list[ModelRef]) -> None:
        self.has_rows = bool(models)
        names = QCoreApplication.translate("export", "Inspections of {names}").replace(
            "{names}", ", ".join(dict.fromkeys(model.name for model in models))
        )
        none = QCoreApplication.translate("export", "No inspections yet: nothing to write")
        self.note.setText(names if models else none)
        self.counted.emit()

    def _fail(self, error: WorkbenchError) -> None:
        self.has_rows = True  # writing says what is wrong
        self.note.setText(translate_message(str(error)))
        self.counted.emit()
