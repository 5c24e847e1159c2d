"""Each step's table holds the numbers that it names, without repeating earlier tables."""

from __future__ import annotations

from agent.inspection.inspector import run
from agent.inspection.measured_inspector import MeasuredInspector
from agent.inspection.pictures import PictureMaker, spectrum_ref
from agent.rendering.model_image import QWEN25
from agent.rendering.render import PUBLISHED
from agent.tasks.catalogue import find_task
from tests.agent.evidence.simulated import simulated_spectrum


def test_the_opening_thought_and_the_answer_have_tables_of_their_own():
    spectrum = simulated_spectrum("CV")
    record = run(MeasuredInspector(draw=False).inspect(spectrum, find_task("CV")))
    opening, answer = record.steps[0], record.steps[-1]
    assert "flux at 4240 over 6630" in [row["name"] for row in opening.measured["values"]]
    listed = [row["name"] for step in record.steps[:-1] for row in step.measured.get("lines", ())]
    assert not {row["name"] for row in answer.measured.get("lines", ())} & set(listed)
    assert all(not step.measured for step in record.steps[1:-1] if step.kind == "think")


def test_a_look_of_any_model_measures_lines_at_the_velocity_of_the_star():
    """The table beside a model's sentences is the one that the measured inspector has."""
    spectrum = simulated_spectrum("YSO")
    record = run(MeasuredInspector(draw=False).inspect(spectrum, find_task("CV")))
    look = next(step for step in record.looks if step.label.startswith("Hα"))
    assert look.range is not None
    maker = PictureMaker.of(spectrum, spectrum_ref(spectrum), PUBLISHED, QWEN25)
    for row in maker.measure(*look.range)["lines"]:
        assert row in look.measured["lines"]
