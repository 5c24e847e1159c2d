"""Simulated stars in files of 4MOST, WEAVE and PFS: a search finds and judges them rightly."""

import numpy as np
import pytest

from agent.evidence.assessment import assess
from agent.spectra.air import air_to_vacuum
from agent.spectra.readers import read
from agent.tasks.catalogue import find_task
from tests.agent.evidence.simulated import simulated_spectrum
from tests.agent.spectra.readers import samples
from tests.app.core.finding.surveys import searched

LABELS = ("CV", "WD", "MG")
STEP_A, PIXELS = 2.0, 2550  # as the samples, over what the simulated SDSS covers
AIR = 4000.0 + STEP_A * np.arange(PIXELS)
NM = 400.0 + 0.2 * np.arange(PIXELS)
LAYOUTS = {
    "4MOST": (lambda: samples.fourmost(SPEC_RES=2000.0), air_to_vacuum(AIR)),
    "WEAVE": (lambda: samples.weave(rows=1), air_to_vacuum(AIR)),
    "PFS": (lambda: samples.pfs_object(wcs=False), 10.0 * NM),
}


def file_content(monkeypatch, survey, label):
    """The bytes of a file in the layout of a survey, with a simulated star of a class."""
    make, grid = LAYOUTS[survey]
    star = simulated_spectrum(label)
    flux = np.interp(grid, star.wavelength, star.flux)
    ivar = np.interp(grid, star.wavelength, star.ivar)
    ivar[[20, 21, 22]] = 0.0
    given = {
        "PIXELS": PIXELS, "LINEAR": AIR, "PFS_NM": NM, "FLUX": flux, "IVAR": ivar,
        "SIGMA": samples.sigma_of(ivar),
        "QUALITY": np.zeros(PIXELS), "PFS_MASK": np.zeros(PIXELS, dtype=np.int32),
    }  # fmt: skip
    for name, value in given.items():
        monkeypatch.setattr(samples, name, value)
    return make()


@pytest.mark.parametrize("survey", LAYOUTS)
def test_simulated_stars_in_the_layout_of_a_survey(tmp_path, monkeypatch, survey):
    folder = tmp_path / "survey"
    folder.mkdir()
    for label in LABELS:
        (folder / f"{label}.fits").write_bytes(file_content(monkeypatch, survey, label))
    table, state = searched(tmp_path / "a.find", folder)
    assert state.looked_at == len(LABELS)
    rows = table.rows(np.arange(len(LABELS)), ["path", "survey", "p_CV", "p_WD"])
    for path, told, *by_search in zip(*rows.values(), strict=True):
        assert told == survey
        label = path.rpartition("/")[2].removesuffix(".fits")
        for task, p in zip(("CV", "WD"), by_search, strict=True):
            alone = assess(read(path), find_task(task)).p_yes
            assert (alone > 0.5) == (label == task)
            assert p == alone or (p is None and label != task)
