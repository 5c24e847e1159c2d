"""From records of inspections to rows: tokens, and the names of their pictures.

Every picture is drawn once here, compared with what was recorded and kept; in processes of their
own where there are several workers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache, partial
from pathlib import Path

from PIL import Image

from agent.engines.chat_tokens import load_tokenizer
from agent.engines.families import Vision
from agent.hashing import text_hash
from agent.protocol.protocol import Turn, prompt_hash
from agent.rendering.model_image import Sizing
from agent.rendering.render import Style
from agent.tasks.catalogue import find_task
from agent.trajectory.trajectory import Trajectory
from agent.trajectory.turns import is_brief, turns_of
from train.parallel import in_order
from train.sft.encoding import Encoded, Encoder, mistakes_of, refused_calls
from train.sft.pictures import Drawing, picture_names, to_draw

CHUNK = 8
"""Conversations handed to a worker at once."""


@dataclass(frozen=True, eq=False, kw_only=True)
class ConversationRow:
    """One conversation to train on. `grids`: patches down and across of each picture."""

    encoded: Encoded
    pictures: tuple[str, ...]
    grids: tuple[tuple[int, int], ...]
    record: Trajectory | None
    """What the pictures are drawn from again; None where they came as pictures."""
    group: str
    """Rows of the same spectrum are held out together."""

    def __len__(self) -> int:
        return len(self.encoded)


@dataclass(frozen=True)
class Preparing:
    """All that a worker needs; plain values."""

    folder: Path
    """With the model's tokenizer."""
    vision: Vision
    sizing: Sizing
    drawing: Drawing
    train_mistakes: bool = False
    pictures: bool = True


@dataclass
class Prepared:
    """The rows, and what was left out and why."""

    rows: list[ConversationRow] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)

    def leave_out(self, fault: str) -> None:
        """Of a conversation that could not be read; the first one stands for all."""
        first = next((why for why in self.left_out if why.startswith("faulty")), None)
        self.left_out[first or f"faulty, the first: {fault[:200]}"] += 1

    def take(self, found: ConversationRow | str, cutoff: int) -> None:
        if isinstance(found, ConversationRow) and len(found) > cutoff:
            found = f"longer than {cutoff} tokens"
        if isinstance(found, str):
            self.left_out[found] += 1
        else:
            self.rows.append(found)


def prepare_rows(
    trajectories: Sequence[Trajectory],
    style: Style | None,
    preparing: Preparing,
    *,
    cutoff: int,
    workers: int = 1,
    advance: Callable[[int], None] = lambda count: None,
) -> Prepared:
    """Rows in the order of the trajectories; `style` None takes each as recorded."""
    prepared = Prepared()
    chunks = [trajectories[at : at + CHUNK] for at in range(0, len(trajectories), CHUNK)]
    work = partial(rows_of, style=style, preparing=preparing)
    for found in in_order(work, chunks, workers):
        for one in found:
            prepared.take(one, cutoff)
        advance(len(found))
    return prepared


def rows_of(
    trajectories: Sequence[Trajectory], style: Style | None, preparing: Preparing
) -> list[ConversationRow | str]:
    return [row_of(each, style, preparing) for each in trajectories]


def row_of(
    trajectory: Trajectory, style: Style | None, preparing: Preparing
) -> ConversationRow | str:
    """The row of a trajectory, or why there is none."""
    if trajectory.stopped_by != "answer":
        return "came to no answer"
    turns = turns_of(find_task(trajectory.task), trajectory)
    untrained = set() if preparing.train_mistakes else mistakes_of(trajectory)
    if not preparing.pictures:
        words = [replace(turn, picture=None) for turn in turns]
        return _row(words, (), (), untrained, preparing, trajectory)
    record = to_draw(trajectory, style or Style.from_table(trajectory.style), preparing.sizing)
    names = picture_names(record)
    sizes = [preparing.drawing.folder.size(name) for name in names]
    if None in sizes:
        sizes = [picture.size for picture in preparing.drawing.draw(record, names)]
    return _row(turns, names, [size for size in sizes if size], untrained, preparing, record)


def row_of_conversation(
    turns: Sequence[Turn], pictures: Sequence[Image.Image], preparing: Preparing
) -> ConversationRow | str:
    """The row of a conversation that came with its pictures."""
    names = preparing.drawing.keep(pictures, preparing.sizing)
    sizes = [preparing.drawing.folder.size(name) for name in names]
    untrained = set() if preparing.train_mistakes else refused_calls(turns)
    return _row(turns, names, [size for size in sizes if size], untrained, preparing, None)


def _row(
    turns: Sequence[Turn],
    names: tuple[str, ...],
    sizes: Sequence[tuple[int, int]],
    untrained: set[int],
    preparing: Preparing,
    record: Trajectory | None,
) -> ConversationRow | str:
    vision = preparing.vision
    grids = tuple((height // vision.patch, width // vision.patch) for width, height in sizes)
    if sum(turn.picture is not None for turn in turns) != len(names):
        return "other pictures than its turns show"
    tokens = [down * across // vision.merge**2 for down, across in grids]
    encoded = _encoder(preparing.folder).encode(turns, tokens, untrained)
    if not encoded.trained:
        return "nothing in it to train"
    group = record.spectrum.sha256 if record else names[0] if names else text_hash(turns[-1].text)
    return ConversationRow(encoded=encoded, pictures=names, grids=grids, record=record, group=group)


def other_prompts(trajectories: Iterable[Trajectory]) -> int:
    """How many were recorded with other words than the prompt has today."""
    now = cache(lambda name, brief: prompt_hash(find_task(name), brief=brief))
    return sum(one.prompt_sha256 not in ("", now(one.task, is_brief(one))) for one in trajectories)


@lru_cache(maxsize=2)
def _encoder(folder: Path) -> Encoder:
    return Encoder(load_tokenizer(folder))
