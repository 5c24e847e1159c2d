"""The form of a whole turn: what can be said of it, and that nothing else can."""

import pytest

from agent.inspection.offered_looks import guideline_looks
from agent.protocol.reply import answer_reply, call_reply, parse_reply
from agent.protocol.turn_form import MOST_BYTES, TurnForm
from agent.tasks.catalogue import find_task

FIRST, SECOND, THIRD = guideline_looks(find_task("CV"))[:3]
FORM = TurnForm((FIRST.text, SECOND.text))


def beginnings(text: str) -> list[bytes]:
    said = text.encode()
    return [said[:end] for end in range(len(said) + 1)]


@pytest.mark.parametrize("text", [
    call_reply(f"Hα in emission; Li I 6708 weak. Look at {SECOND.label}.", SECOND.arguments),
    answer_reply("Nothing clear. Enough seen.", "NO", "More like a star: no Hα."),
    answer_reply("", "YES", ""),
])  # fmt: skip
def test_a_turn_of_the_form_is_allowed_to_its_end_and_ends_there(text: str):
    assert all(map(FORM.allows, beginnings(text)))
    assert text.endswith(FORM.stop) and not FORM.allows(f"{text} ".encode())
    assert len(text.encode()) <= FORM.most_tokens and parse_reply(text).kind != "error"


@pytest.mark.parametrize("text", [
    "Hα", "<think>a</think>\n<answer>\\boxed{MAYBE}", "<think>a<b", "<think>a</think> <answer>",
    call_reply(f"Look at {THIRD.label}.", THIRD.arguments),  # not offered
    call_reply(f"Look at {FIRST.label}.", SECOND.arguments),  # says one and calls another
    call_reply("Enough seen.", FIRST.arguments),
    f"<think>Look at {FIRST.label}.</think>\n<answer>",
    "<think>" + "a" * (MOST_BYTES + 1),
    answer_reply("a", "NO", "a" * (MOST_BYTES + 1)), answer_reply("a", "NO", "<b>"),
])  # fmt: skip
def test_anything_else_is_not(text: str):
    assert not FORM.allows(text.encode())


def test_without_a_look_it_answers():
    form = TurnForm(())
    assert not form.allows(f"<think>{FIRST.text}".encode())
    assert form.allows(answer_reply("Look", "NO", "").encode())
