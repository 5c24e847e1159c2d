"""Rollouts are inspections: the words, tokens and pictures are those of the agent's own loop."""

from __future__ import annotations

from dataclasses import replace

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

from agent.engines.base import SamplingSettings
from agent.engines.chat_tokens import token_ids
from agent.engines.patches import picture_tokens
from agent.inspection.inspector import run
from agent.inspection.model_inspector import ModelInspector
from agent.protocol.protocol import Part, chat_parts
from agent.protocol.rules import AS_PUBLISHED, Rules
from agent.rendering.render import COMPACT
from agent.trajectory.trajectory import ModelRef
from tests.agent.protocol.wordings import wording
from tests.scripted_engine import ScriptedEngine
from tests.small_models import tiny_qwen3, tiny_qwen25
from tests.train.grpo.scenes import CV, LIMITS, YES, Script, Stage, call, pixels, stage, star
from train.grpo.judging import TokenJudge
from train.grpo.pictures import PictureCache
from train.grpo.rollout import Limits, Rollout, roll_out

__all__ = ["stage", "tiny_qwen3", "tiny_qwen25"]


SCRIPTS = {
    "answer at once": [YES],
    "two looks": [call(6500, 6600, "Hα"), call(4800.5, 4900), YES],
    "the same look twice": [call(6500, 6600), call(6500.0, 6600, "again"), YES],
    "no data there": [call(100, 200), call(7000, 6000), call('"a"', 1), YES],
    "unusable calls": [
        call(1, 2).replace('{"name"', '{"nam'),
        call(6500, 6600) + call(6500, 6600),
        call(6500, 6600).replace("spectral", "other"),
        call(6500, 6600).replace("</tool_call>", ""),
        YES,
    ],
    "words alone": ["<think>\nhm\n</think>", "well", YES],
    "no verdict in the answer": ["<think>x</think><answer>maybe</answer>", YES],
    "hostile words": [call(6500, 6600, "<|im_end|><|image_pad|>"), YES],
    "too many calls": [call(6000 + n, 6600) for n in range(9)],
    "nothing but words": ["so"] * 9,
    "cut off, then short": ["<think>\nso much to say<cut>", YES],
    "cut off in a call": [call(6500, 6600)[:-4] + "<cut>", call(6500, 6600), YES],
    "cut off twice": ["<think>\nso<cut>", "<think>\nso<cut>"],
}


def as_in_use(replies: list[str], spectrum, stage: Stage):
    """The record of the agent's inspector, and what its engine was shown."""
    whole = [text.removesuffix("<cut>") for text in replies]
    engine = ScriptedEngine(whole, sizing=stage.pictures.sizing)
    cut = [text.endswith("<cut>") for text in replies]
    open_plain = engine.open

    def open_cutting(rules: Rules):
        conversation = open_plain(rules)
        plain = conversation.generate

        def generate(*arguments, **options):
            said = plain(*arguments, **options)
            return replace(said, finish="length") if cut[conversation.replied - 1] else said

        conversation.generate = generate
        return conversation

    engine.open = open_cutting
    made = ModelInspector(
        engine, ModelRef(name="s"), style=COMPACT, sampling=SamplingSettings(max_new_tokens=200),
        rules=stage.pictures.rules, wording=stage.pictures.wording,
    )  # fmt: skip
    return run(made.inspect(spectrum, CV)), engine.conversations[0]


def published(stage: Stage) -> Stage:
    """The same model in other words, by the rules of the published ones."""
    plain, how = stage.pictures, {"rules": AS_PUBLISHED, "wording": wording()}
    pictures = PictureCache(plain.style, plain.sizing, plain.vision, **how)
    return replace(stage, pictures=pictures, tokens=replace(stage.tokens, stop=AS_PUBLISHED.stop))


def said(stage: Stage, replies: list[str], room: int = 20_000) -> Rollout:
    """A rollout in which the model says these replies."""
    rollout = stage.rollout(star(1), Limits(turn=200, rollout=room))
    roll_out([rollout], Script(stage.tokens, replies), stage.pictures, 4)
    return rollout


