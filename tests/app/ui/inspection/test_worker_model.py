"""The model of the worker: loaded when chosen, with errors reported."""

from __future__ import annotations

from tests.app.ui.inspection.inspecting import run_to_the_end
from tests.app.ui.scripted_agent import LONG_MS, show_candidate


def test_another_model_is_loaded_at_once(qtbot, scripted):
    holder = scripted.agent.worker_model
    scripted.agent.choose_model("other")
    assert holder.is_loading and holder.name == "other"
    qtbot.waitUntil(lambda: holder.model is not None, timeout=LONG_MS)
    assert holder.model.name == "other" and not holder.is_loading
    assert scripted.settings.settings.model == "other"
    scripted.agent.choose_model(holder.default)
    assert scripted.settings.settings.model == ""


def test_a_model_that_cannot_be_loaded_is_reported(qtbot, scripted):
    with qtbot.waitSignal(scripted.current.failed, timeout=LONG_MS) as told:
        scripted.agent.choose_model("refuse")
    assert "no model of that name" in told.args[0]
    assert scripted.agent.worker_model.fault == told.args[0]


def test_the_chosen_one_inspects(qtbot, scripted):
    scripted.agent.choose_model("other")
    show_candidate(qtbot, scripted, act="plain")
    assert run_to_the_end(qtbot, scripted.agent)[1].model.name == "other"


def test_another_device_loads_the_model_anew(qtbot, scripted):
    holder = scripted.agent.worker_model
    scripted.settings.change(device="cpu")
    assert holder.is_loading and holder.load_request().device == "cpu"
    qtbot.waitUntil(lambda: holder.model is not None, timeout=LONG_MS)
    assert not holder.is_loading
