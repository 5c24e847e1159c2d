from __future__ import annotations

from tests.train.bench.conftest import Made


def test_card_tells_sizes_rate_noise_and_seed(made: Made):
    card = (made.out / "README.md").read_text()
    for words in (
        "| train | CV | 8 | 8 |",
        "accepted:",
        "1.74 %",
        "Seed 0",
        "simulated",
        "Licence",
    ):
        assert words in card
