"""A question that a tiny model can learn in a minute: is there a bright emission line?

The model can look and then say what it saw, but at first it mostly guesses without a look. That
looking is better it learns from rewards alone.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch.nn.functional import cross_entropy
from torch.nn.utils.rnn import pad_sequence

from agent.engines.patches import ImagePatches
from agent.examples.examples import Example, example
from agent.models.card_file import write_card
from agent.models.infer_card import make_card
from agent.protocol.protocol import system_text, task_text
from agent.protocol.reply import Verdict
from agent.protocol.tool import TOOL_NAME
from agent.rendering.model_image import Sizing
from agent.rendering.style import Style
from agent.spectra.spectrum import Spectrum
from agent.tasks.catalogue import find_task
from tests.night import BY_NIGHT
from tests.train.grpo.scenes import Script, Stage, packed_logits, stage_of
from train.grpo.packing import RolloutRow, enable_packs, unpack
from train.grpo.rollout import Limits, Rollout, roll_out
from train.grpo.settings import GrpoSettings
from train.models.small_model import FamilyName, Shape, make_model, make_tokenizer, save_small_model
from train.sft.fast_path import use_fast_path

STYLE = Style(
    name="toy", width=112, height=84, wavelength_ticks=0, flux_ticks=0, grid=False, line_width=3.0
)
SIZING = Sizing.of_tokens(28, 8, 64)
SHAPE = Shape(
    hidden=64, ffn=128, layers=2, init_std=0.2, heads=2, kv_heads=1,
    vision_hidden=32, vision_ffn=64, vision_layers=2, vision_heads=2, whole_every=2,
    min_tokens=8, max_tokens=64,
)  # fmt: skip
ARGUMENTS = {"wavelength_range": [6400, 6700]}
CALL = json.dumps({"name": TOOL_NAME, "arguments": ARGUMENTS})
LOOK = f"<think>\nLook.\n</think>\n<tool_call>\n{CALL}\n</tool_call>"
SEEN: dict[Verdict, str] = {"YES": "Bright", "NO": "Flat"}
VERDICTS: tuple[Verdict, Verdict] = ("YES", "NO")
LOOKS, RARELY = 0.6, 0.2
"""Fraction of the SFT conversations with a look: in training, and in its last steps."""
GLANCES, TALKS, LAST = (50, 100, 20) if BY_NIGHT else (20, 70, 5)
"""Steps on the last turns alone, on whole conversations, and with rare looks: by day too few to
learn from rewards afterwards, which is tested by night."""
LR = 5e-3
TASK = """
id = "TOY"
name = "toy"
title = "Toys"
question = "Is there a line?"
lines = ["hydrogen"]

[guideline]
summary = "A bright line is there, or none is."
primary = ["A bright line."]

