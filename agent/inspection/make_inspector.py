"""From a name to an inspector that is ready to work."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING

from agent.engines.base import SamplingSettings
from agent.errors import ResourceError, WorkbenchError
from agent.inspection.interface import Inspector
from agent.models.card_file import CARD_NAME
from agent.models.registry import BUNDLED, place_at

if TYPE_CHECKING:
    from agent.engines.hf.weights import Device

MEASURED = "measured"
"""The inspector without a model: always there."""
NANO = "nano"
"""The model in the box."""
GGUF_ENGINES = ("llama_cpp", "xllamacpp")


def default_model(task_id: str) -> str:
    """Who inspects where nobody is named: the model in the box, where it lies there whole, was
    trained on that class and something is installed to run it; else the measured inspector."""
    return NANO if task_id in _tasks_in_the_box() else MEASURED


@cache
def _tasks_in_the_box() -> tuple[str, ...]:
    card = BUNDLED / NANO / CARD_NAME
    if not card.is_file() or not any(map(find_spec, GGUF_ENGINES)):
        return ()
    try:
        place = place_at(card.parent, "bundled")
    except ResourceError:
        return ()
    return place.card.tasks if place.is_ready else ()


def make_inspector(
    model: str | None = None,
    *,
    device: Device = "auto",
    threads: int | None = None,
    sharing: int = 1,
    extra_runs: int = 0,
    sampling: SamplingSettings | None = None,
) -> Inspector:
    """The inspector of that name, path or address; None takes the one without a model.

    `extra_runs` and `sampling` are for models; the measured inspector leaves nothing to chance.
    Loads the model: seconds to minutes. Close it when done.
    """
    if model is None or model.casefold() == MEASURED:
        from agent.inspection.measured_inspector import MeasuredInspector

        return MeasuredInspector()
    from agent.inspection.inspector import ModelInspector
    from agent.inspection.load_engine import engine_ref, load_engine
    from agent.models.registry import find_model

    try:
        place = find_model(model)
    except ResourceError as error:
        raise WorkbenchError(f"{error}. `{MEASURED}` needs no model") from error
    engine = load_engine(place, device=device, threads=threads, sharing=sharing)
    return ModelInspector(
        engine,
        engine_ref(place, engine),
        style=place.card.style,
        sampling=sampling or place.card.sampling,
        extra_runs=extra_runs,
    )
