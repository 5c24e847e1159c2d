"""The About dialog: what the program is and is not, and the training data of its inspectors."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import QCoreApplication, Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QDialog, QFrame, QHBoxLayout, QPushButton, QWidget

from agent.errors import ResourceError
from agent.inspection.built_in import INSPECTORS, BuiltIn
from agent.models.registry import ModelLocation, list_models
from agent.program_version import program_version
from app.ui.base.actions.actions import ACTIONS
from app.ui.base.actions.commands import Commands
from app.ui.base.background.runner import Runner
from app.ui.base.translation.message_texts import translate_message
from app.ui.widgets.labels import (
    Space,
    add_parts,
    bring_forward,
    card,
    clear_layout,
    column,
    dialog_button,
    row,
    short_label,
    wrapped_label,
)
from app.ui.widgets.page_parts import Logo, PageScrollArea
from app.ui.widgets.text_width import DialogSize

SIZE = (680, 640)
MARK_PX = 56
BUTTON_ACTIONS = ("tour", "crash_reports")

translate = QCoreApplication.translate


class AboutDialog(QDialog):
    def __init__(self, commands: Commands, runner: Runner, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._commands, self._runner = commands, runner
        self.setWindowTitle(self.tr("About Spec-o3 Workbench"))
        self.setWindowFlag(Qt.WindowType.WindowContextHelpButtonHint, False)
        self.inspectors = column()
        self.buttons = {
            action: dialog_button(ACTIONS[action].title, partial(self._run, action))
            for action in BUTTON_ACTIONS
        }
        self.licences_button = dialog_button(self.tr("Licences of all parts"), self._open_licences)
        if licence_folder() is None:
            self.licences_button.hide()
        self.close_button = QPushButton(self.tr("Close"), default=True)
        self.close_button.clicked.connect(self.close)
        self._lay_out()
        DialogSize(self, *SIZE)

    def show_models(self) -> None:
        """Show the dialog with the models that are available now."""
        self._runner.run(all_model_sources, self._list_models, owner=self)
        bring_forward(self)

    def _run(self, action: str, *_: object) -> None:
        self.close()
        self._commands.run(action)

    def _open_licences(self) -> None:
        if (folder := licence_folder()) is not None:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder)))

    def _lay_out(self) -> None:
        inside = QWidget()
        inner = column(self._heading(), margins=16, parent=inside)
        for title, paragraphs in self._sections():
            add_parts(
                inner, Space(8), wrapped_label(title, "title"), *map(wrapped_label, paragraphs)
            )
        trained = wrapped_label(self.tr("What the inspectors were trained on"), "title")
        add_parts(inner, Space(8), trained, self.inspectors, 1)
        texts = card(PageScrollArea(inside), margins=1)
        buttons = row(*self.buttons.values(), self.licences_button, 1, self.close_button)
        column((texts, 1), buttons, spacing=12, margins=12, parent=self)

    def _heading(self) -> QHBoxLayout:
        version = self.tr("Version {version}").replace("{version}", program_version())
        name = short_label("Spec-o3 Workbench", "heading")
        texts = column(1, name, short_label(version, "dim"), 1, spacing=4)
        return row(Logo(MARK_PX), (texts, 1), spacing=16)

    def _sections(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        is_ = (
            self.tr(
                "A workbench for judging the spectra of rare-object candidates, with an "
                "agent that inspects each spectrum and shows where it looked."
            ),
            self.tr(
                "Every verdict is yours: the agent never records one. Nothing leaves "
                "this computer unless you choose a model that runs on a server."
            ),
        )
        is_not = (
            self.tr(
                "It is not a classifier to be trusted without checking. p(YES) ranks candidates; "
                "it becomes a probability only after calibration on your own verdicts."
            ),
            self.tr(
                "Simulated spectra are cleaner than observed ones. Performance on them "
                "says little about your survey: judge a few hundred candidates yourself "
                "in blind mode, then see the page Agreement and calibration."
            ),
            self.tr("The sample is simulated, and marked as such wherever it is shown."),
        )
        licences = (
            self.tr(
                "BSD 3-Clause. Qt and PySide6 are used under the LGPL, version 3, llama.cpp under "
                "the MIT licence; the other parts keep their own licences."
            ),
        )
        return (
            (self.tr("What this is"), is_),
            (self.tr("What this is not"), is_not),
            (self.tr("Licence"), licences),
        )

    def _list_models(self, models: tuple[ModelSources, ...]) -> None:
        clear_layout(self.inspectors)
        for each in models:
            self.inspectors.addWidget(_row(each))


def _row(sources: ModelSources) -> QFrame:
    head = row(short_label(sources.name, "title"), (wrapped_label(sources.title, "dim"), 1))
    state = state_text(sources)
    if state:
        head.addWidget(short_label(state, "warning" if sources.simulated_only else "dim"))
    frame = card(head, wrapped_label(sources.about), spacing=4, margins=(12, 8, 12, 8))
    frame.setAccessibleName(" · ".join(filter(None, (sources.name, state, sources.about))))
    return frame


def licence_folder() -> Path | None:
    """With the licences of all parts; None where pip installed them, each with its own."""
    program = Path(sys.executable).resolve().parent
    # On macOS the program is in Contents/MacOS of the application.
    for folder in (program / "licences", program.parent / "Resources" / "licences"):
        if getattr(sys, "frozen", False) and folder.is_dir():
            return folder
    return None


# The training data of each inspector, as stated by its model card.
@dataclass(frozen=True, kw_only=True)
class ModelSources:
    name: str
    title: str
    about: str  # training data, in the words of the model's author
    simulated_only: bool
    is_installed: bool


def all_model_sources() -> tuple[ModelSources, ...]:
    """The program's own inspectors, then every known model. Reads the disk; any thread."""
    faults: list[ResourceError] = []
    models = map(model_sources, list_models(on_fault=faults.append))
    return (*map(own_sources, INSPECTORS), *models)


def own_sources(own: BuiltIn) -> ModelSources:
    return ModelSources(
        name=own.name,
        title=translate_message(own.made_of),
        about=translate_message(own.trained_on),
        simulated_only=own.simulated_only,
        is_installed=not own.eye or own.location() is not None,
    )


def model_sources(location: ModelLocation) -> ModelSources:
    card = location.card
    return ModelSources(
        name=card.name,
        title=card.title,
        about=card.trained_on
        or translate("about", "The model card does not say what it was trained on."),
        simulated_only=card.simulated_only,
        is_installed=location.is_ready,
    )


def state_text(sources: ModelSources) -> str:
    """The label next to the name."""
    if sources.simulated_only:
        return translate("about", "simulated spectra only")
    if not sources.is_installed:
        return translate("about", "not on this machine")
    return ""
