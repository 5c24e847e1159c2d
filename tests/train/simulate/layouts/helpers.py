"""Entries of simulated files, written and checked."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from astropy.io import fits

from train.simulate.identity import Stamp, draw_target
from train.simulate.layouts import lamost, sdss
from train.simulate.layouts.common import Entry
from train.simulate.telescope.observation import Observation
from train.simulate.telescope.pipeline_class import PipelineClass

GUESS = PipelineClass("STAR", "A5V", 1.5e-4)


SINGLE = [
    ("LAMOST", "DR1", "image"), ("LAMOST", "DR2", "image"), ("LAMOST", "DR5", "image"),
    ("LAMOST", "DR8", "image"), ("LAMOST", "DR10", "table"), ("SDSS", "DR8", "spec, lite"),
    ("BOSS", "DR12", "spec, lite"), ("BOSS", "DR17", "spec, lite"),
]  # fmt: skip


def entry(seen: Observation, index: int = 3, pipeline_class: PipelineClass = GUESS) -> Entry:
    rng = np.random.default_rng(index)
    return Entry(seen, draw_target(seen, index, rng), pipeline_class, Stamp(11, index, "1.2.3"))


def write_single(folder: Path, one: Entry, suffix: str = "") -> Path:
    layout = lamost if one.observation.survey == "LAMOST" else sdss
    path = folder / (layout.file_name(one) + suffix)
    layout.write(path, one)
    return path


def assert_marked(path: Path) -> None:
    with fits.open(path) as hdus:
        header = hdus[0].header
        assert header["SIMULATE"] is True
        assert "SIMULATED" in str(header["COMMENT"]) and "seed 11" in str(header["COMMENT"])
        assert "1.2.3" in str(header["COMMENT"])
