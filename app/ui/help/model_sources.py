"""The training data of each inspector, as stated by its model card."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication

from agent.errors import ResourceError
from agent.inspection.built_in import INSPECTORS, BuiltIn
from agent.models.registry import ModelLocation, list_models
from app.ui.translation.message_texts import translate_message

translate = QCoreApplication.translate


@dataclass(frozen=True, kw_only=True)
class ModelSources:
    name: str
    title: str
    about: str
    """Training data, in the words of the model's author."""
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
