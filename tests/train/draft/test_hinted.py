from __future__ import annotations

from agent.protocol.protocol import Turn
from tests.scripted_engine import ScriptedEngine
from tests.train.draft.spectra import all_examples
from train.draft.teachers import HintedEngine, hint


def test_only_the_first_user_turn_is_hinted() -> None:
    example = all_examples()[0]
    engine = ScriptedEngine(["unused"])
    conversation = HintedEngine(engine, hint(example)).open()
    conversation.append([Turn("system", "s"), Turn("user", "one"), Turn("user", "two")], [])
    conversation.append([Turn("user", "three")], [])
    texts = [turn.text for turn in engine.conversations[0].turns]
    assert ["Note to you alone" in text for text in texts] == [False, True, False, False]
    mark = conversation.mark()
    conversation.rewind(mark)
    conversation.close()
    assert engine.conversations[0].is_closed
