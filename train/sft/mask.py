"""Checks at the start of every run that only the agent's own turns are trained."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

from agent.engines.chat_tokens import token_ids
from agent.errors import WorkbenchError
from agent.protocol.protocol import END_OF_TURN, IMAGE_TOKEN, MARKUP_TOKENS, chat_parts
from train.sft.batches import IGNORED, Batch
from train.sft.encoding import Encoder

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
