from __future__ import annotations

from dataclasses import fields

from train.simulate.telescope.quality import LAMOST_QUALITY, Quality, graded


def test_scaling_quality_moves_every_odds_and_strength() -> None:
    poor = graded(LAMOST_QUALITY, "poor")
    assert poor.join_step > LAMOST_QUALITY.join_step
    assert poor.telluric_left[1] <= 0.9 and poor.end_block_odds <= 0.9
    untouched = {"velocity_error_kms", "resolution_spread", "throughput_spread", "bad_runs",
                 "calibration_tail", "dead_block_pixels", "moon_fraction", "crosstalk_fraction",
                 "ivar_spread"}  # fmt: skip
    same = {
        f.name for f in fields(Quality) if getattr(poor, f.name) == getattr(LAMOST_QUALITY, f.name)
    }
    assert same == untouched
