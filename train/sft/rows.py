"""Turns trajectories into training rows: tokens, and the names of their pictures.

Every picture is drawn once here, compared with the recorded hash, and saved.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache, lru_cache, partial
from itertools import takewhile
from pathlib import Path, PurePath

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from tokenizers import Tokenizer

from agent.atomic_file import write_file
from agent.engines.chat_tokens import TokenBytes, load_tokenizer, token_ids
from agent.engines.families import Vision
from agent.errors import TrajectoryError, WorkbenchError, write_errors
from agent.examples.examples import ExampleStore
from agent.hashing import picture_hash, text_hash
from agent.inspection.pictures import redraw
from agent.protocol.protocol import END_OF_REPLY, Turn, chat_parts
from agent.protocol.rules import AS_PUBLISHED, OURS
from agent.protocol.wording import Wording, prompt_hash
from agent.rendering.model_image import Sizing, prepare
from agent.rendering.render import Style, png_bytes
from agent.tasks.catalogue import find_task
from agent.trajectory.trajectory import Trajectory, WordingRef
from agent.trajectory.turns import is_brief, turns_of
from train.parallel import in_order
from train.toolless import toolless_opening, without_looks

# A conversation as tokens, with the trained ones marked. The ids are those of inference: each turn
# is tokenized separately, and the agent's reply separately from the markup before it, as if the
# model had generated it.
UNTRAINED = 0
PARTS = ("thought", "call", "reasons", "verdict", "other")
"""Parts of an agent's turn; a token's part number is the index here plus one."""
THOUGHT, CALL, REASONS, VERDICT, OTHER = range(1, len(PARTS) + 1)

# Later patterns match inside earlier ones and win.
_SPANS = (
    (THOUGHT, re.compile(rb"<think>.*?(?:</think>|$)", re.DOTALL)),
    (CALL, re.compile(rb"<tool_call>.*?(?:</tool_call>|$)", re.DOTALL)),
    (REASONS, re.compile(rb"<answer>.*?(?:</answer>|$)", re.DOTALL)),
    (VERDICT, re.compile(rb"(?<=\\boxed\{)[A-Z]+(?=\})")),
)


@dataclass(frozen=True, eq=False)
class Encoded:
    """Token ids of a conversation; `parts` is the part of each trained token, 0 for others."""

    ids: NDArray[np.int32]
    parts: NDArray[np.uint8]

    def __len__(self) -> int:
        return int(self.ids.size)

    @property
    def trained(self) -> int:
        return int(np.count_nonzero(self.parts))


class Encoder:
    """Encodes conversations with one model's tokenizer."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self.tokenizer = tokenizer
        self._bytes = TokenBytes(tokenizer)

    def encode(
        self,
        turns: Sequence[Turn],
        picture_tokens: Sequence[int],
        untrained: Collection[int] = (),
        *,
        reply_end: str = END_OF_REPLY,
    ) -> Encoded:
        """Encode turns; `untrained` numbers turns of the agent, `picture_tokens` is per picture.

        `reply_end` stands between a turn of the agent and the next.
        """
        counts = iter(picture_tokens)
        ids: list[int] = []
        parts: list[int] = []
        replies = 0
        for turn in turns:
            pieces = list(chat_parts([turn], model_speaks_next=False, reply_end=reply_end))
            if turn.role != "assistant":
                shown = [next(counts)] if turn.picture is not None else []
                ids += token_ids(self.tokenizer, pieces, shown)
            else:
                markup = list(takewhile(lambda piece: piece.markup, pieces))
                if len(markup) == len(pieces):
                    raise WorkbenchError("an empty turn of the agent cannot be trained")
                reply, *rest = pieces[len(markup) :]
                reply_ids = token_ids(self.tokenizer, [reply])
                end, *after = token_ids(self.tokenizer, rest)
                ids += token_ids(self.tokenizer, markup)
                parts += [UNTRAINED] * (len(ids) - len(parts))
                ids += [*reply_ids, end, *after]
                if replies not in untrained:
                    parts += [*self.parts_of(reply_ids), OTHER]
                replies += 1
            parts += [UNTRAINED] * (len(ids) - len(parts))
        return Encoded(np.array(ids, np.int32), np.array(parts, np.uint8))

    def parts_of(self, ids: Sequence[int]) -> list[int]:
        """The part of each token of a reply, by its first byte."""
        pieces = [self._bytes[number] for number in ids]
        whole = b"".join(pieces)
        owner = np.full(len(whole) + 1, OTHER, np.uint8)
        for part, pattern in _SPANS:
            for found in pattern.finditer(whole):
                owner[found.start() : found.end()] = part
        starts = np.cumsum([0, *map(len, pieces)])[:-1].astype(np.intp)
        return [int(part) for part in owner[starts]]


def longest_turn(parts: NDArray[np.uint8]) -> int:
    """Number of tokens of the longest trained turn."""
    edges = np.flatnonzero(np.diff(np.r_[0, parts > 0, 0]))
    return int((edges[1::2] - edges[::2]).max(initial=0))


def corrected_turns(trajectory: Trajectory) -> set[int]:
    """Numbers of the agent's turns that the tool answered with an error."""
    last: dict[int, str] = {}
    for step in trajectory.steps:
        if step.by == "agent":
            last[step.turn] = step.error
    return {turn for turn, error in last.items() if error}


