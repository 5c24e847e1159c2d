from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from agent.errors import WorkbenchError
from train.bench.objects import directions
from train.simulate.campaign import Settings, assignments
from train.simulate.production import simulate_spectrum


def made(survey: str, seed: int, sky: int | None):
    settings = Settings(seed=seed, count=6, survey=survey, sky=sky, snr=(60.0, 60.0))
    return [simulate_spectrum(settings, one) for one in assignments(settings)]


def places(members) -> np.ndarray:
    return directions(*np.array([(m.entry.target.ra, m.entry.target.dec) for m in members]).T)


def test_two_telescopes_see_the_same_objects_of_one_sky():
    one, other = made("LAMOST", 1, 9), made("SDSS", 2, 9)
    arcsec = np.degrees(np.linalg.norm(places(one) - places(other), axis=1)) * 3600
    assert (arcsec < 2.0).all() and (arcsec > 0.0).any()
    for first, second in zip(one, other, strict=True):
        assert np.array_equal(first.source.flux, second.source.flux)
        assert first.source.label == second.source.label
        assert first.entry.observation.flux.size != second.entry.observation.flux.size


def test_another_sky_or_none_shows_others():
    one, other, none = made("LAMOST", 1, 9), made("LAMOST", 1, 8), made("LAMOST", 1, None)
    for members in (other, none):
        assert np.linalg.norm(places(one) - places(members), axis=1).min() > 1e-3


def test_a_campaign_without_a_sky_is_noted_as_before():
    assert "sky" not in Settings(seed=1, count=1).as_json()
    with pytest.raises(WorkbenchError):
        Settings(seed=1, count=1, sky=-1)


def test_the_command_takes_a_sky(tmp_path: Path):
    from typer.testing import CliRunner

    from train.cli import app

    options = ["--count", "2", "--labels", "A", "--survey", "LAMOST", "--sky", "3", "--arrays"]
    result = CliRunner().invoke(app, ["simulate", str(tmp_path / "a"), *options])
    assert result.exit_code == 0
    assert '"sky": 3' in (tmp_path / "a" / "simulation.json").read_text()
