"""The agent panel on a session, with a scripted or the measured agent."""

from __future__ import annotations

import pytest

from agent.inspection.inspector import run
from agent.inspection.measured_inspector import MeasuredInspector
from agent.spectra.readers import read_numbered
from agent.tasks.catalogue import find_task
from tests.app.ui.agent.models import models
from tests.app.ui.agent.panel_steps import panel_of
from tests.app.ui.candidates import SAMPLE
from tests.app.ui.scripted_agent import measured_first, scripted

__all__ = ["measured_first", "models", "scripted"]


@pytest.fixture
def panel(qtbot, context):
    return panel_of(qtbot, context)


@pytest.fixture
def scripted_panel(qtbot, scripted):
    return panel_of(qtbot, scripted)


@pytest.fixture(scope="module")
def measured():
    """The measured inspector's record of the sample's first candidate."""
    first = next((SAMPLE / "spectra").glob("*/spec-90000-60230-0001.fits.gz"))
    return run(MeasuredInspector().inspect(read_numbered(str(first), 0), find_task("CV")))
