from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("pyarrow")

from agent.errors import WorkbenchError
from agent.spectra.spectrum import Spectrum
from tests.train.baselines.helpers import LINE, lines
from train.baselines.specialist import CARD, INPUTS, load_specialist, over_continuum
from train.evaluate.judges import JudgeSpec
from train.evaluate.judging import judge_set


class TestSpecialists:
    def test_judges_what_it_was_trained_for(self, folder: Path, sets: Path, tmp_path: Path):
        spec = JudgeSpec(name="cnn", kind="specialist", source=str(folder))
        found = judge_set(spec, sets, tmp_path / "cnn.jsonl")
        assert len(found) == 48 and sum(one.is_right for one in found) >= 45
        assert all(one.p_yes is not None for one in found)

    def test_reads_back_the_same(self, folder: Path):
        one, two = load_specialist(folder), load_specialist(folder)
        spectra = lines(6, seed=2)
        np.testing.assert_array_equal(one.p_yes("CV", spectra), two.p_yes("CV", spectra))
        with pytest.raises(WorkbenchError, match="not trained for WD, only for CV"):
            one.p_yes("WD", spectra)

    def test_faulty_folders_are_refused(self, folder: Path, tmp_path: Path):
        with pytest.raises(WorkbenchError, match="holds no specialist"):
            load_specialist(tmp_path)
        card = json.loads((folder / CARD).read_text())
        (tmp_path / CARD).write_text(json.dumps(card))
        with pytest.raises(WorkbenchError, match="cannot be loaded"):
            load_specialist(tmp_path)
        for change in ({"kind": "other"}, {"version": 99}, {"tasks": {"../x": {}}}):
            (tmp_path / CARD).write_text(json.dumps(card | change))
            with pytest.raises(WorkbenchError):
                load_specialist(tmp_path)


class TestInputs:
    @pytest.mark.parametrize("name", INPUTS)
    def test_the_unit_of_flux_does_not_matter(self, name: str):
        prepare, grid = INPUTS[name]
        one = lines(1)[0]
        scaled = Spectrum(wavelength=one.wavelength, flux=one.flux * 1e-17)
        row = prepare(one)
        assert row.shape == grid.shape
        assert row.dtype == np.float32
        np.testing.assert_allclose(row, prepare(scaled), atol=2e-3)

    @pytest.mark.parametrize("name", INPUTS)
    def test_nothing_good_gives_a_row_of_one_value(self, name: str):
        prepare, _ = INPUTS[name]
        wavelength = np.linspace(4000.0, 5000.0, 50)
        broken = Spectrum(wavelength=wavelength, flux=np.full(50, np.nan))
        assert np.ptp(prepare(broken)) == 0.0

    def test_the_line_stands_above_the_continuum(self):
        row = over_continuum(lines(1)[0])
        assert abs(float(INPUTS["branch-cnn"][1][row.argmax()]) - LINE) < 90.0
