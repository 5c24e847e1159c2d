"""Makes an inspector from a model's name."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING

from agent.engines.base import SamplingSettings
from agent.errors import ResourceError, WorkbenchError
from agent.inspection.inspector import Inspector
from agent.models.card_file import CARD_NAME
from agent.models.registry import BUNDLED, model_at

if TYPE_CHECKING:
    from agent.engines.hf.weights import Device

MEASURED = "measured"  # the inspector without a model, which is always available
NANO = "nano"  # the bundled model
GGUF_ENGINES = ("llama_cpp", "xllamacpp")


def default_model(task_id: str) -> str:
    """The bundled model if it was trained on the task and can run here, else the measured one."""
    return NANO if task_id in _bundled_model_tasks() else MEASURED


@cache
def _bundled_model_tasks() -> tuple[str, ...]:
    card = BUNDLED / NANO / CARD_NAME
    if not card.is_file() or not any(map(find_spec, GGUF_ENGINES)):
        return ()
    try:
        location = model_at(card.parent, "bundled")
    except ResourceError:
        return ()
    return location.card.tasks if location.is_ready else ()


def make_inspector(
    model: str | None = None,
    *,
    device: Device = "auto",
    threads: int | None = None,
    sharing: int = 1,
    extra_runs: int = 0,
    sampling: SamplingSettings | None = None,
) -> Inspector:
    """Make an inspector from a model's name, path or address; None is the measured inspector.

    Loading a model takes seconds to minutes. `extra_runs` and `sampling` apply to models only. The
    caller closes the inspector.
    """
    if model is None or model.casefold() == MEASURED:
        from agent.inspection.measured_inspector import MeasuredInspector

        return MeasuredInspector()
    from agent.inspection.engine_loader import engine_ref, load_engine
    from agent.inspection.model_inspector import ModelInspector
    from agent.models.registry import find_model

    try:
        location = find_model(model)
    except ResourceError as error:
        raise WorkbenchError(f"{error}. Or use `{MEASURED}`, which needs no model") from error
    engine = load_engine(location, device=device, threads=threads, sharing=sharing)
    return ModelInspector(
        engine,
        engine_ref(location, engine),
        style=location.card.style,
        sampling=sampling or location.card.sampling,
        extra_runs=extra_runs,
    )
