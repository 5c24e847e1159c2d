"""Both criteria of the rubric from 0 to 5, with what each score means; nothing is stored here."""

from collections.abc import Mapping
from functools import partial

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QGridLayout, QPushButton, QWidget

from agent.ratings.rubric import CRITERIA, HIGHEST, LOWEST, MEANINGS, QUESTIONS, Criterion
from app.ui.base.translation.data_texts import rubric_words
from app.ui.widgets.labels import button, narrow, short_label, wrapped_label

MARK = "▸"  # before the criterion that the next digit is for


class ScoreGrid(QWidget):
    """`scores` holds what was chosen."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.scores: dict[Criterion, int | None] = dict.fromkeys(CRITERIA)
        self.active: Criterion = CRITERIA[0]
        self.buttons: dict[Criterion, list[QPushButton]] = {}
        self._names = {name: short_label("", "title") for name in CRITERIA}
        self.meaning = narrow(wrapped_label("", "dim"))
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(6)
        grid.setVerticalSpacing(4)
        grid.setAlignment(Qt.AlignmentFlag.AlignTop)
        for at, name in enumerate(CRITERIA):
            grid.addWidget(self._names[name], at, 0)
            group = QButtonGroup(self)
            self.buttons[name] = []
            for score in range(LOWEST, HIGHEST + 1):
                made = self._score_button(name, score)
                group.addButton(made)
                grid.addWidget(made, at, 1 + score - LOWEST)
                self.buttons[name].append(made)
        grid.setColumnStretch(HIGHEST + 2, 1)
        grid.addWidget(self.meaning, 0, HIGHEST + 2, len(CRITERIA), 1)
        self.show_scores({})

    def show_scores(self, scores: Mapping[Criterion, int | None]) -> None:
        self.scores = {name: scores.get(name) for name in CRITERIA}
        self.active = CRITERIA[0]
        self._show()
        self._explain(self.active, None)

    @property
    def is_complete(self) -> bool:
        return None not in self.scores.values()

    def press(self, score: int) -> None:
        self.give(self.active, score)

    def give(self, name: Criterion, score: int) -> None:
        """Give a criterion this score, and go to the next one that has none."""
        self.scores[name] = score
        others = [each for each in CRITERIA if self.scores[each] is None]
        self.active = others[0] if others else name
        self._show()
        self._explain(name, score)
        self.changed.emit()

    def switch(self) -> None:
        """Let the next digit be for the other criterion."""
        self.active = CRITERIA[(CRITERIA.index(self.active) + 1) % len(CRITERIA)]
        self._show()
        self._explain(self.active, self.scores[self.active])

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The rubric's words for the score below the mouse."""
        if event.type() == QEvent.Type.Enter:
            for name, buttons in self.buttons.items():
                if watched in buttons:
                    self._explain(name, buttons.index(watched) + LOWEST)
        elif event.type() == QEvent.Type.Leave:
            self._explain(self.active, self.scores[self.active])
        return False

    def _score_button(self, name: Criterion, score: int) -> QPushButton:
        made = button(str(score), "")
        made.setCheckable(True)
        words = rubric_words(MEANINGS[name][score])
        made.setAccessibleName(f"{criterion_name(name)} {score}")
        made.setAccessibleDescription(words)
        made.clicked.connect(partial(self.give, name, score))
        made.installEventFilter(self)
        return made

    def _show(self) -> None:
        for name, buttons in self.buttons.items():
            mark = MARK if name == self.active else "  "
            self._names[name].setText(f"{mark} {criterion_name(name)}")
            group = buttons[0].group()
            group.setExclusive(False)  # Qt leaves one checked otherwise
            for score, each in enumerate(buttons, LOWEST):
                each.setChecked(score == self.scores[name])
            group.setExclusive(True)

    def _explain(self, name: Criterion, score: int | None) -> None:
        words = QUESTIONS[name] if score is None else MEANINGS[name][score - LOWEST]
        head = criterion_name(name) if score is None else f"{criterion_name(name)} {score}"
        self.meaning.setText(f"{head}: {rubric_words(words)}")


def criterion_name(name: str) -> str:
    translate = QCoreApplication.translate
    return {
        "coherence": translate("rating", "Coherence"),
        "consistency": translate("rating", "Physical consistency"),
        "overall": translate("rating", "In daily use"),
    }[name]
