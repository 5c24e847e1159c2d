"""From a name to an inspector that is ready to work."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING

from agent.backends.base import Sampling
from agent.errors import ResourceError, WorkbenchError
from agent.inspecting import Inspecting
from agent.model_card import CARD_NAME
from agent.models import BUNDLED, place_at

if TYPE_CHECKING:
    from agent.backends.transformers_weights import Device

MEASURED = "measured"
"""The inspector without a model: always there."""
NANO = "nano"
"""The model in the box."""
GGUF_ENGINES = ("llama_cpp", "xllamacpp")


@cache
def default_model() -> str:
    """Who inspects where nobody is named: the model in the box, where it lies there whole and
    something is installed to run it, else the measured inspector."""
    card = BUNDLED / NANO / CARD_NAME
    if not card.is_file() or not any(map(find_spec, GGUF_ENGINES)):
        return MEASURED
    try:
        return NANO if place_at(card.parent, "bundled").is_ready else MEASURED
    except ResourceError:
        return MEASURED


def make_inspector(
    model: str | None = None,
    *,
    device: Device = "auto",
    threads: int | None = None,
    extra_runs: int = 0,
    sampling: Sampling | None = None,
) -> Inspecting:
    """The inspector of that name, path or address; None takes `default_model`.

    `extra_runs` and `sampling` are for models; the measured inspector leaves nothing to chance.
    Loads the model: seconds to minutes. Close it when done.
    """
    model = model or default_model()
    if model.casefold() == MEASURED:
        from agent.measured.inspector import MeasuredInspector

        return MeasuredInspector()
    from agent.backends.load import engine_ref, load_engine
    from agent.inspector import Inspector
    from agent.models import find_model

    try:
        place = find_model(model)
    except ResourceError as error:
        raise WorkbenchError(f"{error}. `{MEASURED}` needs no model") from error
    engine = load_engine(place, device=device, threads=threads)
    return Inspector(
        engine,
        engine_ref(place, engine),
        style=place.card.style,
        sampling=sampling or place.card.sampling,
        extra_runs=extra_runs,
    )
