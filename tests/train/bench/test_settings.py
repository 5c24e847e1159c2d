from __future__ import annotations

import pytest

from agent.errors import WorkbenchError
from train.bench.settings import BenchSettings, Size
from train.recipe import PRESETS, settings


class TestSettings:
    def test_defaults_are_the_published_sizes(self):
        published = BenchSettings()
        assert published.size("CV") == Size((343, 368), (229, 1229))
        assert published.size("O") == Size((0, 0), (50, 250))
        assert (published.min_snr, published.p_negative) == (10.0, 0.8)

    @pytest.mark.parametrize("preset", PRESETS)
    def test_every_preset_is_accepted(self, preset: str):
        found = settings(BenchSettings, "bench", preset=preset)
        if preset in ("3b", "7b"):
            assert found == BenchSettings()

    @pytest.mark.parametrize(
        "wrong",
        [
            {"sizes": ("CV 1/1",)},
            {"sizes": ("CV 1/1 1/1",)},
            {"tasks": ()},
            {"cross_survey_size": "many"},
            {"p_negative": 1.5},
            {"folds": 1},
            {"seed": -1},
        ],
    )
    def test_what_makes_no_sense_is_refused(self, wrong):
        with pytest.raises(WorkbenchError):
            BenchSettings(**wrong)
