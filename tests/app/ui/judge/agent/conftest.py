"""The agent panel on a session, with a scripted or the measured agent."""

import pytest

from agent.inspection.inspector import run
from agent.inspection.measured_inspector import MeasuredInspector
from agent.spectra.readers import read_numbered
from agent.tasks.catalogue import find_task
from app.core.inspections.store import add_inspection
from app.ui.base.keys.key_filter import KeyFilter
from app.ui.judge.agent.agent_panel import AgentPanel
from app.ui.widgets.input_filter import InputFilter
from tests.app.ui.candidates import SAMPLE
from tests.app.ui.scripted_agent import measured_first, scripted, show_candidate
from tests.app.ui.steps import click, shown_in

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


def panel_of(qtbot, context):
    return shown_in(qtbot, AgentPanel(context), 360, 500)


def run_here(qtbot, context, number=1):
    """Inspect a candidate with the command of the V key."""
    show_candidate(qtbot, context, number)
    with qtbot.waitSignal(context.agent.finished) as ended:
        context.commands.run("run_agent")
    return ended.args[1]


def kept(qtbot, context, *records):
    """Store records of the first candidate and show it."""
    for each in records:
        add_inspection(context.current.session, 1, each)
    show_candidate(qtbot, context)
    qtbot.waitUntil(lambda: context.agent.shown.trajectory is not None)
    return context.agent.shown.trajectory


def compare(qtbot, line):
    """Two records side by side, from the menu of records."""
    click(qtbot, line.record)
    line.menu.actions()[-1].trigger()
    line.menu.close()


GGUF_CARD = """
name = "mine"
title = "A model of mine"
family = "qwen2.5-vl"
engine = "gguf"
simulated_only = true
files = [
    { role = "weights", path = "mine.gguf", size = 5 },
    { role = "mmproj", path = "mmproj.gguf", size = 5 },
]
"""


@pytest.fixture
def models(tmp_path, monkeypatch):
    """The user's folder of models, empty."""
    monkeypatch.setenv("SPEC_O3_MODELS", str(tmp_path / "models"))
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    return tmp_path / "models"


def put(folder, **sizes):
    folder.mkdir(parents=True)
    (folder / "model.toml").write_text(GGUF_CARD)
    for name, size in sizes.items():
        (folder / f"{name}.gguf").write_bytes(b"x" * size)


@pytest.fixture
def keyed(context, panel):
    """The panel with the keys of the window."""
    keys = KeyFilter(context.commands, context.keymap, panel, panel.setFocus)
    events = InputFilter(panel, keys.handlers)
    yield panel
    events.close()
    keys.close()