[[windows]]
id = "line"
label = "line"
range = [6400, 6700]
key = "F2"
look = "A line."
mimics = "None."
"""


def seen_text(verdict: Verdict) -> str:
    return f"<think>\n{SEEN[verdict]}.\n</think>\n{guess_text(verdict)}"


def guess_text(verdict: Verdict) -> str:
    return f"<answer>\\boxed{{{verdict}}} so</answer>"


def toy_task(folder: Path) -> Path:
    path = folder / "toy.toml"
    path.write_text(TASK, encoding="utf-8")
    return path


def toy_examples(task: Path, count: int, seed: int) -> Iterator[Example]:
    """As many with a line as without."""
    for number in range(count):
        rng = np.random.default_rng([seed, number])
        wavelength = np.linspace(4000.0, 9000.0, 400)
        flux = 1.0 + rng.normal(0.0, 0.03, wavelength.size)
        verdict = VERDICTS[number % 2]
        if verdict == "YES":
            flux += 4.0 * np.exp(-0.5 * ((wavelength - 6550.0) / 60.0) ** 2)
        about = {"path": f"toy-{number}.fits", "simulated": True}
        spectrum = Spectrum(wavelength=wavelength, flux=flux, **about)
        yield example(spectrum, task=str(task), answer=verdict, split="train")


def toy_model(
    folder: Path, task: Path, *, seed: int = 0, family: FamilyName = "qwen2.5-vl"
) -> Path:
    """A model that answers in good form and mostly guesses."""
    words = find_task(str(task))
    texts = [system_text(), task_text(words), LOOK, *map(seen_text, VERDICTS)]
    tokenizer = make_tokenizer(texts * 20, 900)
    model = make_model(family, tokenizer, SHAPE, seed)
    save_small_model(folder, model, tokenizer, SHAPE)
    write_card(make_card(folder, style=STYLE, sizing=SIZING), folder)
    stage = stage_of(folder)
    warm_up(stage, task, seed)
    save_small_model(folder, stage.model, tokenizer, SHAPE)
    write_card(make_card(folder, style=STYLE, sizing=SIZING), folder)
    return folder


def warm_up(stage: Stage, task: Path, seed: int) -> None:
    """SFT on what a look shows, then on looking and on guessing."""
    rng = np.random.default_rng(seed)
    examples = list(toy_examples(task, 16, seed + 1000))
    looks = [said(stage, task, one, LOOK, seen_text(one.answer)) for one in examples]
    guesses = [[said(stage, task, one, guess_text(word)) for word in VERDICTS] for one in examples]
    optimizer = torch.optim.AdamW(stage.model.parameters(), lr=LR, weight_decay=0.0)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, LR, total_steps=GLANCES + TALKS)
    use_fast_path(stage.model)
    enable_packs(stage.model)
    stage.model.train()
    for step in range(GLANCES + TALKS):
        if step < GLANCES:
            conversations = [glance(stage, one) for one in looks]
        else:
            share = LOOKS if step < GLANCES + TALKS - LAST else RARELY
            conversations = [
                sft_conversation(
                    stage, looks[number] if rng.random() < share else guesses[number][chance]
                )
                for number in 2 * rng.integers(len(examples) // 2, size=4) + np.arange(4) % 2
                for chance in rng.permutation(2)
            ]
        loss = loss_of(stage, conversations)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(stage.model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
    stage.model.train(False)


def only_look(stage: Stage, task: Path) -> None:
    """SFT on looking alone, so that the likeliest token is clearly the likeliest."""
    looks = [
        sft_conversation(stage, said(stage, task, one, LOOK, seen_text(one.answer)))
        for one in toy_examples(task, 4, 1000)
    ]
    optimizer = torch.optim.AdamW(stage.model.parameters(), lr=2e-3, weight_decay=0.0)
    for _ in range(12):
        optimizer.zero_grad()
        loss_of(stage, looks).backward()
        optimizer.step()


@dataclass(frozen=True, eq=False)
class Conversation:
    prompt: list[int]
    completion: list[int]
    sampled: list[int]
    pictures: list[ImagePatches]


def sft_conversation(stage: Stage, one: Rollout) -> Conversation:
    seen = [stage.pictures.patches(picture) for picture in one.conversation.pictures]
    return Conversation(one.prompt, one.completion, one.sampled, seen)


def glance(stage: Stage, one: Rollout) -> Conversation:
    """Only the last turn and the tool's answer before it."""
    start = one.sampled.index(0)
    turn = start + one.sampled[start:].index(1)
    last = [stage.pictures.patches(one.conversation.pictures[-1])]
    return Conversation(one.completion[start:turn], one.completion[turn:], one.sampled[turn:], last)


def loss_of(stage: Stage, conversations: Sequence[Conversation]) -> torch.Tensor:
    """Nats a token the model is to say."""
    rows, pictures = [], []
    for one in conversations:
        grids = [each.grid for each in one.pictures]
        rows.append(RolloutRow(one.prompt, one.completion, grids, len(pictures)))
        pictures += [torch.from_numpy(each.rows) for each in one.pictures]
    packed, logits, labels = packed_logits(stage, rows, pictures)
    lost = cross_entropy(logits.transpose(1, 2), labels, reduction="none")
    mask = pad_sequence([torch.tensor(one.sampled) for one in conversations], batch_first=True)
    return (unpack(lost, packed, mask.shape[1]) * mask).sum() / mask.sum()


def said(stage: Stage, task: Path, one: Example, *replies: str) -> Rollout:
    """A conversation in which the model says these replies."""
    maker = stage.pictures.maker(one)
    rollout = Rollout(maker, find_task(str(task)), stage.tokens, Limits(turn=100, rollout=500))
    roll_out([rollout], Script(stage.tokens, replies), stage.pictures, 1)
    return rollout


def toy_settings(**changes: object) -> GrpoSettings:
    told = {
        "questions": 8, "minibatch": 8, "rollouts": 8, "epochs": 4.0, "rounds": 12, "lr": 8e-4,
        "turn_tokens": 60, "rollout_tokens": 300, "trained": "all", "precision": "fp32",
        "at_once": 64, "microbatch": 32, "save_every": 1000,
    }  # fmt: skip
    return GrpoSettings(**(told | changes))
