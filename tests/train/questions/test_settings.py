from __future__ import annotations

import pytest

from agent.errors import WorkbenchError
from train.questions.settings import QuestionSettings
from train.recipe import PRESETS, settings


@pytest.mark.parametrize(
    ("sets", "message"),
    [
        (["tasks=[]"], "at least one"),
        (["tasks=CV,XX"], "unknown task 'XX'"),
        (["both=1.5"], "questions.both"),
        (["contrast=[2.0,1.0]"], "questions.contrast"),
        (["numbers=[]"], "questions.numbers"),
        (["step=1.0"], "questions.step"),
        (["bend=[0.1,2.0]"], "questions.bend"),
        (["bends=1"], "no setting"),
    ],
)
def test_faulty_settings_are_told(sets: list[str], message: str):
    with pytest.raises(WorkbenchError, match=message):
        settings(QuestionSettings, "questions", sets=sets)


@pytest.mark.parametrize("preset", PRESETS)
def test_every_preset_is_sound(preset: str):
    assert settings(QuestionSettings, "questions", preset=preset).tasks
