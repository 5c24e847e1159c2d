import pytest

pytest.importorskip("trl")

from tests.train.sft.samples import MINUTE_MODEL


def test_muon_beside_torchs():
    from tests.bench.bench_muon import figures

    (found,) = figures(MINUTE_MODEL.shape, repeats=2)
    assert float(str(found["value"])) > 0


def test_attention_beside_torchs():
    from tests.bench.bench_attention import figures

    found = list(figures(MINUTE_MODEL.shape, repeats=1))
    assert len(found) == 2
    assert all(float(str(each["value"])) > 0 for each in found)
