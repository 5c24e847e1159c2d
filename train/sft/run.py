"""Supervised fine-tuning: from approved trajectories to a model folder, from top to bottom.

`RUN/settings.json` as told, `RUN/start` a new model's first weights, `RUN/pictures` drawn pictures,
`RUN/checkpoints`, `RUN/metrics.jsonl` and `RUN/tensorboard`, `RUN/mask.txt`, `RUN/model`.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import torch
from rich.console import Console
from transformers import TrainingArguments, set_seed
from transformers.utils import logging

from agent.engines.chat_tokens import END_OF_TEXT, IMAGE_TOKEN, load_tokenizer
from agent.engines.families import ModelFolder, read_folder
from agent.errors import WorkbenchError
from agent.evidence.words import KIND_NAMES
from agent.trajectory.trajectory import Trajectory
from agent.trajectory.turns import is_brief
from train.atomic_folder import put_in_place
from train.draft.phrases import SHORT
from train.journal import journal
from train.models.checkpoints import CHECKPOINTS, begin, last_checkpoint, step_of
from train.models.finished_model import MODEL
from train.models.model_folder import load_trainable, starting_folder
from train.models.small_model import VERDICTS
from train.sft.batches import Batches, Collator, Plan, padding_share, plan_run, split_rows
from train.sft.encoding import Encoder
from train.sft.fast_path import ScoredTokensOnly, quicken
from train.sft.finish import save_model
from train.sft.inputs import Inputs, part_of, read_inputs
from train.sft.mask import check_mask, write_mask
from train.sft.new_model import (
    learn_phrases,
    make_new_model,
    missing_phrases,
    words_of,
    words_of_tasks,
    words_of_turns,
)
from train.sft.pictures import Drawing, PictureFolder, room_left
from train.sft.rows import (
    ConversationRow,
    Prepared,
    Preparing,
    other_prompts,
    prepare_rows,
    row_of_conversation,
)
from train.sft.settings import NEW, RECORDED, ModelSettings, SftSettings
from train.sft.trainer import SftTrainer, arguments
from train.sft.tuning import parameter_counts, tuned
from train.sft.watching import Bar, HeapTrimmer, StepLogger, progress_bar

PICTURES = "pictures"
START = "start"
TELLING = ("for", "against", "little")
"""What drafts say of a window; see `train.draft.phrases`."""


def fine_tune(
    files: Sequence[Path],
    sets: Sequence[Path],
    out: Path,
    settings: SftSettings,
    model_settings: ModelSettings,
    *,
    seed: int = 0,
    workers: int = 1,
    resume: bool = False,
) -> Path:
    """Train, and return the folder of the finished model.

    Every process of a launcher calls it. The same arguments and seed give the same weights on one
    CPU, stopped and resumed at any step or not.
    """
    logging.set_verbosity_error()  # type: ignore[no-untyped-call]
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    half = uses_bfloat16(settings.precision)
    args = arguments(out / CHECKPOINTS, settings, half=half, seed=seed, workers=workers)
    console = Console(stderr=True, quiet=args.process_index > 0)
    inputs = read_inputs(files, sets, settings.style)
    told = {"sft": asdict(settings), "model": asdict(model_settings), "seed": seed}
    told |= {"files": inputs.fingerprints, "devices": args.world_size}

    named = None if model_settings.start == NEW else starting_folder(model_settings.start)
    with args.main_process_first(desc="pictures"):
        if args.process_index == 0:
            begin(out, told, resume=resume)
        start = _start(named, out, inputs, model_settings, seed)
        checkpoint = last_checkpoint(out) if resume else None
        folder = read_folder(start)
        drawing = _drawing(out, sets, settings, workers * args.world_size)
        share = _share(inputs, settings)
        chosen = part_of(inputs.trajectories, share, seed) if share < 1 else inputs.trajectories
        prepared = _prepare(inputs, chosen, folder, drawing, settings, workers, console)
    rows, held = split_rows(prepared.rows, settings.held_out, seed)
    if not rows:
        raise WorkbenchError(f"nothing is left to train on: {_reasons(prepared)}")

    plan = _plan(rows, settings.epochs / share, settings, args, seed)
    args.max_steps = len(plan) // (args.world_size * settings.accumulate)
    collator = collator_of(folder, drawing, half=half)
    batches = Batches(plan, rows, collator)
    encoder = Encoder(load_tokenizer(start))
    check_mask(batches[0], encoder)
    if args.process_index == 0:
        _tell(console, prepared, rows, held, plan, inputs)
        console.print(write_mask(batches[0], encoder, out), style="dim", markup=False)

    set_seed(seed)
    model = load_trainable(start)
    quicken(model)
    scored = ScoredTokensOnly(model)
    model = tuned(model, settings)
    trained, whole = parameter_counts(model)
    console.print(f"{trained:,} of {whole:,} parameters are trained", style="dim", highlight=False)

    with ExitStack() as stack:
        callbacks: list[Any] = [HeapTrimmer()]
        if args.process_index == 0:
            record = stack.enter_context(journal(out, resume_at=step_of(checkpoint)))
            tokens = _tokens_of_steps(plan, rows, args.world_size * settings.accumulate)
            bar = stack.enter_context(progress_bar(console))
            epochs = share * sum(map(len, plan)) / len(rows)
            callbacks += [StepLogger(record, tokens, epochs), Bar(bar)]
        trainer = SftTrainer(
            model,
            args,
            scored,
            batches,
            _held_out(held, collator, settings),
            weights=_weights(encoder.tokenizer, model, settings, args.device),
            muon=settings.optimizer == "muon",
            callbacks=callbacks,
        )
        trainer.train(resume_from_checkpoint=None if checkpoint is None else str(checkpoint))
        figures = trainer.evaluate()
    kind, new = settings.kind, named is None
    save_model(trainer, start, out, inputs, kind, rows, figures, new=new)
    return out / MODEL


def uses_bfloat16(precision: str) -> bool:
    """By itself: on GPUs that have it, and on processors that multiply it natively."""
    if precision != "auto":
        return precision == "bf16"
    if torch.cuda.is_available():
        return torch.cuda.is_bf16_supported()
    told: dict[str, object] = getattr(torch.cpu, "get_capabilities", dict)()
    return bool(told.get("amx_bf16") or told.get("avx512_bf16"))


def collator_of(folder: ModelFolder, drawing: Drawing, *, half: bool) -> Collator:
    """What makes batches for the model in that folder."""
    tokenizer = load_tokenizer(folder.path)
    return Collator(
        vision=folder.vision,
        image_token=_token(tokenizer, IMAGE_TOKEN),
        pad_token=_token(tokenizer, END_OF_TEXT),
        drawing=drawing,
        half=half,
    )


def _start(
    named: Path | None, out: Path, inputs: Inputs, settings: ModelSettings, seed: int
) -> Path:
    """The folder of the first weights: as named, or made once in the run's own folder where the
    model is new or has phrases to learn."""
    folder = out / START
    if folder.exists():
        return folder
    phrases = missing_phrases(named) if named and settings.phrases else ()
    if named and not phrases:
        return named
    part = out / f".{START}.part"
    shutil.rmtree(part, ignore_errors=True)
    if named:
        learn_phrases(named, part, phrases)
    else:
        brief = bool(inputs.trajectories) and all(map(is_brief, inputs.trajectories))
        words = [*words_of_tasks(brief=brief), *words_of(inputs.trajectories)]
        words += words_of_turns(turns for turns, _ in inputs.conversations())
        make_new_model(part, settings, words, seed)
    put_in_place(part, folder)
    return folder


def _drawing(out: Path, sets: Sequence[Path], settings: SftSettings, processes: int) -> Drawing:
    place = out / PICTURES
    room = room_left(place, settings.cache_mb, processes)
    return Drawing(PictureFolder(place, room), tuple(sets))


def _share(inputs: Inputs, settings: SftSettings) -> float:
    """Part of the trajectories that a run of less than an epoch looks at: drawing the others would
    take longer than to learn from these. Conversations come with their pictures."""
    return 1.0 if inputs.others else min(settings.epochs, 1.0)


def _prepare(
    inputs: Inputs,
    trajectories: Sequence[Trajectory],
    folder: ModelFolder,
    drawing: Drawing,
    settings: SftSettings,
    workers: int,
    console: Console,
) -> Prepared:
    preparing = Preparing(
        folder=folder.path,
        vision=folder.vision,
        sizing=folder.sizing,
        drawing=drawing,
        train_mistakes=settings.train_mistakes,
        pictures=settings.pictures,
    )
    with progress_bar(console) as bar:
        task = bar.add_task("pictures and tokens", total=len(trajectories))
        prepared = prepare_rows(
            trajectories,
            inputs.style if settings.style != RECORDED else None,
            preparing,
            cutoff=settings.cutoff,
            workers=workers,
            advance=partial(bar.advance, task),
        )
        for turns, pictures in inputs.conversations(prepared.leave_out):
            prepared.take(row_of_conversation(turns, pictures, preparing), settings.cutoff)
            bar.advance(task)
    return prepared


def _plan(
    rows: Sequence[ConversationRow],
    epochs: float,
    settings: SftSettings,
    args: TrainingArguments,
    seed: int,
) -> Plan:
    return plan_run(
        [len(row) for row in rows],
        batch=settings.batch,
        batch_tokens=settings.batch_tokens,
        epochs=epochs,
        together=args.world_size * settings.accumulate,
        seed=seed,
        steps=settings.steps,
    )


def _held_out(
    rows: Sequence[ConversationRow], collator: Collator, settings: SftSettings
) -> Batches | None:
    if not rows:
        return None
    order = sorted(range(len(rows)), key=lambda number: len(rows[number]))
    plan = [order[at : at + settings.batch] for at in range(0, len(order), settings.batch)]
    return Batches(plan, rows, collator, with_parts=True)


def _tokens_of_steps(plan: Plan, rows: Sequence[ConversationRow], together: int) -> list[int]:
    """Tokens of each step over all devices, without padding."""
    each = [sum(len(rows[row]) for row in batch) for batch in plan]
    return [sum(each[at : at + together]) for at in range(0, len(each), together)]


def _token(tokenizer: Any, name: str) -> int:
    number = tokenizer.token_to_id(name)
    if number is None:
        raise WorkbenchError(f"the model's tokenizer lacks {name}: no Qwen chat tokenizer")
    return int(number)


def _weights(tokenizer: Any, model: Any, settings: SftSettings, device: Any) -> torch.Tensor | None:
    """How much each token counts; None where all count alike."""
    if settings.verdict_weight == settings.telling_weight == 1.0:
        return None
    weights = torch.ones(model.config.get_text_config().vocab_size, device=device)
    for sentence in (text for what in TELLING for text in SHORT[what]):
        weights[tokenizer.encode(f" {sentence}").ids[0]] = settings.telling_weight
    for number in filter(None, map(tokenizer.token_to_id, KIND_NAMES.values())):
        weights[number] = settings.telling_weight
    for word in VERDICTS:
        weights[_token(tokenizer, word)] = settings.verdict_weight
    return weights


def _reasons(prepared: Prepared) -> str:
    told = [f"{count} {why}" for why, count in prepared.left_out.most_common()]
    return "; ".join(told) or "too few conversations"


def _tell(
    console: Console,
    prepared: Prepared,
    rows: Sequence[ConversationRow],
    held: Sequence[ConversationRow],
    plan: Plan,
    inputs: Inputs,
) -> None:
    lengths = [len(row) for row in rows]
    lines = [
        f"{len(rows)} conversations of {sum(lengths) // len(rows)} tokens to train on, {len(held)} "
        f"held out; {len(plan)} batches, {padding_share(plan, lengths):.1%} padding"
    ]
    if prepared.left_out:
        lines.append(f"left out: {_reasons(prepared)}")
    if (count := other_prompts(inputs.trajectories)) > 0:
        lines.append(f"{count} were recorded with other words in the prompt than it has now")
    for line in lines:
        console.print(line, style="dim", markup=False, highlight=False, soft_wrap=True)
