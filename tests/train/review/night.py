"""A file of two inspections beside their spectra."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from agent.inspection.inspector import run
from agent.inspection.measured_inspector import MeasuredInspector
from agent.rendering.render import Style
from agent.spectra.readers import read_numbered
from agent.tasks.catalogue import find_task
from agent.trajectory.trajectory import ModelRef
from agent.trajectory.trajectory_file import write_trajectories
from tests.app.ui.candidates import SAMPLE

STAMP = Style(name="stamp", width=112, height=84)


@pytest.fixture(scope="module")
def night(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("night")
    records = []
    for path in sorted((SAMPLE / "spectra").glob("*/spec-9*.fits.gz"))[:2]:
        (folder / path.name).write_bytes(path.read_bytes())
        spectrum = read_numbered(str(folder / path.name), 0)
        record = run(MeasuredInspector(style=STAMP).inspect(spectrum, find_task("CV")))
        records.append(replace(record, model=ModelRef(name="secret-seven", sha256="7" * 64)))
    write_trajectories(folder / "night.jsonl", records)
    return folder / "night.jsonl"
