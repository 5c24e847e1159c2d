"""Supervised fine-tuning: from approved trajectories to a model folder, from top to bottom.

A run's folder holds `settings.json`, `start` (the first weights of a new model), `pictures`,
`checkpoints`, `metrics.jsonl`, `tensorboard`, `mask.txt` and the finished `model`.
"""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, replace
from itertools import groupby
from pathlib import Path
from typing import Any

import torch
from rich.console import Console
from transformers import set_seed
from transformers.utils import logging

from agent.atomic_file import atomic_folder
from agent.engines.base import SamplingSettings
from agent.engines.chat_tokens import load_tokenizer, token_ids
from agent.engines.families import ModelFolder, read_folder
from agent.errors import WorkbenchError, write_errors
from agent.models.card import ReportedFigure
from agent.models.infer_card import plain_name
from agent.protocol.protocol import END_OF_TURN, IMAGE_TOKEN, MARKUP_TOKENS, chat_parts
from train.journal import journal
from train.models.checkpoints import CHECKPOINTS, begin, last_checkpoint, step_of
from train.models.model_folder import (
    CHAT_TEMPLATE,
    MODEL,
    card_beside,
    complete_folder,
    load_trainable,
    starting_folder,
    write_finished,
)
from train.models.small_model import make_model, make_tokenizer, save_small_model
from train.parallel import counted, counting
from train.sft.batches import (
    IGNORED,
    Batch,
    Batches,
    Collator,
    Plan,
    collator_of,
    padding_share,
    plan_run,
    split_rows,
)
from train.sft.fast_path import ScoredTokensOnly, use_fast_path
from train.sft.inputs import Inputs, in_wording, read_inputs, sample_trajectories
from train.sft.optimizer import make_trainable, parameter_counts
from train.sft.rows import (
    ConversationRow,
    Encoder,
    PictureFolder,
    PictureSource,
    PreparedRows,
    RowSettings,
    count_outdated_prompts,
    longest_turn,
    prepare_rows,
    room_left,
    row_of_conversation,
)
from train.sft.settings import NEW, RECORDED, ModelSettings, SftSettings
from train.sft.trainer import (
    HeapTrimmer,
    ProgressCallback,
    SftTrainer,
    StepLogger,
    token_weights,
    training_arguments,
)
from train.wordings import install, told_of

PICTURES = "pictures"
START = "start"


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
        room = room_left(out / PICTURES, settings.cache_mb, workers * args.world_size)
        source = PictureSource(PictureFolder(out / PICTURES, room), tuple(sets))
        # Drawing all for less than an epoch would take longer than training. Conversations bring
        # their own pictures.
        share = 1.0 if inputs.others else min(settings.epochs, 1.0)
        chosen = inputs
        if share < 1:
            some = sample_trajectories(inputs.trajectories, share, seed)
            chosen = replace(inputs, trajectories=tuple(some))
        prepared = _prepare_rows(chosen, folder, source, settings, workers, console)
    rows, held = split_rows(prepared.rows, settings.held_out, seed)
    if not rows:
        raise WorkbenchError(f"no conversation is left to train on: {_left_out(prepared)}")

    batches_per_step = args.world_size * settings.accumulate
    plan = plan_run(
        [len(row) for row in rows], batch=settings.batch, batch_tokens=settings.batch_tokens,
        epochs=settings.epochs / share, batches_per_step=batches_per_step, seed=seed,
        steps=settings.steps,
    )  # fmt: skip
    args.max_steps = len(plan) // batches_per_step
    collator = collator_of(folder, source, half=half)
    batches = Batches(plan, rows, collator)
    encoder = Encoder(load_tokenizer(start))
    check_mask(batches[0], encoder)
    if args.process_index == 0:
        _print_summary(console, prepared, rows, held, plan, inputs, len(chosen.trajectories))
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
            lengths = [sum(len(rows[row]) for row in batch) for batch in plan]
            steps = range(0, len(plan), batches_per_step)
            # Of each step on all devices, without padding.
            tokens = [sum(lengths[at : at + batches_per_step]) for at in steps]
            bar = stack.enter_context(counting(console, transient=True))
            epochs = share * sum(map(len, plan)) / len(rows)
            callbacks += [StepLogger(record, tokens, epochs), ProgressCallback(bar)]
        trainer = SftTrainer(
            model, args, scored, batches, _held_out_batches(held, collator, settings),
            weights=token_weights(encoder.tokenizer, model, settings, args.device),
            muon=settings.optimizer == "muon", callbacks=callbacks,
        )  # fmt: skip
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
        tokenizer = make_tokenizer(list(inputs.texts()), settings.vocabulary)
        model = make_model(settings.family, tokenizer, settings.shape, seed)
        save_small_model(part, model, tokenizer, settings.shape, CHAT_TEMPLATE)
    return folder


def _prepare_rows(
    inputs: Inputs,
    folder: ModelFolder,
    source: PictureSource,
    settings: SftSettings,
    workers: int,
    console: Console,
) -> PreparedRows:
    row_settings = RowSettings(
        folder.path, folder.vision, folder.sizing, source,
        train_mistakes=settings.train_mistakes, tool=settings.tool, wording=inputs.wording,
    )  # fmt: skip
    with counted(
        "pictures and tokens", len(inputs.trajectories), console, transient=True
    ) as advance:
        prepared = prepare_rows(
            inputs.trajectories, inputs.style if settings.style != RECORDED else None, row_settings,
            cutoff=settings.cutoff, workers=workers, advance=advance,
        )  # fmt: skip
        for turns, pictures in inputs.conversations(prepared.leave_out):
            prepared.add(row_of_conversation(turns, pictures, row_settings), settings.cutoff)
            advance()
    return prepared


