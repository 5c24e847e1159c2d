"""Reinforcement learning from labels: sample rollouts, reward them, train on their advantages.

A run writes `settings.json`, `checkpoints`, `metrics.jsonl`, `tensorboard`, `adapter` (with LoRA)
and `model` into its folder.
"""

import importlib.util
from collections.abc import Sequence
from contextlib import ExitStack, closing
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
from accelerate.utils import gather_object
from rich.console import Console
from transformers import TrainerCallback
from transformers.utils import logging

from agent.engines.families import read_folder
from agent.errors import WorkbenchError
from agent.examples.examples import ExampleStore
from agent.models.card import Card
from agent.models.infer_card import plain_name, read_or_infer_card
from agent.protocol.reply import Verdict
from agent.protocol.rules import RULES
from agent.rendering.render import AS_PUBLISHED, PUBLISHED, STYLES
from agent.tasks.catalogue import find_task
from train.evaluate.judgement import read_judgements
from train.grpo.judging import TokenJudge, f1_of
from train.grpo.pictures import PictureCache
from train.grpo.questions import Row, digest, read_questions, select_uncertain, training_order
from train.grpo.settings import GrpoSettings
from train.grpo.setup import hide_trl_warnings, judge_of, make_trainer
from train.grpo.trainer import SpectrumTrainer
from train.journal import Journal, journal
from train.models.checkpoints import begin, last_checkpoint, step_of
from train.models.model_folder import MODEL, complete_folder, kept_fields, write_finished
from train.parallel import counting
from train.reward import Reading
from train.sft.trainer import HeapTrimmer, ProgressCallback
from train.wordings import OURS, install, told_of, wording_to_train

RENAMED = {"clip_ratio/region_mean": "clipped", "step_time": "seconds/update"}
TRL_NAMES = ("loss", "grad_norm", "learning_rate", "reward", "reward_std", "entropy")
OUR_PREFIXES = (
    "accuracy", "f1", "well_formed", "answered", "says_yes", "calls", "tokens", "groups_alike",
    "seconds/",
)  # fmt: skip


def reinforce(
    folder: Path,
    sets: Sequence[Path],
    out: Path,
    settings: GrpoSettings,
    *,
    judged: Sequence[Path] = (),
    wording: str = "",
    seed: int = 0,
    workers: int = 1,
    resume: bool = False,
) -> Path:
    """Train the model in `folder` on the questions of `sets`; returns the finished model's folder.

    `wording` names the words it is trained in: see `train.wordings`.
    Every process of a launcher calls this. On one CPU the same arguments and seed give the same
    weights, even if the run was stopped and resumed.
    """
    logging.set_verbosity_error()  # type: ignore[no-untyped-call]
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    card = read_or_infer_card(folder)
    if settings.style:
        card = replace(card, style=STYLES[settings.style])
    words = wording_to_train(wording, card)
    if words is not None:
        if not settings.tool:
            raise WorkbenchError("grpo.tool: a wording describes the tool; use --wording ours")
        style = AS_PUBLISHED if card.style == PUBLISHED else card.style
        card = replace(card, rules="published", wording=words.name, style=style)
    elif wording == OURS:
        card = replace(card, rules="ours", wording="")
    rules = RULES[card.rules]
    if settings.use_vllm and importlib.util.find_spec("vllm") is None:
        raise WorkbenchError(
            "grpo.use_vllm: vllm is not installed; install it with pip, or generate without it, "
            "which is slower: --set use_vllm=false"
        )
    questions, held = hold_out(read_questions(sets), settings.held_out, seed)
    if judged:
        judgements = [one for path in judged for one in read_judgements(path)]
        questions = select_uncertain(questions, judgements, settings.sure, settings.reminders, seed)
    questions = training_order(questions, settings.epochs, seed, settings.noes)
    if len(questions) < settings.questions:
        raise WorkbenchError(
            f"a round needs {settings.questions} questions, but these sets have {len(questions)} "
            "in the proportion of grpo.noes: set a smaller grpo.questions"
        )
    vision = read_folder(folder).vision
    with ExitStack() as stack:
        pictures = PictureCache(
            card.style, card.sizing, vision, workers,
            tool=settings.tool, rules=rules, wording=words,
        )  # fmt: skip
        stack.enter_context(closing(pictures))
        stack.enter_context(hide_trl_warnings())
        store = ExampleStore(sets)
        trainer = make_trainer(folder, questions, store, pictures, out, settings, seed)
        trainer.add_callback(HeapTrimmer(every=1))  # each update reads hundreds of conversations
        is_first = trainer.is_world_process_zero()
        with trainer.args.main_process_first(desc="settings"):
            if is_first:
                record = {"grpo": asdict(settings), "seed": seed, "model": str(folder)}
                record |= {} if words is None else {"wording": words.sha256}
                begin(out, record | {"questions": digest(questions)}, resume=resume)
                if words is not None:
                    install(words)
        checkpoint = last_checkpoint(out) if resume else None
        log = None
        if is_first:
            log = stack.enter_context(journal(out, resume_at=step_of(checkpoint)))
            bar = stack.enter_context(counting(Console(stderr=True), transient=True))
            trainer.add_callback(RoundLogger(log))
            trainer.add_callback(ProgressCallback(bar))
        if settings.validate_every:
            judge = judge_of(settings, trainer.rollout_settings.tokens, rules)
            every = settings.validate_every * settings.updates
            validator = Validator(trainer, held, store, judge, settings.penalty, every, log)
            trainer.add_callback(validator)
        trainer.train(resume_from_checkpoint=None if checkpoint is None else str(checkpoint))
        _save_model(trainer, folder, card, out, sets, settings, told_of(words))
    return out / MODEL


