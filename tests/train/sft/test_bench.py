from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("trl")

from tests.train.sft.samples import MINUTE_MODEL, STAMP


@pytest.mark.filterwarnings("ignore")  # TRL's trainer is measured as it comes
def test_both_trainers_are_measured(tmp_path: Path):
    from tests.bench.bench_sft import prepare, products_a_second
    from tests.bench.sft_side import BATCH, ours, trl

    prepare(tmp_path, MINUTE_MODEL, STAMP, steps=2)
    own, other = ours(tmp_path, 2), trl(tmp_path, 2)
    assert own["step_s"] > 0 and other["step_s"] > 0
    assert own["tokens"] > 1000 * BATCH
    assert 0 < own["flops"] / own["step_s"] / products_a_second(2) < 1


def test_muon_beside_torchs():
    from tests.bench.bench_muon import figures

    (found,) = figures(MINUTE_MODEL, repeats=2)
    assert float(str(found["value"])) > 0


def test_attention_beside_torchs():
    from tests.bench.bench_attention import figures

    found = list(figures(MINUTE_MODEL, repeats=1))
    assert len(found) == 2
    assert all(float(str(each["value"])) > 0 for each in found)
