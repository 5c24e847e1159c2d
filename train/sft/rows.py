"""Turns trajectories into training rows: tokens, and the names of their pictures.

Every picture is drawn once here, compared with the recorded hash, and saved.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache, partial
from pathlib import Path

from PIL import Image

from agent.engines.chat_tokens import load_tokenizer
from agent.engines.families import Vision
from agent.hashing import text_hash
from agent.protocol.protocol import Turn
from agent.protocol.rules import AS_PUBLISHED, OURS
from agent.protocol.wording import Wording, prompt_hash
from agent.rendering.model_image import Sizing
from agent.rendering.render import Style
from agent.tasks.catalogue import find_task
from agent.trajectory.trajectory import Trajectory, WordingRef
from agent.trajectory.turns import is_brief, turns_of
from train.parallel import in_order
from train.sft.encoding import Encoded, Encoder, corrected_turns, refused_calls
from train.sft.pictures import PictureSource, drawing_record, picture_names
from train.toolless import toolless_opening, without_looks

CHUNK = 8  # number of conversations sent to a worker at once


@dataclass(frozen=True, eq=False, kw_only=True)
class ConversationRow:
    """One conversation to train on; `grids` has the patch rows and columns of each picture."""

    encoded: Encoded
    pictures: tuple[str, ...]
    grids: tuple[tuple[int, int], ...]
    record: Trajectory | None  # Redraws the pictures; None if they came as files.
    group: str  # Key of the spectrum; its rows are held out together.

    def __len__(self) -> int:
        return len(self.encoded)


@dataclass(frozen=True)
class RowSettings:
    """Everything a worker process needs to make rows; plain values."""

    folder: Path  # folder of the model's tokenizer
    vision: Vision
    sizing: Sizing
    picture_source: PictureSource
    train_mistakes: bool = False
    tool: bool = True
    wording: Wording | None = None  # The words to train in, by the published rules; None for ours.


@dataclass
class PreparedRows:
    """The rows, and counts of the left-out conversations by reason."""

    rows: list[ConversationRow] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)

    def leave_out(self, fault: str) -> None:
        """Count an unreadable conversation; only the first fault is kept."""
        first = next((reason for reason in self.left_out if reason.startswith("faulty")), None)
        self.left_out[first or f"faulty, the first: {fault[:200]}"] += 1

    def add(self, row: ConversationRow | str, cutoff: int) -> None:
        """Add a row, or count why there is none."""
        if isinstance(row, ConversationRow) and len(row) > cutoff:
            row = f"longer than {cutoff} tokens"
        if isinstance(row, str):
            self.left_out[row] += 1
        else:
            self.rows.append(row)


def prepare_rows(
    trajectories: Sequence[Trajectory],
    style: Style | None,
    settings: RowSettings,
    *,
    cutoff: int,
    workers: int = 1,
    advance: Callable[[int], None] = lambda count: None,
) -> PreparedRows:
    """Rows in the order of the trajectories; without `style` each keeps its recorded one."""
    prepared = PreparedRows()
    chunks = [trajectories[at : at + CHUNK] for at in range(0, len(trajectories), CHUNK)]
    work = partial(rows_of, style=style, settings=settings)
    for rows in in_order(work, chunks, workers):
        for row in rows:
            prepared.add(row, cutoff)
        advance(len(rows))
    return prepared


def rows_of(
    trajectories: Sequence[Trajectory], style: Style | None, settings: RowSettings
) -> list[ConversationRow | str]:
    return [row_of(each, style, settings) for each in trajectories]


def row_of(
    trajectory: Trajectory, style: Style | None, settings: RowSettings
) -> ConversationRow | str:
    """The row of a trajectory, or the reason why there is none."""
    if trajectory.stopped_by != "answer":
        return "without an answer"
    if not settings.tool:
        trajectory = without_looks(trajectory)
    trajectory = _in_words(trajectory, settings.wording)
    task = find_task(trajectory.task)
    turns = turns_of(task, trajectory, settings.wording)
    if not settings.tool:
        text, brief = trajectory.overview_text, is_brief(trajectory)
        turns[:2] = toolless_opening(task, brief=brief, overview_text=text)
    untrained = set() if settings.train_mistakes else corrected_turns(trajectory)
    style = style or Style.from_table(trajectory.style)
    record = drawing_record(trajectory, style, settings.sizing)
    names = picture_names(record)
    sizes = [settings.picture_source.folder.size(name) for name in names]
    if None in sizes:
        sizes = [picture.size for picture in settings.picture_source.draw(record, names)]
    return _row(turns, names, [size for size in sizes if size], untrained, settings, record)


def _in_words(trajectory: Trajectory, words: Wording | None) -> Trajectory:
    """An inspection in our words as if it had been one in these; of others there is one only."""
    if is_brief(trajectory):
        return trajectory
    if words is None:
        return replace(trajectory, wording=WordingRef(), rules="ours")
    ref = WordingRef(name=words.name, sha256=words.sha256)
    return replace(trajectory, wording=ref, rules="published")


def row_of_conversation(
    turns: Sequence[Turn], pictures: Sequence[Image.Image], settings: RowSettings
) -> ConversationRow | str:
    """The row of a conversation with given pictures, or the reason why there is none."""
    names = settings.picture_source.keep(pictures, settings.sizing)
    sizes = [settings.picture_source.folder.size(name) for name in names]
    untrained = set() if settings.train_mistakes else refused_calls(turns)
    return _row(turns, names, [size for size in sizes if size], untrained, settings, None)


def _row(
    turns: Sequence[Turn],
    names: tuple[str, ...],
    sizes: Sequence[tuple[int, int]],
    untrained: set[int],
    settings: RowSettings,
    record: Trajectory | None,
) -> ConversationRow | str:
    vision = settings.vision
    grids = tuple((height // vision.patch, width // vision.patch) for width, height in sizes)
    if sum(turn.picture is not None for turn in turns) != len(names):
        return "with a wrong number of pictures"
    tokens = [down * across // vision.merge**2 for down, across in grids]
    end = (OURS if settings.wording is None else AS_PUBLISHED).reply_end
    encoded = _encoder(settings.folder).encode(turns, tokens, untrained, reply_end=end)
    if not encoded.trained:
        return "with no turn to train"
    group = record.spectrum.sha256 if record else names[0] if names else text_hash(turns[-1].text)
    return ConversationRow(encoded=encoded, pictures=names, grids=grids, record=record, group=group)


def count_outdated_prompts(trajectories: Iterable[Trajectory]) -> int:
    """The number of trajectories that were recorded with another prompt than today's."""
    today = cache(lambda name, brief: prompt_hash(find_task(name), brief=brief))
    ours = (one for one in trajectories if not one.wording.sha256)
    return sum(one.prompt_sha256 not in ("", today(one.task, is_brief(one))) for one in ours)


@lru_cache(maxsize=2)
def _encoder(folder: Path) -> Encoder:
    return Encoder(load_tokenizer(folder))
