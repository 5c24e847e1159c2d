"""The wordings in the user's models folder."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from agent.errors import ResourceError
from agent.models.registry import find_model
from agent.models.wordings import (
    checked_name,
    keep_wording,
    missing_wording,
    wording_at,
    wording_of,
)
from agent.rendering.render import EYE
from tests.agent.protocol.wordings import wording


def test_a_model_is_asked_in_the_wording_that_its_card_names(home: Path) -> None:
    card = find_model("spec-o3-7b").card
    assert wording_of(card) is None
    assert "accuracy of the published weights is not guaranteed" in missing_wording(card)
    folder = keep_wording(replace(wording(), name="spec-o3"))
    assert folder == home / "models" / "wordings" / "spec-o3"
    assert wording_of(card) == wording_at("spec-o3") == replace(wording(), name="spec-o3")
    assert missing_wording(card) == ""


def test_a_model_of_brief_prompts_or_without_a_name_has_none() -> None:
    keep_wording(replace(wording(), name="spec-o3"))
    card = find_model("spec-o3-7b").card
    for other in (replace(card, style=EYE), replace(card, wording="")):
        assert wording_of(other) is None
    assert missing_wording(replace(card, wording="")) == ""


def test_a_damaged_wording_is_never_used_in_silence() -> None:
    folder = keep_wording(replace(wording(), name="spec-o3"))
    (folder / "tool.json").write_text("{}")
    with pytest.raises(ResourceError, match=r"tool\.json is not the text"):
        wording_of(find_model("spec-o3-7b").card)


def test_a_name_is_a_plain_name() -> None:
    assert checked_name("spec-o3") == "spec-o3"
    for name in ("", "../x", "a/b", ".x", "x" * 81):
        with pytest.raises(ResourceError, match="no name of a wording"):
            checked_name(name)
    with pytest.raises(ResourceError, match="there is no wording"):
        wording_at("none")
