"""Supervised fine-tuning: from approved trajectories to a model folder, from top to bottom.

A run's folder holds `settings.json`, `start` (the first weights of a new model), `pictures`,
`checkpoints`, `metrics.jsonl`, `tensorboard`, `mask.txt` and the finished `model`.
"""

from __future__ import annotations

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

from agent.atomic_file import atomic_folder
from agent.engines.chat_tokens import load_tokenizer
from agent.engines.families import ModelFolder, read_folder
from agent.errors import WorkbenchError, write_errors
from agent.evidence.words import KIND_NAMES
from agent.protocol.protocol import END_OF_TEXT, IMAGE_TOKEN
from agent.trajectory.trajectory import Trajectory
from agent.trajectory.turns import is_brief
from train.draft.phrases import SHORT
from train.journal import journal
from train.models.checkpoints import CHECKPOINTS, begin, last_checkpoint, step_of
from train.models.finished_model import MODEL
from train.models.model_folder import card_beside, load_trainable, starting_folder
from train.models.small_model import VERDICTS
from train.sft.batches import Batches, Collator, Plan, padding_share, plan_run, split_rows
from train.sft.callbacks import HeapTrimmer, ProgressCallback, StepLogger, progress_bar
from train.sft.encoding import Encoder
from train.sft.fast_path import ScoredTokensOnly, use_fast_path
from train.sft.finish import save_model
from train.sft.inputs import Inputs, in_wording, read_inputs, sample_trajectories
from train.sft.mask import check_mask, write_mask
from train.sft.new_model import (
    conversation_texts,
    make_new_model,
    task_texts,
    trajectory_texts,
)
from train.sft.optimizer import make_trainable, parameter_counts
from train.sft.pictures import PictureFolder, PictureSource, room_left
from train.sft.rows import (
    ConversationRow,
    PreparedRows,
    RowSettings,
    count_outdated_prompts,
    prepare_rows,
    row_of_conversation,
)
from train.sft.settings import NEW, RECORDED, ModelSettings, SftSettings
from train.sft.trainer import SftTrainer, training_arguments
from train.wordings import install

PICTURES = "pictures"
START = "start"
WINDOW_PHRASES = ("for", "against", "little")
"""Keys of `train.draft.phrases` for what a window says about the class."""


