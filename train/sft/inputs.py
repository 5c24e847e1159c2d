"""Training data of a run: approved trajectories, and conversations with pictures."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from PIL import Image

from agent.errors import WorkbenchError, read_errors
from agent.hashing import file_hash
from agent.models.card import Card
from agent.protocol.protocol import Turn, opening
from agent.protocol.wording import Wording
from agent.protocol.wording_file import has_wording, read_wording
from agent.protocol.wording_rows import WordingRows
from agent.rendering.render import AS_PUBLISHED, PUBLISHED, STYLES, Style
from agent.tasks.catalogue import find_task, load_tasks
from agent.trajectory.trajectory import Trajectory, WordingRef
from agent.trajectory.trajectory_file import read_trajectories
from agent.trajectory.turns import is_brief, turns_of
from train.bench.sharegpt import rows_of, sharegpt_conversations
from train.sft.settings import RECORDED
from train.wordings import FOLDER, OURS, PUBLISHED_NAME, find_wording, wording_to_train

SHAREGPT_KEYS = {"conversations", "messages"}
MAX_FIRST_LINE = 16_000_000
OPENING_TURNS = 2


@dataclass(frozen=True, kw_only=True)
class Inputs:
    """Trajectories, and `others`: files of ShareGPT conversations, read when needed."""

    trajectories: tuple[Trajectory, ...]
    others: tuple[Path, ...]
    style: Style
    fingerprints: dict[str, str]
    """SHA-256 of each file by name; a run can resume only with the same files."""
    wording: Wording | None = None  # The words to train in; None for ours.

    def conversations(
        self, on_fault: Callable[[str], None] = lambda fault: None
    ) -> Iterator[tuple[list[Turn], list[Image.Image]]]:
        for path in self.others:
            is_own = self.wording is not None
            yield from sharegpt_conversations(path, on_fault, as_written=is_own)

    def texts(self) -> Iterator[str]:
        """What a new tokenizer is learned from: the openings of all tasks, then the turns."""
        is_short = bool(self.trajectories) and all(map(is_brief, self.trajectories))
        yield from task_texts(brief=is_short)
        for one in self.trajectories:
            turns = turns_of(find_task(one.task), one)
            yield from (turn.text for turn in turns[OPENING_TURNS:])
        for turns, _ in self.conversations():
            yield from (turn.text for turn in turns)

    @property
    def simulated_only(self) -> bool:
        return not self.others and all(one.spectrum.simulated for one in self.trajectories)

    @property
    def tasks(self) -> tuple[str, ...]:
        return tuple(sorted({one.task for one in self.trajectories}))


def task_texts(*, brief: bool = False) -> Iterator[str]:
    """The opening turns of every task."""
    for task in load_tasks():
        yield from (turn.text for turn in opening(task, brief=brief))


def read_inputs(files: Sequence[Path], sets: Sequence[Path], style: str) -> Inputs:
    """Read all files in the picture style of the settings, and refuse to mix styles."""
    others = tuple(path for path in files if _is_sharegpt(path))
    records = [path for path in files if path not in others]
    trajectories = tuple(one for path in records for one in read_trajectories(path))
    if not trajectories and not others:
        raise WorkbenchError(f"there is no trajectory in {', '.join(map(str, files)) or 'nothing'}")
    if trajectories and not sets:
        raise WorkbenchError("trajectories name spectra by hash: name the sets with them, --sets")
    return Inputs(
        trajectories=trajectories,
        others=others,
        style=_picture_style(trajectories, others, style),
        fingerprints=_fingerprints((*files, *sets)),
    )


def in_wording(inputs: Inputs, told: str, start: Card | None) -> Inputs:
    """The inputs with the words to train in: those of `--wording`, of the data or of the model.

    Conversations in files keep the words they were published in, if these describe the tool.
    """
    if told:
        words = wording_to_train(told, None)
    elif inputs.others and not inputs.trajectories:
        words = _words_of_files(inputs.others)
    else:
        words = _words_of_records(inputs.trajectories) or wording_to_train("", start)
    if words is None:
        return inputs
    style = AS_PUBLISHED if inputs.others and inputs.style == PUBLISHED else inputs.style
    return replace(inputs, wording=words, style=style)


def _words_of_files(files: Sequence[Path]) -> Wording | None:
    beside = [path.parent / FOLDER for path in files if has_wording(path.parent / FOLDER)]
    if beside:
        return read_wording(beside[0])
    found = WordingRows()
    for path in files:
        for row in rows_of(path):
            found.add(row)
    if not (found.texts and found.has_tool):
        return None
    return found.wording(PUBLISHED_NAME, source=files[0].name)[0]


def _words_of_records(trajectories: Sequence[Trajectory]) -> Wording | None:
    refs = {one.wording for one in trajectories}
    if len(refs) > 1:
        names = ", ".join(sorted(ref.name or OURS for ref in refs))
        raise WorkbenchError(
            f"the trajectories are in several wordings ({names}), and a model learns one: choose "
            "it with --wording"
        )
    ref = next(iter(refs), WordingRef())
    return find_wording(ref.name) if ref.sha256 else None


def sample_trajectories(
    trajectories: Sequence[Trajectory], share: float, seed: int
) -> list[Trajectory]:
    """A random share of the trajectories in their order, at least one."""
    rng = np.random.default_rng(np.random.SeedSequence((seed, 8)))
    count = max(1, round(share * len(trajectories)))
    chosen = sorted(rng.permutation(len(trajectories))[:count].tolist())
    return [trajectories[number] for number in chosen]


def _is_sharegpt(path: Path) -> bool:
    """Whether a file holds ShareGPT conversations instead of trajectories."""
    if path.suffix != ".jsonl":
        return True
    try:
        with path.open("rb") as file:
            first = json.loads(file.readline(MAX_FIRST_LINE) or b"{}")
    except (OSError, ValueError, RecursionError):
        return False  # reading it as trajectories gives the error message
    return isinstance(first, dict) and not SHAREGPT_KEYS.isdisjoint(first)


def _picture_style(trajectories: Sequence[Trajectory], others: Sequence[Path], name: str) -> Style:
    if name != RECORDED:
        if others and STYLES[name] != PUBLISHED:
            raise WorkbenchError(f"pictures of conversations cannot be redrawn in the style {name}")
        return STYLES[name]
    seen: list[Style] = [PUBLISHED] if others else []
    for one in trajectories:
        style = Style.from_table(one.style) if one.style else PUBLISHED
        if style not in seen:
            seen.append(style)
    if len(seen) > 1:
        raise WorkbenchError(
            f"the trajectories have several picture styles ({seen[0].name}, {seen[1].name}), and "
            "a model learns one: choose it with --set style=NAME"
        )
    return seen[0]


def _fingerprints(paths: Sequence[Path]) -> dict[str, str]:
    found: dict[str, str] = {}
    for path in paths:
        with read_errors(path):
            sha256 = file_hash(path)
        found[path.name] = f"{found[path.name]} {sha256}" if path.name in found else sha256
    return found
