"""What the program is and is not, and what its inspectors learnt from: said in one place."""

from __future__ import annotations

from functools import partial
from importlib import metadata

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QDialog,
    QFrame,
    QHBoxLayout,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.ui.actions.actions import ACTIONS
from app.ui.actions.commands import Commands
from app.ui.background.runner import Runner
from app.ui.help.model_sources import ModelSources, all_learnt, state_words
from app.ui.theme.theme import CurrentTheme
from app.ui.widgets.labels import name, words
from app.ui.widgets.logo import Logo
from app.ui.widgets.page_parts import Scrolling

SIZE = (680, 640)
MARK_PX = 56
DISTRIBUTION = "spec-o3-workbench"
LEADS = ("tour", "crash_reports")
"""Actions with a button here."""


class AboutDialog(QDialog):
    """Beside the window, never in its way."""

    def __init__(
        self,
        commands: Commands,
        current_theme: CurrentTheme,
        runner: Runner,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._commands, self._runner = commands, runner
        self.setWindowTitle(self.tr("About Spec-o3 Workbench"))
        self.setWindowFlag(Qt.WindowType.WindowContextHelpButtonHint, False)
        self.inspectors = QVBoxLayout()
        self.inspectors.setSpacing(8)
        self.buttons = {action: self._lead(action) for action in LEADS}
        self.close_button = QPushButton(self.tr("Close"))
        self.close_button.setDefault(True)
        self.close_button.clicked.connect(self.close)
        self._lay_out(current_theme)
        self.resize(*SIZE)

    def open_page(self) -> None:
        """With the models there are now."""
        self._runner.run(all_learnt, self._show, owner=self)
        self.show()
        self.raise_()
        self.activateWindow()

    def _lead(self, action: str) -> QPushButton:
        button = QPushButton(ACTIONS[action].words)
        button.setAutoDefault(False)
        button.clicked.connect(partial(self._run, action))
        return button

    def _run(self, action: str, *_: object) -> None:
        self.close()
        self._commands.run(action)

    def _lay_out(self, current_theme: CurrentTheme) -> None:
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(16, 16, 16, 16)
        column.setSpacing(8)
        column.addLayout(self._heading(current_theme))
        for title, paragraphs in self._said():
            column.addSpacing(8)
            column.addWidget(words(title, "title"))
            for each in paragraphs:
                column.addWidget(words(each))
        column.addSpacing(8)
        column.addWidget(words(self.tr("What the inspectors learnt from"), "title"))
        column.addLayout(self.inspectors)
        column.addStretch(1)
        card = QFrame()
        card.setProperty("role", "card")
        around = QVBoxLayout(card)
        around.setContentsMargins(1, 1, 1, 1)
        around.addWidget(Scrolling(inside))
        row = QHBoxLayout()
        row.setSpacing(8)
        for button in self.buttons.values():
            row.addWidget(button)
        row.addStretch(1)
        row.addWidget(self.close_button)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(12, 12, 12, 12)
        whole.setSpacing(12)
        whole.addWidget(card, 1)
        whole.addLayout(row)

    def _heading(self, current_theme: CurrentTheme) -> QHBoxLayout:
        told = self.tr("Version {version}").replace("{version}", _version())
        texts = QVBoxLayout()
        texts.setSpacing(4)
        texts.addStretch(1)
        texts.addWidget(name("Spec-o3 Workbench", "heading"))
        texts.addWidget(name(told, "dim"))
        texts.addStretch(1)
        row = QHBoxLayout()
        row.setSpacing(16)
        row.addWidget(Logo(MARK_PX))
        row.addLayout(texts, 1)
        return row

    def _said(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        is_ = (
            self.tr(
                "A desk for judging spectra of candidates of rare classes, with an agent beside "
                "you that looks at each one and shows where it looked."
            ),
            self.tr(
                "What you decide is yours: no agent ever writes a verdict. Nothing leaves this "
                "computer, unless you choose a model that runs on a server."
            ),
        )
        is_not = (
            self.tr(
                "It is no classifier to be trusted unseen. A p(YES) orders candidates; it is a "
                "probability only once it was calibrated on verdicts of yours."
            ),
            self.tr(
                "Simulated spectra are cleaner than the sky. How well an inspector does on them "
                "says little of your survey: judge some hundred candidates yourself, blind, then "
                "read the page Agreement and calibration."
            ),
            self.tr("The sample is simulated, and marked so wherever it is shown."),
        )
        return (self.tr("What this is"), is_), (self.tr("What this is not"), is_not)

    def _show(self, found: tuple[ModelSources, ...]) -> None:
        while item := self.inspectors.takeAt(0):
            if (widget := item.widget()) is not None:
                widget.deleteLater()
        for each in found:
            self.inspectors.addWidget(_row(each))


def _row(learnt: ModelSources) -> QFrame:
    frame = QFrame()
    frame.setProperty("role", "card")
    head = QHBoxLayout()
    head.setSpacing(8)
    head.addWidget(name(learnt.name, "title"))
    head.addWidget(words(learnt.title, "dim"), 1)
    state = state_words(learnt)
    if state:
        head.addWidget(name(state, "warning" if learnt.simulated_only else "dim"))
    column = QVBoxLayout(frame)
    column.setContentsMargins(12, 8, 12, 8)
    column.setSpacing(4)
    column.addLayout(head)
    column.addWidget(words(learnt.about))
    frame.setAccessibleName(" · ".join(filter(None, (learnt.name, state, learnt.about))))
    return frame


def _version() -> str:
    try:
        return metadata.version(DISTRIBUTION)
    except metadata.PackageNotFoundError:  # run from its sources alone
        return "?"
