"""A model as the teacher: from its name to one that drafts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from agent.errors import ResourceError, WorkbenchError
from agent.inspection.engine_loader import engine_ref, load_engine
from agent.models.registry import find_model
from train.draft.settings import DraftSettings
from train.draft.teachers import ModelTeacher


@contextmanager
def opened_teacher(name: str, settings: DraftSettings) -> Iterator[ModelTeacher]:
    """Loads the model, or looks at the server; closed at the end."""
    try:
        place = find_model(name)
    except ResourceError as error:
        raise WorkbenchError(f"{error}. `measured` needs no model") from error
    engine = load_engine(place)
    try:
        yield ModelTeacher(engine, engine_ref(place, engine), settings)
    finally:
        engine.close()