def fine_tune(
    files: Sequence[Path],
    sets: Sequence[Path],
    out: Path,
    settings: SftSettings,
    model_settings: ModelSettings,
    *,
    wording: str = "",
    seed: int = 0,
    workers: int = 1,
    resume: bool = False,
) -> Path:
    """Train, and return the folder of the finished model.

    `wording` names the words it is trained in: see `train.wordings`.
    Every process of a launcher calls this. On one CPU the same arguments and seed give the same
    weights, even if the run was stopped and resumed.
    """
    logging.set_verbosity_error()  # type: ignore[no-untyped-call]
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    half = uses_bfloat16(settings.precision)
    args = training_arguments(out / CHECKPOINTS, settings, half=half, seed=seed, workers=workers)
    console = Console(stderr=True, quiet=args.process_index > 0)
    inputs = read_inputs(files, sets, settings.style)
    if inputs.others and not settings.tool:
        raise WorkbenchError(f"sft.tool: {inputs.others[0]} has conversations with the tool")
    given = None if model_settings.start == NEW else starting_folder(model_settings.start)
    inputs = in_wording(inputs, wording, None if given is None else card_beside(given))
    if inputs.wording is not None and not settings.tool:
        raise WorkbenchError("sft.tool: a wording describes the tool; use --wording ours")
    run_settings = {"sft": asdict(settings), "model": asdict(model_settings), "seed": seed}
    run_settings |= {"files": inputs.fingerprints, "devices": args.world_size}
    if inputs.wording is not None:
        run_settings |= {"wording": inputs.wording.sha256}
    with args.main_process_first(desc="pictures"):
        if args.process_index == 0:
            begin(out, run_settings, resume=resume)
            if inputs.wording is not None:
                install(inputs.wording)
        start = _starting_folder(given, out, inputs, model_settings, seed)
        checkpoint = last_checkpoint(out) if resume else None
        folder = read_folder(start)
        source = _picture_source(out, sets, settings, workers * args.world_size)
        share = _share(inputs, settings)
        chosen = (
            sample_trajectories(inputs.trajectories, share, seed)
            if share < 1
            else inputs.trajectories
        )
        prepared = _prepare_rows(inputs, chosen, folder, source, settings, workers, console)
    rows, held = split_rows(prepared.rows, settings.held_out, seed)
    if not rows:
        raise WorkbenchError(f"no conversation is left to train on: {_left_out(prepared)}")

    plan = _plan_batches(rows, settings.epochs / share, settings, args, seed)
    args.max_steps = len(plan) // (args.world_size * settings.accumulate)
    collator = collator_of(folder, source, half=half)
    batches = Batches(plan, rows, collator)
    encoder = Encoder(load_tokenizer(start))
    check_mask(batches[0], encoder)
    if args.process_index == 0:
        _print_summary(console, prepared, rows, held, plan, inputs, len(chosen))
        console.print(write_mask(batches[0], encoder, out), style="dim", markup=False)

    set_seed(seed)
    model = load_trainable(start)
    use_fast_path(model)
    scored = ScoredTokensOnly(model)
    model = make_trainable(model, settings)
    trained, whole = parameter_counts(model)
    console.print(f"{trained:,} of {whole:,} parameters are trained", style="dim", highlight=False)

    with ExitStack() as stack:
        callbacks: list[Any] = [HeapTrimmer()]
        if args.process_index == 0:
            record = stack.enter_context(journal(out, resume_at=step_of(checkpoint)))
            tokens = _tokens_of_steps(plan, rows, args.world_size * settings.accumulate)
            bar = stack.enter_context(progress_bar(console))
            epochs = share * sum(map(len, plan)) / len(rows)
            callbacks += [StepLogger(record, tokens, epochs), ProgressCallback(bar)]
        trainer = SftTrainer(
            model,
            args,
            scored,
            batches,
            _held_out_batches(held, collator, settings),
            weights=_token_weights(encoder.tokenizer, model, settings, args.device),
            muon=settings.optimizer == "muon",
            callbacks=callbacks,
        )
        trainer.train(resume_from_checkpoint=None if checkpoint is None else str(checkpoint))
        figures = trainer.evaluate()
    save_model(trainer, start, out, inputs, settings, rows, figures, new=given is None)
    return out / MODEL


def uses_bfloat16(precision: str) -> bool:
    """Whether to train in bfloat16; `auto` does so on GPUs and CPUs that support it natively."""
    if precision != "auto":
        return precision == "bf16"
    if torch.cuda.is_available():
        return torch.cuda.is_bf16_supported()
    cpu: dict[str, object] = getattr(torch.cpu, "get_capabilities", dict)()
    return bool(cpu.get("amx_bf16") or cpu.get("avx512_bf16"))


def collator_of(folder: ModelFolder, source: PictureSource, *, half: bool) -> Collator:
    tokenizer = load_tokenizer(folder.path)
    return Collator(
        vision=folder.vision,
        image_token=_token_id(tokenizer, IMAGE_TOKEN),
        pad_token=_token_id(tokenizer, END_OF_TEXT),
        picture_source=source,
        half=half,
    )


def _starting_folder(
    given: Path | None, out: Path, inputs: Inputs, settings: ModelSettings, seed: int
) -> Path:
    """The given folder, or one made once in the run for a new model."""
    folder = out / START
    if folder.exists():
        return folder
    if given:
        return given
    with write_errors(folder), atomic_folder(folder) as part:
        brief = bool(inputs.trajectories) and all(map(is_brief, inputs.trajectories))
        texts = [*task_texts(brief=brief), *trajectory_texts(inputs.trajectories)]
        texts += conversation_texts(turns for turns, _ in inputs.conversations())
        make_new_model(part, settings, texts, seed)
    return folder


def _picture_source(
    out: Path, sets: Sequence[Path], settings: SftSettings, processes: int
) -> PictureSource:
    path = out / PICTURES
    room = room_left(path, settings.cache_mb, processes)
    return PictureSource(PictureFolder(path, room), tuple(sets))


def _share(inputs: Inputs, settings: SftSettings) -> float:
    """Share of the trajectories that a run of less than an epoch uses."""
    # Drawing the others would take longer than training. Conversations bring their own pictures.
    return 1.0 if inputs.others else min(settings.epochs, 1.0)


