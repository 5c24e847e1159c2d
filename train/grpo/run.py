"""Reinforcement learning from labels: sample rollouts, reward them, learn from the differences.

`RUN/settings.json` as told, `RUN/checkpoints`, `RUN/metrics.jsonl` and `RUN/tensorboard`,
`RUN/adapter` where one was trained, `RUN/model`.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack, closing
from dataclasses import asdict
from pathlib import Path

from rich.console import Console
from transformers.utils import logging

from agent.engines.families import read_folder
from agent.errors import WorkbenchError
from agent.models.infer_card import read_or_infer_card
from train.evaluate.judgement import read_judgements
from train.examples import ExampleStore
from train.grpo.finish import save_model
from train.grpo.pictures import Pictures
from train.grpo.questions import digest, doubtful, in_order, read_questions
from train.grpo.settings import GrpoSettings
from train.grpo.setup import make_trainer, quiet
from train.grpo.watching import RoundLogger
from train.journal import journal
from train.models.checkpoints import begin, last_checkpoint, step_of
from train.models.finished_model import MODEL
from train.sft.watching import Bar, HeapTrimmer, progress_bar


def reinforce(
    folder: Path,
    sets: Sequence[Path],
    out: Path,
    settings: GrpoSettings,
    *,
    judged: Sequence[Path] = (),
    seed: int = 0,
    workers: int = 1,
    resume: bool = False,
) -> Path:
    """Train the model in `folder` on the questions of `sets`; the finished model's folder.

    Every process of a launcher calls it. The same arguments and seed give the same weights on one
    CPU, stopped and resumed after any round or not.
    """
    logging.set_verbosity_error()  # type: ignore[no-untyped-call]
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    card = read_or_infer_card(folder)
    asked = read_questions(sets)
    if judged:
        said = [one for path in judged for one in read_judgements(path)]
        asked = doubtful(asked, said, settings.sure, settings.reminders, seed)
    questions = in_order(asked, settings.epochs, seed, settings.noes)
    if len(questions) < settings.questions:
        raise WorkbenchError(
            f"a round asks {settings.questions} questions, and these sets hold {len(questions)} "
            "with both answers as often as grpo.noes says: set a smaller grpo.questions"
        )
    vision = read_folder(folder).vision
    with ExitStack() as stack:
        pictures = stack.enter_context(closing(Pictures(card.style, card.sizing, vision, workers)))
        stack.enter_context(quiet())
        trainer = make_trainer(folder, questions, ExampleStore(sets), pictures, out, settings, seed)
        trainer.add_callback(HeapTrimmer(every=1))  # an update is hundreds of conversations
        is_first = trainer.is_world_process_zero()
        with trainer.args.main_process_first(desc="settings"):
            if is_first:
                told = {"grpo": asdict(settings), "seed": seed, "model": str(folder)}
                begin(out, told | {"questions": digest(questions)}, resume=resume)
        checkpoint = last_checkpoint(out) if resume else None
        if is_first:
            record = stack.enter_context(journal(out, resume_at=step_of(checkpoint)))
            bar = stack.enter_context(progress_bar(Console(stderr=True)))
            trainer.add_callback(RoundLogger(record))
            trainer.add_callback(Bar(bar))
        trainer.train(resume_from_checkpoint=None if checkpoint is None else str(checkpoint))
        save_model(trainer, folder, card, out, sets, settings.kind)
    return out / MODEL
