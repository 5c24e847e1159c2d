"""Rollouts are inspections: the words, tokens and pictures are those of the agent's own loop."""

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("pyarrow")
pytest.importorskip("trl")
pytest.importorskip("peft")

from agent.engines.base import SamplingSettings
from agent.engines.chat_tokens import token_ids
from agent.engines.patches import picture_tokens
from agent.errors import WorkbenchError
from agent.examples.examples import write_examples
from agent.inspection.inspector import run
from agent.inspection.inspector_factory import make_inspector
from agent.inspection.model_inspector import ModelInspector
from agent.models.card_file import read_card
from agent.protocol.protocol import Part, chat_parts, system_text
from agent.protocol.rules import AS_PUBLISHED, Rules
from agent.rendering.render import COMPACT
from agent.tasks.catalogue import find_task
from agent.trajectory.trajectory import ModelRef
from tests.agent.protocol.wordings import wording
from tests.scripted_engine import ScriptedEngine
from tests.small_models import tiny_qwen3, tiny_qwen25
from tests.train.evaluate.helpers import make_judgement
from tests.train.grpo.scenes import CV, LIMITS, YES, Script, Stage, call, pixels, stage, star
from tests.train.grpo.toy import STYLE, toy_examples, toy_settings
from tests.train.grpo.training import SMALL
from train.cli import app
from train.grpo.judging import TokenJudge
from train.grpo.pictures import PictureCache
from train.grpo.questions import read_questions, select_uncertain, to_prompts, training_order
from train.grpo.rollout import Limits, Rollout, roll_out
from train.grpo.settings import GrpoSettings
from train.journal import read_metrics
from train.recipe import settings

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


def rows(task: str, yes: int, no: int) -> list[dict[str, str]]:
    answers = ["YES"] * yes + ["NO"] * no
    return [
        {"key": f"{task}-{number}", "sha256": f"{task}{number}", "task": task, "answer": answer}
        for number, answer in enumerate(answers)
    ]


class TestOrder:
    def test_every_pair_holds_both_answers_of_a_class(self):
        order = training_order([*rows("CV", 9, 4), *rows("WD", 3, 30)], 2, 0)
        assert len(order) == 2 * 2 * (4 + 3)
        for one, other in zip(order[::2], order[1::2], strict=True):
            assert one["task"] == other["task"]
            assert (one["answer"], other["answer"]) == ("YES", "NO")

    def test_the_rarer_answer_comes_once_an_epoch_and_the_other_is_drawn_anew(self):
        order = training_order(rows("CV", 3, 30), 8, 0)
        count = Counter(row["key"] for row in order)
        assert all(count[f"CV-{number}"] == 8 for number in range(3))
        assert len([key for key in count if key not in ("CV-0", "CV-1", "CV-2")]) > 15

    def test_by_seed_and_epoch(self):
        asked = rows("CV", 8, 8)
        assert training_order(asked, 2, 1) == training_order(asked, 2, 1)
        assert training_order(asked, 2, 1) != training_order(asked, 2, 2)
        assert training_order(asked, 2, 1)[:16] == training_order(asked, 1, 1)
        assert training_order(asked, 2, 1)[16:] != training_order(asked, 1, 1)

    def test_part_of_an_epoch(self):
        assert len(training_order(rows("CV", 8, 8), 1.5, 0)) == 24

    def test_more_of_the_answer_no(self):
        order = training_order(rows("CV", 5, 40), 1, 0, noes=3)
        assert len(order) == 4 * 5 and len({row["key"] for row in order}) == 20
        for start in range(0, 20, 4):
            assert [row["answer"] for row in order[start : start + 4]] == ["YES", "NO", "NO", "NO"]

    def test_as_many_of_each_as_there_are(self):
        asked = [*rows("CV", 5, 40), *rows("WD", 9, 2), *rows("CS", 7, 0)]
        order = training_order(asked, 2, 0, noes=0)
        count = Counter((row["task"], row["answer"]) for row in order)
        assert count == {("CV", "YES"): 10, ("CV", "NO"): 80, ("WD", "YES"): 18, ("WD", "NO"): 4}
        assert max(Counter(row["key"] for row in order).values()) == 2
        assert len({row["task"] for row in order[:20]}) == 2, "shuffled"

    def test_one_answer_alone(self):
        with pytest.raises(WorkbenchError, match="no task with both answers"):
            training_order([*rows("CV", 5, 0), *rows("WD", 0, 5)], 1, 0)


def test_what_a_judge_is_sure_of_and_right_about_is_not_asked():
    asked = rows("CV", 3, 3)  # 0, 1, 2 are YES
    judged = [
        make_judgement(0, "YES", "YES", p_yes=0.99),
        make_judgement(1, "YES", "YES", p_yes=0.9),
        make_judgement(2, "YES", "NO", p_yes=0.001),
        make_judgement(3, "NO", "NO", p_yes=0.001),
        make_judgement(4, "NO", None),
    ]
    kept = [row["key"] for row in select_uncertain(asked, judged, 0.98)]
    assert kept == ["CV-1", "CV-2", "CV-4"]  # nobody judged CV-5
    assert len(select_uncertain(asked, judged, 1.0)) == 5
    twice = [*judged, make_judgement(1, "YES", "YES", p_yes=0.999)]
    doubted = select_uncertain(asked, twice, 0.98)
    assert [row["key"] for row in doubted] == kept  # one doubt is enough


