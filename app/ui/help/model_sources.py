"""What each inspector learnt from, as its card says: nothing is made better than it is."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication

from agent.errors import ResourceError
from agent.inspection.make_inspector import MEASURED
from agent.models.registry import ModelLocation, list_models

translate = QCoreApplication.translate


@dataclass(frozen=True, kw_only=True)
class ModelSources:
    name: str
    title: str
    about: str
    """What it was trained on, in its maker's words."""
    simulated_only: bool
    is_here: bool


def all_learnt() -> tuple[ModelSources, ...]:
    """The measured inspector, then every model with a name. Looks at the disk: any thread."""
    faults: list[ResourceError] = []
    return (measured(), *map(of_model, list_models(on_fault=faults.append)))


def measured() -> ModelSources:
    return ModelSources(
        name=MEASURED,
        title=translate("about", "measurements and rules, no model"),
        about=translate(
            "about",
            "Its rules are written by hand. How much each of them counts was fitted on simulated "
            "spectra alone; strengths of bands in those were taken from observed atlas stars.",
        ),
        simulated_only=True,
        is_here=True,
    )


def of_model(place: ModelLocation) -> ModelSources:
    card = place.card
    return ModelSources(
        name=card.name,
        title=card.title,
        about=card.trained_on
        or translate("about", "Its card does not say what it was trained on."),
        simulated_only=card.simulated_only,
        is_here=place.is_ready,
    )


def state_words(learnt: ModelSources) -> str:
    """What stands beside the name."""
    if learnt.simulated_only:
        return translate("about", "simulated spectra only")
    if not learnt.is_here:
        return translate("about", "not on this machine")
    return ""
