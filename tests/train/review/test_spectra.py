"""Spectra are read from named places alone, and only with the numbers that were inspected."""

from __future__ import annotations

from dataclasses import replace

import pytest

pytest.importorskip("pyarrow")

from agent.errors import TrajectoryError
from agent.examples.examples import example, write_examples
from agent.inspection.pictures import spectrum_ref
from agent.spectra.readers import read_numbered
from tests.app.ui.candidates import SAMPLE
from train.review.spectra import Spectra

FIRST, SECOND = sorted((SAMPLE / "spectra").glob("*/spec-9*.fits.gz"))[:2]


@pytest.fixture
def ref(tmp_path):
    (tmp_path / FIRST.name).write_bytes(FIRST.read_bytes())
    return spectrum_ref(read_numbered(str(tmp_path / FIRST.name), 0))


def test_by_its_path_or_by_its_name(ref, tmp_path):
    assert len(Spectra([tmp_path]).of(ref)) > 1000
    assert len(Spectra([tmp_path]).of(replace(ref, path=f"elsewhere/{FIRST.name}"))) > 1000


def test_in_a_set_of_examples(ref, tmp_path):
    one = example(read_numbered(str(FIRST), 0), task="CV", answer="YES")
    write_examples(tmp_path / "set" / "cold.parquet", [one])
    found = Spectra([tmp_path / "set" / "cold.parquet"]).of(spectrum_ref(one.spectrum))
    assert found.object_id == one.spectrum.object_id


def test_other_values_are_refused(ref, tmp_path):
    (tmp_path / FIRST.name).write_bytes(SECOND.read_bytes())
    with pytest.raises(TrajectoryError, match="other values than were inspected"):
        Spectra([tmp_path]).of(ref)


def test_nothing_outside_the_named_folders_is_read(ref, tmp_path):
    inside = tmp_path / "inside"
    inside.mkdir()
    paths = (ref.path, f"../{FIRST.name}", "/etc/passwd", "", "\\\\host\\share\\x.fits")
    for path in paths:
        with pytest.raises(TrajectoryError, match="its file is not there"):
            Spectra([inside]).of(replace(ref, path=path))
