"""Inspections with a scripted engine."""

import math

from agent.inspection.inspector import run
from agent.inspection.model_inspector import ModelInspector
from agent.rendering.render import COMPACT
from agent.tasks.catalogue import find_task
from agent.trajectory.trajectory import ModelRef
from tests.agent.scenes import star
from tests.scripted_engine import ScriptedEngine

SURE = {"YES": math.log(0.9), "NO": math.log(0.1)}
CV = find_task("CV")


def inspector(replies, **options):
    engine = ScriptedEngine(replies, choices=SURE)
    return ModelInspector(engine, ModelRef(name="scripted"), style=COMPACT, **options)


def inspect(replies, spectrum=None, **options):
    steps = []
    settings = {key: options.pop(key) for key in ("sampling", "extra_runs") if key in options}
    made = inspector(replies, **settings)
    inspection = made.inspect(spectrum or star(), CV, **options)
    trajectory = run(inspection, steps.append)
    return trajectory, steps, made.engine