def refused_calls(turns: Sequence[Turn]) -> set[int]:
    """Like `corrected_turns` for bare turns: those the tool answered without a picture."""
    replies = [number for number, turn in enumerate(turns) if turn.role == "assistant"]
    return {
        number
        for number, at in enumerate(replies)
        if at + 1 < len(turns) and turns[at + 1].role == "tool" and turns[at + 1].picture is None
    }


# Pictures of conversations, drawn from the spectra and cached in a bounded folder. File names are
# hashes of the contents, so processes and epochs share them.
def drawing_record(trajectory: Trajectory, style: Style, sizing: Sizing) -> Trajectory:
    """What the pictures depend on; hashes are dropped for another style or size."""
    same = Style.from_table(trajectory.style) == style and trajectory.sizing == sizing
    looks = tuple(
        replace(look, text="", measured={}, picture=look.picture if same else "", seconds=0.0)
        for look in trajectory.looks
    )
    return replace(
        trajectory,
        style=style.to_table(),
        sizing=sizing,
        overview=trajectory.overview if same else "",
        steps=looks,
        replies=(),
    )


def picture_names(record: Trajectory) -> tuple[str, ...]:
    """File names of the pictures of a record, the whole spectrum first."""
    shown = {
        "spectrum": record.spectrum.sha256,
        "title": PurePath(record.spectrum.path).name or record.spectrum.object_id,
        "z": record.spectrum.z,
        "style": dict(record.style),
        "sizing": asdict(record.sizing),
    }
    every = [{**shown, "range": window} for window in (None, *(e.range for e in record.looks))]
    return tuple(text_hash(json.dumps(each, sort_keys=True)) for each in every)


@dataclass(frozen=True)
class PictureFolder:
    """A bounded folder of pictures, to which this process may add `room` bytes."""

    path: Path
    room: int

    def __post_init__(self) -> None:
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise WorkbenchError(f"cannot use {self.path}: {error.strerror or error}") from error

    def load(self, name: str) -> Image.Image | None:
        try:
            with Image.open(self._file(name), formats=("PNG",)) as stored:
                return stored.convert("RGB")
        except (OSError, SyntaxError):
            return None

    def size(self, name: str) -> tuple[int, int] | None:
        """Width and height, without reading the pixels."""
        try:
            with Image.open(self._file(name), formats=("PNG",)) as stored:
                return stored.size
        except (OSError, SyntaxError):
            return None

    def save(self, name: str, picture: Image.Image, *, always: bool = False) -> None:
        """Save a picture if there is room; `always` is for one that cannot be redrawn."""
        content = png_bytes(picture)
        if not always:
            if _added.get(self.path, 0) + len(content) > self.room:
                return
            _added[self.path] = _added.get(self.path, 0) + len(content)
        file = self._file(name)
        with write_errors(file):
            file.parent.mkdir(exist_ok=True)
            write_file(file, content)

    def _file(self, name: str) -> Path:
        return self.path / name[:2] / f"{name}.png"


_added: dict[Path, int] = {}  # bytes this process has added to each folder


def room_left(path: Path, cache_mb: int, processes: int) -> int:
    """Bytes that each process may add to a folder bounded by `cache_mb`."""
    used = sum(file.stat().st_size for file in path.glob("*/*.png")) if path.is_dir() else 0
    return max(0, cache_mb * 1_000_000 - used) // max(1, processes)


@dataclass(frozen=True)
class PictureSource:
    """Loads pictures from the folder, or draws them from the spectra in the sets."""

    folder: PictureFolder
    sets: tuple[Path, ...]

    def pictures(self, record: Trajectory | None, names: Sequence[str]) -> list[Image.Image]:
        """The pictures of a conversation; without `record` they cannot be redrawn."""
        cached = [self.folder.load(name) for name in names]
        found = [picture for picture in cached if picture is not None]
        if len(found) == len(names):
            return found
        if record is None:
            raise WorkbenchError(f"pictures of this run are missing from {self.folder.path}")
        return self.draw(record, names)

    def draw(self, record: Trajectory, names: Sequence[str]) -> list[Image.Image]:
        """Draw pictures and save them; raises TrajectoryError if one differs from the recorded."""
        store = _store(self.sets)
        if record.spectrum.sha256 not in store:
            raise TrajectoryError(
                f"no set holds the spectrum {record.spectrum.sha256[:16]} "
                f"({record.spectrum.object_id or record.spectrum.path or 'without a name'}): "
                "name the set it came from with --sets"
            )
        drawn = redraw(record, store[record.spectrum.sha256].spectrum)
        for name, picture in zip(names, drawn, strict=True):
            self.folder.save(name, picture)
        return drawn

    def keep(self, pictures: Sequence[Image.Image], sizing: Sizing) -> tuple[str, ...]:
        """Save given pictures, resized for the model, and return their names."""
        names = []
        for picture in pictures:
            sized = prepare(picture, sizing)
            names.append(picture_hash(sized))
            if self.folder.size(names[-1]) is None:
                self.folder.save(names[-1], sized, always=True)
        return tuple(names)


@lru_cache(maxsize=2)
def _store(sets: tuple[Path, ...]) -> ExampleStore:
    """The spectra of these sets; one store per process, because it caches what it read."""
    return ExampleStore(sets)


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
