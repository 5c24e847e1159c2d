"""The training data of each inspector, as stated by its model card."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication

from agent.errors import ResourceError
from agent.inspection.inspector_factory import EYE, MEASURED, PANEL, eye_of_panel
from agent.models.registry import ModelLocation, list_models

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
    """The measured inspector, the panel, then every known model. Reads the disk; any thread."""
    faults: list[ResourceError] = []
    models = map(model_sources, list_models(on_fault=faults.append))
    return (measured_sources(), panel_sources(), *models)


def measured_sources() -> ModelSources:
    return ModelSources(
        name=MEASURED,
        title=translate("about", "measurements and rules, no model"),
        about=translate(
            "about",
            "The rules are written by hand. Their weights were fitted to simulated spectra alone; "
            "the band strengths in those were taken from observed atlas stars.",
        ),
        simulated_only=True,
        is_installed=True,
    )


def panel_sources() -> ModelSources:
    eye = eye_of_panel()
    return ModelSources(
        name=PANEL,
        title=translate("about", "{name} and measured together").replace("{name}", EYE),
        about=translate("about", "How much each counts was fitted to simulated spectra alone."),
        simulated_only=eye is not None and eye.card.simulated_only,
        is_installed=eye is not None,
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
