"""A round of GRPO on one core: our rollouts and packed loss against TRL's own, with its defaults.

The model is as small as nano-eye and was taught to look three times and answer, so that rollouts
are of the length they have in use. Each way runs in a process of its own, for its memory.

python -m tests.bench grpo
"""

from __future__ import annotations

import json
import os
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from tests.bench.measuring import figure_line, told_by

QUESTIONS, ROLLOUTS, ROUNDS = 2, 8, 2
TEACHING, IN_FULL = 90, 35
SURE = 0.3
"""Temperature: rollouts then keep to what was taught."""
WINDOWS = ((6450, 6700), (4750, 5000), (3900, 4200))
OURS, TRL = "ours", "trl"


def figures() -> Iterator[dict[str, object]]:
    with tempfile.TemporaryDirectory() as place:
        environment = os.environ | {"OMP_NUM_THREADS": "1"}
        _, ours, trl = (
            told_by("-m", "tests.bench.bench_grpo", way, place, environment=environment)
            for way in ("make", OURS, TRL)
        )
    yield from told(ours, trl)


def told(ours: dict[str, float], trl: dict[str, float]) -> Iterator[dict[str, object]]:
    """What each way's clock says, side by side."""
    for name, key in (("a round", "round_s"), ("rollouts", "rollouts_s"), ("loss", "loss_s")):
        baseline = f"{trl[key]:.2f} s by TRL"
        yield figure_line(name, trl[key] / ours[key], "times faster", baseline=baseline)
    both = {
        "rollouts a second": ("rollouts/s", lambda one: one["count"] / one["rollouts_s"]),
        "tokens said a second": ("tokens/s", lambda one: one["said"] / one["rollouts_s"]),
        "speaking": ("of the round", lambda one: one["speaking_s"] / one["round_s"]),
        "drawing": ("of the round", lambda one: one["drawing_s"] / one["round_s"]),
        "scoring and learning": ("of the round", lambda one: one["loss_s"] / one["round_s"]),
        "calls": ("a rollout", lambda one: one["calls"]),
        "peak memory of the process": ("MB", lambda one: one["memory_mb"]),
    }
    for name, (unit, value) in both.items():
        yield figure_line(name, value(ours), unit, baseline=f"{value(trl):.3g} by TRL")


def make(place: Path) -> None:
    """A model in form, and questions."""
    import torch

    from agent.examples.examples import write_examples
    from agent.models.card_file import write_card
    from agent.models.infer_card import make_card
    from agent.protocol.protocol import opening, system_text
    from agent.rendering.style import Style
    from tests.train.grpo.scenes import CV, Script, Stage, stage_of, star
    from tests.train.grpo.toy import Conversation, loss_of, sft_conversation
    from train.grpo.packing import enable_packs
    from train.grpo.rollout import Limits, roll_out
    from train.models.small_model import Shape, make_model, make_tokenizer, save_small_model
    from train.sft.fast_path import use_fast_path

    shape = Shape(
        hidden=192, ffn=576, layers=6, heads=3, kv_heads=3, vision_hidden=128, vision_ffn=384,
        vision_layers=4, vision_heads=4, init_std=0.08
    )  # fmt: skip
    said = _replies()
    tokenizer = make_tokenizer([system_text(), opening(CV)[1].text, *said] * 5, 2048)
    model = make_model("qwen2.5-vl", tokenizer, shape)
    folder = place / "model"
    style = Style(name="small", width=252, height=168)
    save_small_model(folder, model, tokenizer, shape)
    write_card(make_card(folder, style=style), folder)
    stage = stage_of(folder)

    def conversation(stage: Stage, number: int) -> Conversation:
        rollout = stage.rollout(star(number), Limits(turn=400, rollout=4000))
        roll_out([rollout], Script(stage.tokens, said), stage.pictures, 1)
        return sft_conversation(stage, rollout)

    use_fast_path(stage.model)
    enable_packs(stage.model)
    whole = conversation(stage, 0)
    # without most of its prompt it is read ten times faster
    short = replace(whole, prompt=whole.prompt[-20:], pictures=whole.pictures[1:])
    optimizer = torch.optim.AdamW(stage.model.parameters(), lr=2e-3, weight_decay=0.0)
    for step in range(TEACHING):
        loss = loss_of(stage, [whole if step > TEACHING - IN_FULL else short])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    save_small_model(folder, stage.model, tokenizer, shape)
    write_card(make_card(folder, style=style), folder)
    write_examples(place / "set.parquet", (star(number) for number in range(2 * QUESTIONS)))
    print(json.dumps({"loss": loss.item()}))


def _replies() -> list[str]:
    """About 70 tokens a turn."""
    from agent.protocol.tool import TOOL_NAME

    said = []
    for low, high in WINDOWS:
        call = {"name": TOOL_NAME, "arguments": {"wavelength_range": [low, high], "label": "line"}}
        thought = f"The whole spectrum shows a rise near {low} Å. A closer look will tell."
        said.append(f"<think>\n{thought}\n</think>\n<tool_call>\n{json.dumps(call)}\n</tool_call>")
    reasons = "The line is in emission and broad, and the continuum is flat beside it."
    return [*said, f"<think>\n{reasons}\n</think>\n<answer>\\boxed{{YES}} {reasons}</answer>"]