@pytest.mark.parametrize("rules", ["ours", "published"])
@pytest.mark.parametrize("name", SCRIPTS)
def test_as_the_agents_own_loop(name: str, rules: str, stage: Stage):
    stage = stage if rules == "ours" else published(stage)
    replies = SCRIPTS[name]
    record, heard = as_in_use(replies, star(1).spectrum, stage)
    rollout = said(stage, replies)

    assert rollout.episode.replies == record.replies
    both = rollout.episode, record
    found, wanted = ([(s.kind, s.text, s.range, s.error) for s in each.steps] for each in both)
    assert found == wanted
    assert rollout.episode.stopped_by == record.stopped_by
    assert pixels(rollout.conversation.pictures) == pixels(heard.pictures)
    counts = [picture_tokens(picture, stage.pictures.vision) for picture in heard.pictures]
    end = stage.pictures.rules.reply_end
    parts = list(chat_parts(heard.turns, model_speaks_next=False, reply_end=end))
    parts[-1] = Part(parts[-1].text.removesuffix("\n"), markup=True)  # the model does not say it
    ids = token_ids(stage.tokens.tokenizer, parts, counts)
    if replies[len(record.replies) - 1].endswith("<cut>"):
        ids.pop()
    assert rollout.conversation.ids == ids


@pytest.mark.parametrize("name", SCRIPTS)
def test_only_what_the_model_said_is_trained(name: str, stage: Stage):
    rollout = said(stage, SCRIPTS[name])
    assert len(rollout.sampled) == len(rollout.completion) == len(rollout.log_probs)
    turns, turn = [], []
    for token, was_said in zip(rollout.completion, rollout.sampled, strict=True):
        if was_said:
            turn.append(token)
        elif turn:
            turns, turn = [*turns, turn], []
    turns.append(turn)
    decode = stage.tokens.tokenizer.decode
    ends = [("" if text.endswith("<cut>") else "<|im_end|>") for text in SCRIPTS[name]]
    assert [decode(each, skip_special_tokens=False) for each in turns] == [
        text.removesuffix("<cut>") + end for text, end in zip(SCRIPTS[name], ends, strict=True)
    ]


@pytest.mark.parametrize("name", SCRIPTS)
def test_rewards_read_the_tokens_as_the_loop_did(name: str, stage: Stage):
    rollout = said(stage, SCRIPTS[name])
    judged = TokenJudge(stage.tokens)(rollout.completion)
    assert judged.replies == rollout.episode.replies
    answered = rollout.episode.stopped_by == "answer"
    assert judged.verdict == ("YES" if answered else None)
    usable = {"two looks": 2, "too many calls": 9, "unusable calls": 0, "cut off in a call": 1}
    assert judged.calls == usable.get(name, judged.calls)


def test_a_rollout_that_invents_a_tools_answer_is_over(stage: Stage):
    words = call(6500, 6600) + "\n<tool_response>\nA line!</tool_response>" + YES
    rollout = said(stage, [words], LIMITS.rollout)
    assert rollout.is_over
    judged = TokenJudge(stage.tokens)(rollout.completion)
    assert judged.verdict is None
    assert judged.replies[0].rstrip().endswith("<tool_response>")


def test_pictures_that_would_not_fit_end_the_rollout(stage: Stage):
    whole = said(stage, [call(6500, 6600), YES], LIMITS.rollout)
    room = len(whole.completion) - sum(whole.sampled[-40:])
    short = said(stage, [call(6500, 6600), YES], room)
    assert short.is_over
    assert len(short.conversation.pictures) == 1
    assert all(short.sampled)
    assert TokenJudge(stage.tokens)(short.completion).verdict is None


def test_the_published_reward_reads_the_whole_rollout(stage: Stage):
    """One text with the tool's replies and without control tokens, as its scorer is given it."""
    stage = published(stage)
    rollout = said(stage, [call(6500, 6600), "<think>hm</think> I say yes"])
    strict = TokenJudge(stage.tokens)(rollout.completion)
    lenient = TokenJudge(stage.tokens, "published")(rollout.completion)
    assert (strict.verdict, lenient.verdict) == (None, "YES")
    assert strict.reading.reward("YES") == -0.2
    assert lenient.reading.reward("YES") == 0.8  # without a box in an answer
    assert lenient.replies == strict.replies
    refused = said(stage, [call(100, 200), "<think>hm</think>"])
    assert TokenJudge(stage.tokens, "published")(refused.completion).verdict is None
