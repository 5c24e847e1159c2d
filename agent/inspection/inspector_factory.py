"""Makes an inspector from a model's name."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING

from agent.engines.base import SamplingSettings
from agent.errors import ResourceError, WorkbenchError
from agent.inspection.inspector import Inspector
from agent.models.card_file import CARD_NAME
from agent.models.registry import BUNDLED, ModelLocation, find_model, model_at
from agent.trajectory.trajectory import ModelRef

if TYPE_CHECKING:
    from agent.engines.hf.weights import Device
    from agent.models.card import Card

MEASURED = "measured"  # the inspector without a model, which is always available
PANEL = "panel"  # the bundled model that looks and the measured inspector, together
EYE = "nano-eye"  # the bundled model that looks
GGUF_ENGINES = ("llama_cpp", "xllamacpp")
PANEL_NEEDS_EYE = f"the panel needs the bundled model {EYE}, which is not here or not complete"


def default_model(task_id: str) -> str:
    """The panel if its eye was trained on the task and can run here, else the measured one.

    It is the best judge of all in the box, on simulations and on real spectra: train/RESULTS.md.
    """
    return PANEL if task_id in _panel_tasks() else MEASURED


@cache
def _panel_tasks() -> tuple[str, ...]:
    eye = eye_of_panel() if has_gguf_engine() else None
    return () if eye is None else eye.card.tasks


def has_gguf_engine() -> bool:
    return any(map(find_spec, GGUF_ENGINES))


def eye_of_panel() -> ModelLocation | None:
    """The bundled model that looks; None if it is not here, or not all of it."""
    card = BUNDLED / EYE / CARD_NAME
    if not card.is_file():
        return None
    try:
        location = model_at(card.parent, "bundled")
    except ResourceError:
        return None
    return location if location.is_ready else None


def panel_ref() -> ModelRef | None:
    """The panel as its inspections are recorded, without loading it; None if it has no eye."""
    from agent.inspection import panel_inspector

    eye = eye_of_panel()
    return None if eye is None else panel_inspector.panel_ref(eye.ref)


def looking_card(model: str) -> Card | None:
    """The card of the model that looks where this one inspects; None if none does.

    `model` is a name, a path or an address. Raises ResourceError if there is no such model.
    """
    if model.casefold() == MEASURED:
        return None
    if model.casefold() != PANEL:
        return find_model(model).card
    eye = eye_of_panel()
    if eye is None:
        raise ResourceError(PANEL_NEEDS_EYE)
    return eye.card


def make_inspector(
    model: str | None = None,
    *,
    device: Device = "auto",
    threads: int | None = None,
    sharing: int = 1,
    side_by_side: bool = False,
    extra_runs: int = 0,
    sampling: SamplingSettings | None = None,
) -> Inspector:
    """Make an inspector from a model's name, path or address; None is the measured inspector.

    `panel` is the bundled model that looks together with the measured inspector.

    Loading a model takes seconds to minutes. `extra_runs` and `sampling` apply to models only,
    `side_by_side` (many inspections at once) to servers. The caller closes the inspector.
    """
    if model is None or model.casefold() == MEASURED:
        from agent.inspection.measured_inspector import MeasuredInspector

        return MeasuredInspector()
    from agent.inspection.engine_loader import engine_ref, load_engine
    from agent.inspection.model_inspector import ModelInspector
    from agent.models.wordings import wording_of
    from agent.protocol.rules import RULES

    is_panel = model.casefold() == PANEL
    try:
        location = eye_of_panel() if is_panel else find_model(model)
    except ResourceError as error:
        raise WorkbenchError(f"{error}. Or use `{MEASURED}`, which needs no model") from error
    if location is None:
        raise WorkbenchError(f"{PANEL_NEEDS_EYE}. Use `{MEASURED}`, which needs no model")
    engine = load_engine(
        location, device=device, threads=threads, sharing=sharing, side_by_side=side_by_side
    )
    inspector = ModelInspector(
        engine,
        engine_ref(location, engine),
        style=location.card.style,
        sampling=sampling or location.card.sampling,
        extra_runs=extra_runs,
        rules=RULES[location.card.rules],
        wording=wording_of(location.card),
    )
    if not is_panel:
        return inspector
    from agent.inspection.panel_inspector import PanelInspector

    return PanelInspector(inspector)