def test_sure_yes_are_asked_beside_doubtful_noes():
    asked = [*rows("CV", 6, 4), *rows("WD", 3, 1)]
    yes = [f"CV-{number}" for number in range(6)]
    judged = [
        make_judgement(0, "YES", "YES", p_yes=0.6),
        *(make_judgement(number, "YES", "YES", p_yes=0.999) for number in range(1, 6)),
        *(make_judgement(number, "NO", "YES", p_yes=0.9) for number in range(6, 10)),
    ]
    doubts = {"CV-0", "CV-6", "CV-7", "CV-8", "CV-9"}
    assert {row["key"] for row in select_uncertain(asked, judged, 0.98)} == doubts
    kept = [row["key"] for row in select_uncertain(asked, judged, 0.98, 0.75, 1)]
    assert set(kept) > doubts and len(set(kept)) == len(kept) == 7
    assert sum(key in yes for key in kept) == 3  # to four NO
    assert kept == [row["key"] for row in select_uncertain(asked, judged, 0.98, 0.75, 1)]
    assert {row["key"] for row in select_uncertain(asked, judged, 0.98, 9, 1)} == {*yes, *doubts}


def test_questions_of_a_set(tmp_path: Path):
    examples = [star(number) for number in range(4)]
    write_examples(tmp_path / "set.parquet", examples)
    found = read_questions([tmp_path / "set.parquet"])
    assert [row["sha256"] for row in found] == [one.sha256 for one in examples]
    prompt = to_prompts(found, system_text())[0]["prompt"]
    assert [turn["role"] for turn in prompt] == ["system", "user"]
    assert prompt[0]["content"][0]["text"] == system_text()


# Settings of GRPO: the published recipe, and combinations that cannot work.
class TestSettings:
    @pytest.mark.parametrize("preset", ["3b", "7b"])
    def test_the_published_recipe(self, preset: str):
        told = settings(GrpoSettings, "grpo", preset=preset)
        assert (told.kind, told.trained) == ("full", "all")  # nothing is frozen in RL
        assert (told.lr, told.weight_decay, told.warmup) == (1e-6, 0.01, 0)
        assert (told.clip, told.dual_clip, told.temperature) == (0.2, 3.0, 1.0)
        assert (told.turn_limit, told.rollout_tokens) == (32768, 32768)
        assert told.use_vllm
        assert told.validate_every == 10 and told.held_out > 0
        assert (told.questions, told.minibatch, told.rollouts, told.epochs) == (64, 32, 8, 3.0)
        assert (told.reward, told.penalty, told.tool) == ("", 0.2, True)

    def test_small_models_are_trained_as_before(self):
        told = settings(GrpoSettings, "grpo", preset="tiny")
        assert (told.weight_decay, told.dual_clip, told.validate_every) == (0.0, 0.0, 0)
        assert told.turn_limit == told.turn_tokens > 0
        assert not told.use_vllm

    def test_a_round(self):
        told = GrpoSettings()
        assert (told.questions, told.rollouts, told.updates, told.lr) == (64, 8, 2, 1e-6)
        assert told.passes(8) == 4
        assert told.passes(1) == 32

    @pytest.mark.parametrize(("wrong", "why"), [
        ({"questions": 10, "minibatch": 4}, "cannot be divided into minibatches of 4"),
        ({"rollouts": 1}, r"grpo\.rollouts: 1 is not between 2"),
        ({"lr": 0.0}, r"grpo\.lr"),
        ({"kind": "lora", "trained": "all"}, "LoRA adapts only the language model"),
        ({"dual_clip": 1.1}, "must be above 1 . clip, 1.2"),
        ({"turn_tokens": 3}, "neither 0 nor between 8"),
        ({"validate_every": 10}, "needs held-out questions"),
        ({"held_out": 0.1}, "needs held-out questions"),
        ({"style": "glossy"}, "'glossy' is none of: published"),
    ])  # fmt: skip
    def test_refusals(self, wrong, why):
        with pytest.raises(WorkbenchError, match=why):
            GrpoSettings(**wrong)

    def test_more_devices_than_work(self):
        with pytest.raises(WorkbenchError, match="cannot be shared by 3 devices"):
            GrpoSettings(questions=2, minibatch=2, rollouts=4).passes(3)


# `spec-o3-train grpo` makes a model in use.
def test_the_command_makes_a_model_in_use(toy: Path, tmp_path: Path):
    out = tmp_path / "run"
    told = toy_settings(**(SMALL | {"rounds": 1}))
    changes = [f"--set={name}={getattr(told, name)}" for name in (*SMALL, "turn_tokens")]
    command = ["grpo", "--sets", str(toy / "train.parquet"), "--out", str(out)]
    command += ["--model", str(toy / "warm"), "--preset", "tiny", "--workers", "2"]
    result = CliRunner().invoke(app, [*command, "--set=rounds=1", *changes])
    assert result.exit_code == 0, result.output
    assert str(out / "model") in result.output.replace("\n", "")
    card = read_card(out / "model")
    assert card.style == STYLE
    assert "train.parquet" in card.trained_on
    one = next(toy_examples(toy / "toy.toml", 1, 5))
    made = make_inspector(str(out / "model"), device="cpu")
    record = run(made.inspect(one.spectrum, find_task(one.task)))
    made.close()
    assert record.replies
    (line,) = read_metrics(out)
    names = {"reward", "reward_std", "accuracy", "f1", "well_formed", "answered", "calls", "tokens"}
    names |= {"groups_alike", "entropy", f"accuracy/{toy / 'toy.toml'}", "seconds/speaking"}
    assert names <= set(line)
    assert json.loads((out / "settings.json").read_text())["grpo"]["questions"] == 2
