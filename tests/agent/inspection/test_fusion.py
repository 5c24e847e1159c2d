"""How the panel's two p(YES) become one."""

import math
from pathlib import Path

import pytest

from agent.errors import ResourceError
from agent.inspection.fusion import FusionWeights, builtin_fusion, read_fusion

ALIKE = FusionWeights(intercept=0.0, eye=0.5, measured=0.5)


def test_it_is_a_logistic_of_both_log_odds_or_the_p_of_the_only_one():
    weights = FusionWeights(intercept=-0.3, eye=0.4, measured=0.9)
    log_odds = -0.3 + 0.4 * math.log(0.7 / 0.3) + 0.9 * math.log(0.2 / 0.8)
    assert weights.fuse(0.7, 0.2) == pytest.approx(1 / (1 + math.exp(-log_odds)))
    assert ALIKE.fuse(0.8, 0.8) == pytest.approx(0.8)
    assert ALIKE.fuse(0.9, 0.1) == pytest.approx(0.5)
    assert ALIKE.fuse(None, 0.97) == 0.97
    assert ALIKE.fuse(0.03, None) == 0.03
    assert ALIKE.fuse(None, None) is None
    assert ALIKE.fuse(1.0, 0.0) == pytest.approx(0.5)
    assert ALIKE.fuse(1e-12, 0.9976) == pytest.approx(0.5, abs=0.01)


def test_the_bundled_weights_count_both_and_the_fingerprint_tells_weights_apart():
    weights = builtin_fusion()
    assert weights.eye > 0 and weights.measured > 0
    assert ALIKE.sha256 == FusionWeights(intercept=0.0, eye=0.5, measured=0.5).sha256
    assert ALIKE.sha256 != FusionWeights(intercept=0.1, eye=0.5, measured=0.5).sha256


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("intercept = 0.0\neye = 1.0\n", "measured"),
        ("intercept = 0.0\neye = -1.0\nmeasured = 1.0\n", "eye"),
        ("intercept = 99.0\neye = 1.0\nmeasured = 1.0\n", "intercept"),
        ("intercept = 0.0\neye = 1.0\nmeasured = 1.0\nmore = 1.0\n", "more"),
        ("intercept = nan\neye = 1.0\nmeasured = 1.0\n", "intercept"),
    ],
)
def test_a_file_is_read_strictly(tmp_path: Path, text: str, fault: str):
    path = tmp_path / "panel.toml"
    path.write_text(text)
    with pytest.raises(ResourceError, match=fault):
        read_fusion(path)