def _held_out_batches(
    rows: Sequence[ConversationRow], collator: Collator, settings: SftSettings
) -> Batches | None:
    if not rows:
        return None
    order = sorted(range(len(rows)), key=lambda number: len(rows[number]))
    plan = [order[at : at + settings.batch] for at in range(0, len(order), settings.batch)]
    return Batches(plan, rows, collator, with_parts=True)


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


# Writes the finished model as a folder that can be used for inspections.
def save_model(
    trainer: SftTrainer,
    start: Path,
    out: Path,
    inputs: Inputs,
    settings: SftSettings,
    rows: Sequence[ConversationRow],
    figures: dict[str, float],
    *,
    new: bool,
) -> None:
    """Write `out`/model with its card; `new` says that training began with random weights."""
    parameters = parameter_counts(trainer.model)[1]
    before = card_beside(start)
    start_is_simulated_only = before.simulated_only if before else new
    tasks, names = ", ".join(inputs.tasks), ", ".join(inputs.fingerprints)
    on = "trajectories held out from supervised fine-tuning, read as recorded"
    named = (("eval_loss", "loss", "nats a token"), ("eval_verdict_accuracy", "verdicts right", ""))
    without = "" if settings.tool else ", without the tool"

    def complete(part: Path) -> None:
        complete_folder(
            part,
            start,
            style=inputs.style,
            tasks=inputs.tasks,
            sizing=read_folder(start).sizing,
            name=plain_name(out.resolve().name),
            title=f"Fine-tuned on {len(rows)} trajectories",
            parameters=parameters,
            licence=before.licence if before else "",
            trained_on=(
                f"{len(rows)} trajectories of {tasks or 'several tasks'}, from {names}"
                f"{without}{told_of(inputs.wording)}"
            )[:4000],
            rules="ours" if inputs.wording is None else "published",
            wording="" if inputs.wording is None else inputs.wording.name,
            sampling=SamplingSettings(max_new_tokens=max_turn_tokens(rows)),
            simulated_only=inputs.simulated_only and start_is_simulated_only,
            figures=tuple(
                ReportedFigure(figure=name, value=round(figures[key], 6), unit=unit, on=on)
                for key, name, unit in named
                if key in figures
            ),
        )

    write_finished(trainer, start, out, settings.kind, complete)


def max_turn_tokens(rows: Sequence[ConversationRow]) -> int:
    """Token limit of a turn at inference: twice the longest trained turn."""
    # A longer turn is stuck in repetition, and a small model that is stuck should be stopped early.
    longest = max(longest_turn(row.encoded.parts) for row in rows)
    return min(max(64, 2 * longest), SamplingSettings().max_new_tokens)


# Checks at the start of every run that only the agent's own turns are trained.
MASK_FILE = "mask.txt"
TRAINED_START, TRAINED_END = "⟦", "⟧"


def check_mask(batch: Batch, encoder: Encoder) -> None:
    """Raise WorkbenchError if a batch trains anything but whole turns of the agent."""
    tokenizer = encoder.tokenizer
    header = token_ids(tokenizer, chat_parts(()))
    end = tokenizer.token_to_id(END_OF_TURN)
    control = {tokenizer.token_to_id(name) for name in (IMAGE_TOKEN, *MARKUP_TOKENS)}
    for ids, labels in _rows(batch):
        for start, stop in _trained_spans(labels):
            turn = ids[start:stop]
            if (
                ids[max(0, start - len(header)) : start] != header
                or turn[-1] != end
                or control.intersection(turn[:-1])
                or turn != labels[start:stop]
            ):
                shown = tokenizer.decode(ids[max(0, start - 8) : stop], skip_special_tokens=False)
                raise WorkbenchError(
                    f"the mask is wrong: it would train {shown[:200]!r}; please report this with "
                    "the training file"
                )


def write_mask(batch: Batch, encoder: Encoder, folder: Path) -> str:
    """Write the first row as text with its trained spans in brackets, and return a log line."""
    ids, labels = next(_rows(batch))
    tokenizer = encoder.tokenizer
    text, at = "", 0
    for start, stop in _trained_spans(labels):
        text += tokenizer.decode(ids[at:start], skip_special_tokens=False)
        trained = tokenizer.decode(ids[start:stop], skip_special_tokens=False)
        text += f"{TRAINED_START}{trained}{TRAINED_END}"
        at = stop
    text += tokenizer.decode(ids[at:], skip_special_tokens=False)
    while IMAGE_TOKEN * 2 in text:
        text = text.replace(IMAGE_TOKEN * 2, IMAGE_TOKEN)
    (folder / MASK_FILE).write_text(text + "\n", encoding="utf-8")
    count = sum(label != IGNORED for label in labels)
    return f"{count} of {len(ids)} tokens of the first conversation are trained: see {MASK_FILE}"


def _rows(batch: Batch) -> Iterator[tuple[list[int], list[int]]]:
    yield from zip(batch["input_ids"].tolist(), batch["labels"].tolist(), strict=True)


def _trained_spans(labels: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Start and stop of each run of trained tokens."""
    at = 0
    for is_trained, run in groupby(labels, lambda label: label != IGNORED):
        length = len(list(run))
        if is_trained:
            yield at, at + length
        at += length
