from collections import Counter
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("trl")
pytest.importorskip("peft")

from agent.examples.examples import ExampleStore, write_examples
from agent.protocol.reply import Verdict
from agent.tasks.catalogue import find_task
from tests.train.grpo.toy import toy_examples, toy_settings
from tests.train.grpo.training import SMALL, trainer_of
from train.grpo.judging import RolloutOutcome, TokenJudge, metrics
from train.grpo.questions import read_questions
from train.grpo.run import hold_out, reinforce, validation_figures
from train.grpo.setup import hide_trl_warnings
from train.journal import read_metrics
from train.reward import Reading

GOOD = r"<think>Seen.</think><answer>\boxed{YES} a line</answer>"


def judged(verdict: Verdict | None) -> RolloutOutcome:
    replies = (GOOD,) if verdict == "YES" else ("nothing",)
    return RolloutOutcome(replies, Reading(verdict, verdict == "YES"))


def test_figures_by_hand():
    said = [judged("YES"), judged("YES"), judged("NO"), judged(None)]
    answers: list[Verdict] = ["YES", "NO", "YES", "YES"]
    found = metrics(said, answers, ["CV", "CV", "WD", "WD"])
    assert found["f1"] == pytest.approx(2 * 1 / (2 + 3))
    assert (found["accuracy"], found["accuracy/CV"], found["accuracy/WD"]) == (0.25, 0.5, 0.0)
    assert (found["answered"], found["says_yes"], found["well_formed"]) == (0.75, 0.5, 0.5)


def test_no_members_and_none_named():
    assert metrics([judged("NO")], ["NO"], ["CV"])["f1"] == 0.0


# Held-out questions are judged greedily during a run and never trained on.
def question(number: int, task: str = "CV", answer: str = "YES") -> dict[str, str]:
    return {"key": f"{task}-{number}", "sha256": str(number), "task": task, "answer": answer}


class TestHoldOut:
    def test_a_share_of_each_task_and_answer(self):
        questions = [question(n) for n in range(40)] + [question(n, "WD") for n in range(50, 60)]
        questions += [question(n, "WD", "NO") for n in range(60, 80)]
        trained, held = hold_out(questions, 0.1, seed=3)
        assert sorted(one["key"] for one in trained + held) == sorted(q["key"] for q in questions)
        counts = Counter((one["task"], one["answer"]) for one in held)
        assert counts == {("CV", "YES"): 4, ("WD", "YES"): 1, ("WD", "NO"): 2}
        assert (trained, held) == hold_out(questions, 0.1, seed=3)
        assert held != hold_out(questions, 0.1, seed=4)[1]

    def test_a_spectrum_is_on_one_side(self):
        questions = [question(n, task) for n in range(20) for task in ("CV", "WD")]
        trained, held = hold_out(questions, 0.2, seed=0)
        assert {one["sha256"] for one in held}.isdisjoint({one["sha256"] for one in trained})
        assert len(held) == 2 * 4

    def test_none(self):
        questions = [question(n) for n in range(3)]
        assert hold_out(questions, 0.0, seed=0) == (questions, [])


def test_figures_by_hand_of_validation() -> None:
    questions = [question(1), question(2), question(3, answer="NO"), question(4, "WD", "NO")]
    said = (("YES", True), ("NO", True), ("YES", False), (None, False))
    readings = [Reading(*each) for each in said]
    found = validation_figures(readings, questions, 0.2)
    assert found["validation/f1"] == found["validation/f1/CV"] == pytest.approx(0.5)
    assert "validation/f1/WD" not in found  # F1 needs a member
    assert found["validation/accuracy"] == 0.25
    assert found["validation/reward"] == pytest.approx((1.0 + 0.0 - 0.2 - 0.2) / 4)
    assert (found["validation/answered"], found["validation/well_formed"]) == (0.75, 0.5)


def test_a_run_is_validated_every_so_many_rounds(toy: Path, tmp_path: Path) -> None:
    sets = [tmp_path / "train.parquet"]
    write_examples(sets[0], toy_examples(toy / "toy.toml", 20, 0))
    settings = toy_settings(**SMALL, held_out=0.2, validate_every=2)
    reinforce(toy / "warm", sets, tmp_path / "run", settings)
    lines = read_metrics(tmp_path / "run")
    judged = [line for line in lines if "validation/f1" in line]
    assert [line["step"] for line in judged] == [4]  # a round has two updates; there are three
    assert [line["step"] for line in lines if "reward" in line] == [2, 4, 6]
    assert 0.0 <= judged[0]["validation/accuracy"] <= 1.0


def test_validation_takes_the_likeliest_words_and_leaves_the_training_alone(
    toy: Path, tmp_path: Path
) -> None:
    trainer = trainer_of(toy, tmp_path)
    sets, maker = [toy / "train.parquet"], trainer.rollout_settings.pictures.maker
    store, rows = ExampleStore(sets), read_questions(sets)[:3]
    asked = [(maker(store[row["sha256"]]), find_task(row["task"])) for row in rows]
    trainer.model.train()
    with hide_trl_warnings():
        first, again = trainer.judge_greedily(asked), trainer.judge_greedily(asked)
    assert first == again
    assert trainer.model.training and not trainer.rollouts
    judge = TokenJudge(trainer.rollout_settings.tokens)
    assert {judge(ids).verdict for ids in first} <= {"YES", "NO", None}