def _save_model(
    trainer: SpectrumTrainer,
    start: Path,
    card: Card,
    out: Path,
    sets: Sequence[Path],
    settings: GrpoSettings,
    said: str,
) -> None:
    """Write `out`/model with its card."""

    def complete(part: Path) -> None:
        before = [card.trained_on] if card.trained_on else []
        names = ", ".join(path.name for path in sets)
        without = "" if settings.tool else ", without the tool"
        complete_folder(
            part,
            start,
            name=plain_name(out.resolve().name),
            title=f"Reinforced over {trainer.state.global_step} updates",
            trained_on="; ".join([*before, f"labels of {names} by GRPO{without}{said}"])[:4000],
            **kept_fields(card),
        )

    write_finished(trainer, start, out, settings.kind, complete)


class RoundLogger(TrainerCallback):
    """Writes the metrics of every round to the journal."""

    def __init__(self, record: Journal) -> None:
        self._record = record

    def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **unused: Any) -> None:
        metrics = {
            RENAMED.get(name, name): None if value is None else float(value)
            for name, value in (logs or {}).items()
            if name in RENAMED or name in TRL_NAMES or name.startswith(OUR_PREFIXES)
        }
        if "reward" in metrics:
            self._record.log(int(state.global_step), **metrics)


# Judges held-out questions greedily during a run, as the model would be judged in use.
PREFIX = "validation/"


def hold_out(questions: Sequence[Row], share: float, seed: int) -> tuple[list[Row], list[Row]]:
    """The questions to train on, and those held out: a share of each task's YES and NO.

    All questions about a spectrum are on the same side.
    """
    if not share:
        return list(questions), []
    rng = np.random.default_rng([seed, 6])
    held: set[str] = set()
    groups: dict[tuple[str, str], set[str]] = {}
    for row in questions:
        groups.setdefault((row["task"], row["answer"]), set()).add(row["sha256"])
    for _, group in sorted(groups.items()):
        names = sorted(group)
        count = max(1, round(share * len(names))) - len(held.intersection(names))
        free = [name for name in names if name not in held]
        held.update(free[index] for index in rng.permutation(len(free))[: max(0, count)])
    trained = [row for row in questions if row["sha256"] not in held]
    return trained, [row for row in questions if row["sha256"] in held]


@dataclass(eq=False)
class Validator(TrainerCallback):
    """Judges the held-out questions every `every` updates; each process judges its part of them."""

    trainer: SpectrumTrainer
    questions: Sequence[Row]
    store: ExampleStore
    judge: TokenJudge
    penalty: float
    every: int
    record: Journal | None

    def on_step_end(self, args: Any, state: Any, control: Any, **unused: Any) -> None:
        if state.global_step % self.every == 0:
            figures = self._figures()
            if self.record is not None:
                self.record.log(int(state.global_step), **figures)

    def _figures(self) -> dict[str, float]:
        accelerator = self.trainer.accelerator
        rank, processes = accelerator.process_index, accelerator.num_processes
        # Every process has at least one: loading new weights into vLLM takes all of them.
        count = len(self.questions)
        own = range(rank, count, processes) if rank < count else range(rank % count, count, count)
        pictures = self.trainer.rollout_settings.pictures
        rows = (self.questions[number] for number in own)
        asked = [
            (pictures.maker(self.store[row["sha256"]]), find_task(row["task"])) for row in rows
        ]
        said = [self.judge(ids) for ids in self.trainer.judge_greedily(asked)]
        found = [
            (number, one.verdict, one.reading.is_well_formed, one.calls)
            for number, one in zip(own, said, strict=True)
        ]
        together = sorted({each[0]: each for each in gather_object(found)}.values())
        readings = [Reading(verdict, is_well_formed) for _, verdict, is_well_formed, _ in together]
        figures = validation_figures(readings, self.questions, self.penalty)
        return figures | {f"{PREFIX}calls": fmean(calls for *_, calls in together)}


def validation_figures(
    readings: Sequence[Reading], questions: Sequence[Row], penalty: float
) -> dict[str, float]:
    """Reward, accuracy, form and F1; `f1` is the mean over the tasks that have a member."""
    answers: list[Verdict] = [row["answer"] for row in questions]
    tasks = [row["task"] for row in questions]
    scores = {}
    for task in sorted(set(tasks)):
        actual = [answer == "YES" for answer, of in zip(answers, tasks, strict=True) if of == task]
        said = [one.verdict == "YES" for one, of in zip(readings, tasks, strict=True) if of == task]
        if any(actual):
            scores[f"{PREFIX}f1/{task}"] = f1_of(said, actual)
    pairs = list(zip(readings, answers, strict=True))
    figures = {
        "reward": fmean(one.reward(answer, penalty) for one, answer in pairs),
        "accuracy": fmean(one.verdict == answer for one, answer in pairs),
        "answered": fmean(one.verdict is not None for one in readings),
        "well_formed": fmean(one.is_well_formed for one in readings),
    }
    if scores:
        figures["f1"] = fmean(scores.values())
    return {f"{PREFIX}{name}": value for name, value in figures.items()} | scores
