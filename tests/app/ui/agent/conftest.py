"""A workplace whose agent is a script: it does what the object is called, see worker tests."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from agent.inspection.make_inspector import MEASURED
from app.ui.inspection import controller
from app.ui.inspection.controller import AgentDesk
from app.ui.session_context import Workplace

LONG_MS = 60_000
"""Nothing here takes that long, on however busy a machine."""
SCRIPT = Path(__file__).parents[2] / "worker" / "scripted_child.py"
COMMAND = [sys.executable, "-P", str(SCRIPT)]


@pytest.fixture(autouse=True)
def measured_first(monkeypatch) -> None:
    """Whatever lies in the box: a script answers to no model's name, and measuring is quick."""
    monkeypatch.setattr(controller, "default_model", lambda task_id: MEASURED)


@pytest.fixture
def scripted(workplace) -> Iterator[Workplace]:
    agent = AgentDesk(
        workplace.bridge, workplace.desk, workplace.runner, workplace.settings, command=COMMAND
    )
    workplace.agent.close()
    yield replace(workplace, agent=agent)
    agent.close()


def on_desk(qtbot, place: Workplace, number: int = 1, act: str = "") -> None:
    """A candidate with its spectrum; `act` is what a scripted agent does with it."""
    place.desk.go_to(number)
    qtbot.waitUntil(lambda: place.desk.spectrum is not None, timeout=LONG_MS)
    if act:
        place.desk.spectrum = replace(place.desk.spectrum, object_id=act)


def judged(place: Workplace, verdict) -> None:
    """As a person does who stays there."""
    place.desk.note_painted(place.desk.candidate.id)
    place.desk.judge(verdict, stay=True)
