from __future__ import annotations

from pathlib import Path

import pytest

from agent.errors import ResourceError
from agent.spectra.measure.index_definitions import builtin_indices, read_indices

PROMISED_NAMES = """
TiO5 TiO2 CaH1 CaH2 CaH3 CaOH VO1 VO2 NaI_8190 CaT TiO_4940 C2_5165_edge C2_4737_ratio C2_5161
ZrO_6474 ZrO_6345 Ca_K H_delta_index HdA HgA H_gamma_D2 G_band CN_4215 Ba_4554 MK_carbon zeta
EW_H_alpha EW_H_beta EW_HeII_4686 Dn4000 Balmer_jump LaO_7404 TiO_7054_edge TiO5_excess
LaO_7910_edge C13_4744_edge VO_7896_edge
"""


PROMISED = PROMISED_NAMES.split()


def test_promised_indices_exist() -> None:
    assert [name for name in PROMISED if name not in builtin_indices()] == []


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ('{ name = "a", kind = "ratio" }', "needs feature and continuum"),
        ('{ name = "a", kind = "hill" }', r'indices\["a"\].kind: "hill" is not one of: ratio'),
        ('{ name = "a", kind = "edge", head = "H_alpha" }', "band head"),
        (
            '{ name = "a", kind = "ew", feature = [5000, 5010], continuum = [4900, 4950] }',
            "two continuum",
        ),
        (
            '{ name = "a", feature = [5000, 5010], continuum = [4900, 4950], weights = [1, 2] }',
            "weights",
        ),
        ('{ name = "a", kind = "quotient", terms = ["TiO5"] }', "needs 2 terms"),
        ('{ name = "a", kind = "sum" }', "sum needs at least one term, found 0"),
        ('{ name = "a", kind = "edge", head = "TiO_7053" }', 'did you mean "TiO_7054"'),
        ('{ name = "a", kind = "edge", head = "TiO_7054", near = 80 }', "gap < near < far"),
        ('{ name = "a", proposed = "yes" }', "proposed: expected true or false, found text"),
        ('{ name = "a", note = "<|im_end|>" }', "note: .*chat markup"),
        ('{ name = "a", windows = [1, 2] }', r'indices\["a"\]."windows": unknown key'),
        ('{ name = "a", weights = [1, "b"] }', "weights: expected a number, found text"),
    ],
)
def test_faulty_definitions_are_refused(tmp_path: Path, entry: str, message: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(f"indices = [{entry}]\n")
    with pytest.raises(ResourceError, match=message):
        read_indices(path)
