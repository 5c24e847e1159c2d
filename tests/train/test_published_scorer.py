"""One table of conversations with what each of the two rewards pays for them."""

from __future__ import annotations

import time

import pytest

from agent.protocol.reply import parse_reply
from train.published_scorer import read_as_published
from train.reward import outcome_reward

LOOK = '<think>\nlook\n</think>\n<tool_call>\n{"name": "x", "arguments": {}}\n</tool_call>'
THOUGHT = "<think>\nseen\n</think>\n"


def answered(words: str) -> str:
    return f"{THOUGHT}<answer>{words}</answer>"


# Replies of a conversation whose right answer is YES; the strict reward; the published one.
TABLE: dict[str, tuple[tuple[str, ...], float, float]] = {
    "right": ((LOOK, answered(r"\boxed{YES} a line")), 1.0, 1.0),
    "wrong": ((answered(r"\boxed{NO} no line"),), 0.0, 0.0),
    "small letters": ((answered(r"\boxed{yes}"),), -0.2, 1.0),
    "blanks in the box": ((answered(r"\boxed{ YES }"),), -0.2, 1.0),
    "two boxes": ((answered(r"\boxed{YES} rather than \boxed{NO}"),), -0.2, 1.0),
    "two boxes, the first one wrong": ((answered(r"\boxed{NO}, or \boxed{YES}"),), -0.2, 0.0),
    "the same box twice": ((answered(r"\boxed{YES}, so \boxed{YES}"),), 1.0, 1.0),
    "a bare word": ((answered("YES, a line"),), -0.2, 0.8),
    "a bare wrong word": ((answered("no line"),), -0.2, -0.2),
    "both bare words": ((answered("no, or yes"),), -0.2, 0.8),
    "part of a word": ((answered("yesterday"),), -0.2, -0.2),
    "a box outside the answer": ((f"{THOUGHT}\\boxed{{YES}} <answer>so</answer>",), -0.2, 0.8),
    "a wrong box outside": ((f"{THOUGHT}\\boxed{{NO}} <answer>so</answer>",), -0.2, -0.2),
    "a bare word before a box outside": (
        (f"{THOUGHT}\\boxed{{NO}} <answer>YES</answer>",), -0.2, 0.8,
    ),
    "another word in the box": ((answered(r"\boxed{maybe} YES"),), -0.2, -0.2),
    "an empty box": ((answered(r"\boxed{} a line"),), -0.2, -0.2),
    "an empty box and a word": ((answered(r"\boxed{} YES"),), -0.2, 0.8),
    "an empty box after a full one": (
        (f"{THOUGHT}\\boxed{{YES}} <answer>\\boxed{{}}</answer>",), -0.2, 0.8,
    ),
    "an open box": ((answered(r"\boxed{YES"),), -0.2, 0.8),
    "a call and an answer in one turn": (
        (f"{LOOK}\n<answer>\\boxed{{YES}}</answer>",), 0.0, 1.0,
    ),
    "think tags balanced only over the whole": (
        ("<think>\nlook", "</think>\n<answer>\\boxed{YES}</answer>"), 0.8, 1.0,
    ),
    "think tags out of order": (
        ("</think>look<think>\n<answer>\\boxed{YES}</answer>",), 0.8, 1.0,
    ),
    "an open thought": (("<think>\nseen\n<answer>\\boxed{YES}</answer>",), 0.8, 0.8),
    "no thought": ((r"<answer>\boxed{YES}</answer>",), 0.8, 0.8),
    "no thought, wrong": ((r"<answer>\boxed{NO}</answer>",), -0.2, -0.2),
    "two answers, the last one right": (
        (answered(r"\boxed{NO}") + r"<answer>\boxed{YES}</answer>",), 0.8, 0.8,
    ),
    "two answers, the last one wrong": (
        (answered(r"\boxed{YES}") + r"<answer>\boxed{NO}</answer>",), -0.2, -0.2,
    ),
    "an answer that is not closed": ((f"{THOUGHT}<answer>\\boxed{{YES}} a line",), -0.2, 0.8),
    "answer tags out of order": ((f"{THOUGHT}</answer>\\boxed{{YES}}<answer>",), -0.2, 0.8),
    "no answer": ((LOOK,), -0.2, -0.2),
    "only a word": (("<think>\nyes\n</think>",), -0.2, 0.8),
    "nothing": ((), -0.2, -0.2),
}  # fmt: skip


def strict_reward(replies: tuple[str, ...], answer: str) -> float:
    last = parse_reply(replies[-1]) if replies else None
    verdict = last.verdict if last is not None and last.kind == "answer" else None
    return outcome_reward(replies, verdict, answer)  # type: ignore[arg-type]


@pytest.mark.parametrize("case", TABLE)
class TestOneTable:
    def test_strict(self, case: str):
        replies, strict, _ = TABLE[case]
        assert strict_reward(replies, "YES") == pytest.approx(strict)

    def test_published(self, case: str):
        replies, _, published = TABLE[case]
        assert read_as_published("\n".join(replies)).reward("YES") == pytest.approx(published)


def test_words_of_the_tool_count_where_there_is_no_answer():
    told = f"{LOOK}user\n<tool_response>\nThere is no such range.\n</tool_response>assistant\n"
    assert read_as_published(told).verdict == "NO"


@pytest.mark.parametrize("word", [r"\boxed{", "<answer>", "<think>", "</answer>", "}"])
def test_a_model_that_repeats_itself_forever_is_read_at_once(word: str):
    text = word * 40_000
    started = time.perf_counter()
    assert read_as_published(text).is_well_formed is False
    assert time.perf_counter() - started < 2.0
