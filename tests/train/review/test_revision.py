from __future__ import annotations

import json

import pytest

from agent.errors import WorkbenchError
from agent.protocol.reply import is_well_formed, parse_reply
from train.review.revision import (
    DraftTurn,
    Revision,
    canonical_replies,
    former_turns,
    revision_from_text,
    revision_to_text,
    split_thought,
    word_differences,
)

CALL = (
    '<tool_call>\n{"name": "spectral_visualization_tool", "arguments": '
    '{"wavelength_range": [%s, %s], "label": "%s"}}\n</tool_call>'
)
REPLIES = (
    f"<think>It covers 3700 to 9000 Å. Let me look at Hα.</think>\n{CALL % (6500, 6620, 'Hα')}",
    f"<think>Hα is in emission. Next, Hβ.</think>\n{CALL % (4800, 4920, 'Hβ')}",
    f"<think>Hβ is in emission, too. First He I next.</think>\n{CALL % (6650, 6700, 'He I')}",
    "<think>He I is in emission. It is a CV.</think>\n<answer>\\boxed{YES} Hα emits.</answer>",
)  # fmt: skip


@pytest.fixture
def revision() -> Revision:
    return Revision.of(REPLIES)


def ranges(revision: Revision) -> list[object]:
    return [turn.range for turn in revision.turns]


def test_what_is_not_changed_stays_as_it_was(revision: Revision) -> None:
    assert revision.replies == REPLIES
    assert revision.with_look(0, 6500.0, 6620.0, "Hα") is revision
    assert revision.with_texts(3, "He I is in emission. It is a CV.", "Hα emits.") is revision


def test_a_call_and_texts_are_changed(revision: Revision) -> None:
    changed = revision.with_look(1, 4750.5, 4920, "Hβ wings").with_texts(3, "So.", "Hβ emits.")
    call = parse_reply(changed.replies[1])
    assert call.arguments == {"wavelength_range": [4750.5, 4920], "label": "Hβ wings"}
    assert call.thought == "Hα is in emission. Next, Hβ."
    answer = parse_reply(changed.replies[3])
    assert answer.verdict == "YES" and answer.answer == "\\boxed{YES} Hβ emits."
    assert is_well_formed(changed.replies) and changed.replies[0] == REPLIES[0]


def test_a_look_goes_with_its_announcement_and_its_description(revision: Revision) -> None:
    left = revision.without_look(1)
    assert ranges(left) == [(6500, 6620), (6650, 6700), None]
    assert left.turns[1].thought == "Hα is in emission. First He I next."
    assert "Hβ" not in "".join(turn.thought for turn in left.turns)
    assert left.turns[2].thought == "He I is in emission. It is a CV."


def test_looks_change_places_with_what_is_said_of_them(revision: Revision) -> None:
    moved = revision.with_look_later(0)
    assert ranges(moved) == [(4800, 4920), (6500, 6620), (6650, 6700), None]
    assert [turn.thought for turn in moved.turns] == [
        "It covers 3700 to 9000 Å. Next, Hβ.",
        "Hβ is in emission, too. Let me look at Hα.",
        "Hα is in emission. First He I next.",
        "He I is in emission. It is a CV.",
    ]
    last = revision.with_look_later(1)
    assert last.turns[3].thought == "Hβ is in emission, too. It is a CV."
    assert revision.with_look_later(0).with_look_later(0).turns == tuple(
        turn if number == 3 else DraftTurn(thought=turn.thought, range=turn.range, label=turn.label)
        for number, turn in enumerate(revision.turns)
    )


def test_only_looks_that_are_followed_are_moved(revision: Revision) -> None:
    assert [revision.is_look(place) for place in range(-1, 5)] == [False, *3 * [True], False, False]
    assert split_thought(DraftTurn(thought="", range=(1, 2))) == ("", "")
    assert split_thought(DraftTurn(thought="Only this.", verdict="NO")) == ("", "Only this.")


@pytest.mark.parametrize("text", ["a</think>b", "<tool_call>", "\\boxed{NO}", "x" * 100_001])
def test_texts_hold_nothing_of_the_protocol(revision: Revision, text: str) -> None:
    with pytest.raises(WorkbenchError, match="a text may"):
        revision.with_texts(0, text)


def test_smaller_than_is_no_tag(revision: Revision) -> None:
    assert "EW < 3" in revision.with_texts(0, "EW < 3 Å").replies[0]


def test_what_is_kept_comes_back(revision: Revision) -> None:
    changed = revision.with_look(0, 6400, 6700, "wide")
    kept, version = revision_from_text(revision_to_text(changed, "v1"))
    assert kept.replies == changed.replies and version == "v1"
    kept, version = revision_from_text(json.dumps(list(changed.replies)))  # as 0.2.0 kept it
    assert kept.replies == changed.replies and version == ""
    wrong = ('{"replies": []}', '{"replies": [1]}', '{"replies": ["a"], "version": 1}', "{}", "1")
    for damaged in ("", "{", "[]", "[1]", '"text"', "[" * 5000, *wrong):
        assert revision_from_text(damaged) is None


def test_turns_that_are_neither_look_nor_answer_are_kept(revision: Revision) -> None:
    odd = ("I am lost", "<think>x</think><tool_call>{</tool_call>", REPLIES[3])
    assert Revision.of(odd).replies == odd


def test_spellings_and_spaces_are_normalized() -> None:
    call = '{"name":"spectral_visualization_tool","arguments":{"wavelength_range":[1,2]}}'
    loose = (
        f"<think>\nH alpha,  5 A wide. </think><tool_call>{call}</tool_call>",
        "<think> so</think>\n\n<answer>\n\\boxed{NO}   [OIII] seen\n</answer>",
        "unreadable",
    )
    made = canonical_replies(loose)
    assert made[0].startswith("<think>Hα, 5 Å wide.</think>\n<tool_call>\n{")
    assert made[1] == "<think>so</think>\n<answer>\\boxed{NO} [O III] seen</answer>"
    assert made[2] == "unreadable"
    assert canonical_replies(made) == made


def test_words_that_are_gone_stand_before_those_in_their_place() -> None:
    pieces = word_differences("Hα is absorbed, 3 Å", "Hα is in emission, 3 Å")
    after, before = (
        "".join(piece.text for piece in pieces if piece.kind != kind) for kind in ("gone", "new")
    )
    assert (before, after) == ("Hα is absorbed, 3 Å", "Hα is in emission, 3 Å")
    kinds = [piece.kind for piece in pieces]
    assert kinds.index("gone") < kinds.index("new")
    assert word_differences("same", "same")[0].kind == "same"
    assert word_differences("", "") == ()


def test_very_long_texts_differ_as_a_whole() -> None:
    pieces = word_differences("a " * 5000, "b " * 5000)
    assert [piece.kind for piece in pieces] == ["gone", "new"]


def look(low: float, thought: str) -> DraftTurn:
    return DraftTurn(thought=thought, range=(low, low + 100), label="x")


def test_turns_are_compared_with_those_they_were_made_from() -> None:
    before = [look(1000, "first"), look(2000, "second"), DraftTurn(thought="so", verdict="YES")]
    after = [look(2000, "second now"), look(1010, "first"), DraftTurn(thought="s", verdict="YES")]
    assert former_turns(before, after) == [before[1], before[0], before[2]]
    new = look(8000, "quite another matter altogether, with other words")
    assert former_turns(before[2:], [new, after[2]]) == [None, before[2]]