def measure(way: str, place: Path) -> None:
    """Rounds of one way after a first that is not counted."""
    from agent.engines.families import read_folder
    from agent.examples.examples import ExampleStore
    from agent.models.infer_card import read_or_infer_card
    from train.grpo.pictures import PictureCache
    from train.grpo.questions import read_questions, training_order
    from train.grpo.settings import GrpoSettings
    from train.grpo.setup import hide_trl_warnings

    folder, sets = place / "model", [place / "set.parquet"]
    settings = GrpoSettings(
        questions=QUESTIONS, minibatch=QUESTIONS // 2, rollouts=ROLLOUTS, rounds=ROUNDS + 1,
        lr=1e-9, temperature=SURE, turn_tokens=120, rollout_tokens=1200, trained="all",
        precision="fp32", at_once=64, microbatch=ROLLOUTS, save_every=1000
    )  # fmt: skip
    card = read_or_infer_card(folder)
    pictures = PictureCache(card.style, card.sizing, read_folder(folder).vision)
    questions = training_order(read_questions(sets), 8, 0)
    clock = Clock()
    with hide_trl_warnings():
        made = _ours if way == OURS else _trls
        trainer = made(folder, questions, ExampleStore(sets), pictures, place / way, settings)
        # rollouts that are alike would cost ours no loss
        trainer.reward_funcs = [lambda prompts, **rest: [n % 2 for n in range(len(prompts))]]
        clock.watch(trainer)
        trainer.train()
    print(json.dumps(clock.told()))


def _ours(folder: Path, *parts: Any) -> Any:
    from train.grpo.setup import make_trainer

    return make_trainer(folder, *parts, 0)


def _trls(folder: Path, questions: Any, store: Any, pictures: Any, out: Path, settings: Any) -> Any:
    """TRL's trainer as its documentation has it: an environment, a processor, a reward."""
    from datasets import Dataset
    from trl import GRPOTrainer

    from agent.protocol.protocol import system_text
    from train.grpo.generate import turn_tokens
    from train.grpo.judging import TokenJudge, make_reward
    from train.grpo.questions import to_prompts
    from train.grpo.setup import SpectrumProcessor, make_config
    from train.grpo.trainer import SpectrumEnvironment
    from train.models.model_folder import load_trainable

    model = load_trainable(folder)
    tokens = turn_tokens(folder, model.config)
    args = make_config(settings, out, tokens.forbidden, 0)
    args.max_tool_calling_iterations = 8
    return GRPOTrainer(
        model=model,
        args=args,
        train_dataset=Dataset.from_list(to_prompts(questions, system_text())),
        processing_class=SpectrumProcessor(folder, pictures),
        reward_funcs=make_reward(TokenJudge(tokens), settings.penalty),
        environment_factory=partial(SpectrumEnvironment, pictures, store),
    )


class Clock:
    """Seconds by part, over all rounds but the first."""

    def __init__(self) -> None:
        self.spent = dict.fromkeys(("round", "rollouts", "drawing"), 0.0)
        self.rounds = self.count = self.said = self.calls = 0

    def watch(self, trainer: Any) -> None:
        from train.grpo.pictures import PictureCache

        self._timed(trainer, "_generate", "rollouts", self._count)
        self._timed(trainer, "training_step", "round")
        self._timed(PictureCache, "rendered", "drawing")

    def _timed(self, owner: Any, name: str, part: str, then: Any = lambda result: None) -> None:
        plain = getattr(owner, name)

        def timed(*arguments: Any, **options: Any) -> Any:
            started = time.perf_counter()
            result = plain(*arguments, **options)
            then(result)
            if self.rounds > (part != "drawing"):  # pictures are drawn before a round is counted
                self.spent[part] += time.perf_counter() - started
            return result

        setattr(owner, name, timed)

    def _count(self, result: tuple[Any, ...]) -> None:
        self.rounds += 1
        if self.rounds > 1:
            self.count += len(result[1])
            self.said += sum(map(sum, result[2]))
            self.calls += sum(len(each) for each in result[6]) - len(result[1])

    def told(self) -> dict[str, float]:
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        spent = {f"{name}_s": seconds / ROUNDS for name, seconds in self.spent.items()}
        return {
            **spent, "speaking_s": spent["rollouts_s"] - spent["drawing_s"],
            "loss_s": spent["round_s"] - spent["rollouts_s"], "count": self.count / ROUNDS,
            "said": self.said / ROUNDS, "calls": self.calls / max(self.count, 1),
            "memory_mb": memory,
        }  # fmt: skip


if __name__ == "__main__":
    import torch

    torch.set_num_threads(1)
    what, where = sys.argv[1], Path(sys.argv[2])
    make(where) if what == "make" else measure(what, where)
