from __future__ import annotations

import pytest

from agent.claims.lexicon import find_mentions, normalize_spelling


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("H alpha, H-beta and Hγ", ["H_alpha", "H_beta", "H_gamma"]),
        ("HeI 6678 and He I 6680.0", ["HeI_6678", "HeI_6678"]),
        ("[OIII] λ5007", ["OIII_5007"]),
        ("the ZrO head at 6475", ["ZrO_6474_edge"]),
        ("C₂ edge near 5165", ["C2_5165_edge"]),
        ("CN 7873 and 8067", ["CN_7873_edge", "CN_8067_edge"]),
        ("the step at 7056.4", ["TiO_7054_edge"]),
        ("the 4000 Å break, TiO5 and the G band", ["Dn4000", "TiO5", "CH_G4300"]),
        ("Hγ width at half depth", ["H_gamma_D2"]),
        ("nothing of the sort in HdA", ["HdA"]),
    ],
)
def test_names_of_features(text: str, expected: list[str]) -> None:
    found = find_mentions(normalize_spelling(text))
    assert len(found) == len(expected)
    for mention, name in zip(found, expected, strict=True):
        assert name in {feature.id for feature in mention.features}
