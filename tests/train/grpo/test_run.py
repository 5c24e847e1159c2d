"""A whole run: resumed after a stop, refused with other settings, and a reward that rises."""

import json
from dataclasses import asdict
from pathlib import Path

import pytest

pytest.importorskip("trl")
pytest.importorskip("peft")

import torch

from agent.errors import WorkbenchError
from agent.examples.examples import write_examples
from tests.night import BY_NIGHT
from tests.train.grpo.toy import toy_examples, toy_settings
from tests.train.grpo.training import SMALL, weights
from train.grpo.run import reinforce
from train.journal import Journal, read_metrics


class Stopped(Exception):
    pass


@pytest.mark.parametrize("kind", ["lora", "full"] if BY_NIGHT else ["lora"])
def test_goes_on_as_if_it_had_not_been_stopped(
    kind: str, toy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    more = {"kind": kind, "trained": "all" if kind == "full" else "language"}
    settings = toy_settings(**(SMALL | more), warmup=4)
    sets = [toy / "train.parquet"]
    whole = reinforce(toy / "warm", sets, tmp_path / "whole", settings)

    plain = Journal.log

    def stop(self: Journal, step: int, **figures: float) -> None:
        plain(self, step, **figures)
        if step == 4:  # the second round is logged, but not saved
            raise Stopped

    monkeypatch.setattr(Journal, "log", stop)
    with pytest.raises(Stopped):
        reinforce(toy / "warm", sets, tmp_path / "cut", settings)
    monkeypatch.undo()
    cut = reinforce(toy / "warm", sets, tmp_path / "cut", settings, resume=True)

    first, found, wanted = weights(toy / "warm"), weights(cut), weights(whole)
    assert all(torch.equal(found[name], wanted[name]) for name in wanted)
    assert any(not torch.equal(first[name], wanted[name]) for name in wanted)
    assert list((tmp_path / "cut").rglob("trainer_state.json"))
    assert not list((tmp_path / "cut").rglob("training_args.bin")), "a pickle nobody reads"
    lines = [read_metrics(tmp_path / name) for name in ("whole", "cut")]
    assert [line["step"] for line in lines[1]] == [2, 4, 6]
    rates = [line["learning_rate"] / settings.lr for line in lines[1]]
    assert rates == pytest.approx([0.4, 0.8, 1.0])
    for one, other in zip(*lines, strict=True):
        same = {name for name in one if not name.startswith("seconds")}
        assert {name: one[name] for name in same} == {name: other[name] for name in same}


def test_refusals(toy: Path, tmp_path: Path):
    sets = [toy / "train.parquet"]
    with pytest.raises(WorkbenchError, match="a round needs 64 questions, but these sets have 8"):
        reinforce(toy / "warm", sets, tmp_path, toy_settings(questions=64, epochs=1.0))
    (tmp_path / "settings.json").write_text("{}")
    with pytest.raises(WorkbenchError, match="already has a run"):
        reinforce(toy / "warm", sets, tmp_path, toy_settings(**SMALL))
    settings = toy_settings(**SMALL)
    told = {"grpo": asdict(settings), "seed": 0, "model": str(toy / "warm"), "questions": "others"}
    (tmp_path / "settings.json").write_text(json.dumps(told))
    with pytest.raises(WorkbenchError, match=r"has a run with another questions \(others"):
        reinforce(toy / "warm", sets, tmp_path, settings, resume=True)


@pytest.mark.skipif(not BY_NIGHT, reason="only by night: it learns for twenty seconds")
def test_the_reward_rises(toy: Path, tmp_path: Path):
    """From guessing to looking, by rewards alone."""
    sets = [tmp_path / "train.parquet"]
    write_examples(sets[0], toy_examples(toy / "toy.toml", 64, 0))
    reinforce(toy / "warm", sets, tmp_path / "run", toy_settings(rounds=10))
    metrics = read_metrics(tmp_path / "run")
    first, last = metrics[:3], metrics[-3:]

    def mean(lines: list[dict], name: str) -> float:
        return sum(line[name] for line in lines) / len(lines)

    assert mean(last, "reward") > 0.75
    assert mean(last, "reward") > mean(first, "reward") + 0.15
    assert mean(last, "calls") > mean(first, "calls") + 0.25
    assert mean(last, "accuracy") > 0.8
