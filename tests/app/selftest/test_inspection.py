"""The check of the inspectors."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from app.selftest import inspection, spectra
from app.selftest.installation import CheckFailed, CheckSkipped
from app.worker import supervisor
from tests.app.selftest.checks import run


def test_an_inspector_that_says_no_to_a_plain_one(monkeypatch, tmp_path):
    flat = spectra.first_of("LAMOST")
    flat = type(flat)(wavelength=flat.wavelength, flux=np.ones(len(flat)), ivar=flat.ivar)
    monkeypatch.setattr(inspection, "first_of", lambda survey: flat)
    with pytest.raises(CheckFailed, match="it answered NO to a clear"):
        run(inspection, "measured", tmp_path)


def test_a_worker_that_does_not_start(monkeypatch, tmp_path):
    monkeypatch.setattr(
        supervisor, "worker_command", lambda: [sys.executable, "-c", "raise SystemExit(3)"]
    )
    with pytest.raises(Exception, match="status 3"):
        run(inspection, "measured", tmp_path)


def test_without_a_model_in_the_box(monkeypatch, tmp_path):
    monkeypatch.setattr(inspection, "bundled_models", list)
    with pytest.raises(CheckSkipped, match="no model is bundled"):
        run(inspection, "model", tmp_path)