def _prepare_rows(
    inputs: Inputs,
    trajectories: Sequence[Trajectory],
    folder: ModelFolder,
    source: PictureSource,
    settings: SftSettings,
    workers: int,
    console: Console,
) -> PreparedRows:
    row_settings = RowSettings(
        folder=folder.path,
        vision=folder.vision,
        sizing=folder.sizing,
        picture_source=source,
        train_mistakes=settings.train_mistakes,
        tool=settings.tool,
        wording=inputs.wording,
    )
    with progress_bar(console) as bar:
        task = bar.add_task("pictures and tokens", total=len(trajectories))
        prepared = prepare_rows(
            trajectories,
            inputs.style if settings.style != RECORDED else None,
            row_settings,
            cutoff=settings.cutoff,
            workers=workers,
            advance=partial(bar.advance, task),
        )
        for turns, pictures in inputs.conversations(prepared.leave_out):
            prepared.add(row_of_conversation(turns, pictures, row_settings), settings.cutoff)
            bar.advance(task)
    return prepared


def _plan_batches(
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
        batches_per_step=args.world_size * settings.accumulate,
        seed=seed,
        steps=settings.steps,
    )


def _held_out_batches(
    rows: Sequence[ConversationRow], collator: Collator, settings: SftSettings
) -> Batches | None:
    if not rows:
        return None
    order = sorted(range(len(rows)), key=lambda number: len(rows[number]))
    plan = [order[at : at + settings.batch] for at in range(0, len(order), settings.batch)]
    return Batches(plan, rows, collator, with_parts=True)


def _tokens_of_steps(
    plan: Plan, rows: Sequence[ConversationRow], batches_per_step: int
) -> list[int]:
    """Tokens of each step on all devices, without padding."""
    each = [sum(len(rows[row]) for row in batch) for batch in plan]
    return [sum(each[at : at + batches_per_step]) for at in range(0, len(each), batches_per_step)]


def _token_id(tokenizer: Any, name: str) -> int:
    number = tokenizer.token_to_id(name)
    if number is None:
        raise WorkbenchError(f"the model's tokenizer has no {name}: it is not a Qwen tokenizer")
    return int(number)


def _token_weights(
    tokenizer: Any, model: Any, settings: SftSettings, device: Any
) -> torch.Tensor | None:
    """Loss weight of each token; None if all are 1."""
    if settings.verdict_weight == settings.telling_weight == 1.0:
        return None
    weights = torch.ones(model.config.get_text_config().vocab_size, device=device)
    for sentence in (text for key in WINDOW_PHRASES for text in SHORT[key]):
        weights[tokenizer.encode(f" {sentence}").ids[0]] = settings.telling_weight
    for number in filter(None, map(tokenizer.token_to_id, KIND_NAMES.values())):
        weights[number] = settings.telling_weight
    for word in VERDICTS:
        weights[_token_id(tokenizer, word)] = settings.verdict_weight
    return weights


def _left_out(prepared: PreparedRows) -> str:
    counts = [f"{count} {reason}" for reason, count in prepared.left_out.most_common()]
    return "; ".join(counts) or "too few conversations"


def _print_summary(
    console: Console,
    prepared: PreparedRows,
    rows: Sequence[ConversationRow],
    held: Sequence[ConversationRow],
    plan: Plan,
    inputs: Inputs,
    used: int,
) -> None:
    lengths = [len(row) for row in rows]
    lines = [
        f"{len(rows)} conversations of {sum(lengths) // len(rows)} tokens to train on, {len(held)} "
        f"held out; {len(plan)} batches, {padding_share(plan, lengths):.1%} padding"
    ]
    if used < len(inputs.trajectories):
        lines.append(
            f"only {used} of {len(inputs.trajectories)} trajectories are used, as sft.epochs is "
            "less than 1"
        )
    if prepared.left_out:
        lines.append(f"left out: {_left_out(prepared)}")
    if (count := count_outdated_prompts(inputs.trajectories)) > 0:
        lines.append(f"{count} were recorded with an older prompt")
    for line in lines:
        console.print(line, style="dim", markup=False, highlight=False, soft_wrap=True)
