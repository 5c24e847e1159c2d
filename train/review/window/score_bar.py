"""The bar below a trajectory: the scores, a note, and the way on."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QLineEdit, QVBoxLayout, QWidget

from agent.ratings.records import MAX_NOTE, Rating
from agent.ratings.rubric import CRITERIA
from app.ui.agent.score_grid import ScoreGrid
from app.ui.widgets.labels import button, row, with_key


class ScoreBar(QFrame):
    changed = Signal()
    """A score was given, or the note is written."""
    next_requested = Signal()
    previous_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self.grid = ScoreGrid(self)
        self.note = QLineEdit(maxLength=MAX_NOTE)
        self.note.setPlaceholderText(self.tr("Note (C)"))
        self.note.setAccessibleName(self.tr("Note"))
        self.previous = button(with_key(self.tr("Back"), "←"))
        self.next = button(with_key(self.tr("Next"), self.tr("Enter")), "primary")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(14, 10, 14, 10)
        layout.setSpacing(6)
        layout.addWidget(self.grid)
        layout.addLayout(row((self.note, 1), self.previous, self.next))
        self.previous.clicked.connect(self.previous_requested)
        self.next.clicked.connect(self.next_requested)
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
