from __future__ import annotations

import re

import pytest

pytest.importorskip("pyarrow")

from tests.train.draft.spectra import QUOTED, all_examples, drafted
from train.draft.wording import with_article


def test_articles() -> None:
    assert with_article("M giant") == "an M giant"
    assert with_article("S-type star") == "an S-type star"
    assert with_article("white dwarf") == "a white dwarf"
    assert with_article("A-type star") == "an A-type star"


def test_quoted_drafts_repeat_the_numbers_of_the_tool() -> None:
    count = 0
    for example in all_examples():
        made = drafted(example, QUOTED).trajectory
        if made is None:
            continue
        heard: set[str] = set()
        for step in made.steps:
            if step.kind == "zoom":
                heard |= {*step.text.split("; ")}
            said = re.findall(r"[^.:;{}]+ \([-=+]+\) -?[\d.]*\d(?: km/s)?", step.text)
            if step.kind != "zoom":
                assert {text.strip() for text in said} <= heard, step.text
                count += len(said)
    assert count > 10
