"""Phrases that are one token."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

from train.models.small_model import make_tokenizer
from train.sft.new_model import frequent_phrases, overlap


def test_phrases_that_could_begin_in_one_another():
    assert overlap("Hγ width ", "width at half depth") and overlap(
        "width at half depth", "Hγ width "
    )
    assert not overlap("Hγ ", "Hγ width ")  # one lies in the other: the longer one is taken
    assert not overlap("TiO5", "5167 edge")  # a letter is no beginning
    assert "Hγ width at half depth" not in frequent_phrases()


def test_a_call_is_few_tokens():
    call = (
        '<tool_call>\n{"name": "spectral_visualization_tool", "arguments": {"wavelength_range": '
        '[6450, 6750], "label": "Hα and He I 6678"}}\n</tool_call>'
    )
    told = "S/N 78; Hα (--) -50; Hα FWHM (=) 430 km/s"
    tokenizer = make_tokenizer([call, told] * 20, 700, frequent_phrases())
    assert len(tokenizer.tokenize(call)) < 18
    assert [one for one in tokenizer.tokenize(told) if "H" in one] == ["Hα ", "Hα FWHM "]
    assert tokenizer.decode(tokenizer.encode(call + told)) == call + told
