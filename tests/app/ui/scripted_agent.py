"""A session context with a scripted agent, which does what the object's name says."""

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from agent.inspection.built_in import MEASURED
from app.ui.session.inspection import controller
from app.ui.session.inspection.controller import InspectionController
from app.ui.session.session_context import SessionContext
from tests.app.ui.whole_window import LONG_MS

SCRIPT = Path(__file__).parents[1] / "worker" / "scripted_child.py"
COMMAND = [sys.executable, "-P", str(SCRIPT)]


@pytest.fixture(autouse=True)
def measured_first(monkeypatch) -> None:
    """Use the measured inspector by default: it is quick, and the script knows no bundled model."""
    monkeypatch.setattr(controller, "default_model", lambda task_id: MEASURED)


@pytest.fixture
def scripted(context) -> Iterator[SessionContext]:
    agent = InspectionController(
        context.bridge, context.current, context.runner, context.settings, command=COMMAND
    )
    context.agent.close()
    yield replace(context, agent=agent)
    agent.close()


def show_candidate(qtbot, context: SessionContext, number: int = 1, act: str = "") -> None:
    """Show a candidate with its spectrum; `act` is what the scripted agent does with it."""
    context.current.go_to(number)
    qtbot.waitUntil(lambda: context.current.spectrum is not None, timeout=LONG_MS)
    if act:
        context.current.spectrum = replace(context.current.spectrum, object_id=act)


def judged(context: SessionContext, verdict) -> None:
    """Judge the current candidate and stay."""
    context.current.note_painted(context.current.candidate.id)
    context.current.judge(verdict, stay=True)
