from __future__ import annotations

from dataclasses import replace

import pytest

pytest.importorskip("pyarrow")

from train.evaluate.tables import snr_bin_of


def test_bins_of_snr():
    from train.evaluate.judgement import Judgement

    one = Judgement(key="a", task="CV", answer="NO")
    assert snr_bin_of(one) == "unknown"
    assert snr_bin_of(replace(one, snr=10.0)) == "10 to 20"
    assert snr_bin_of(replace(one, snr=500.0)) == "above 50"
    assert snr_bin_of(replace(one, snr=-1.0)) == "0 to 5"
