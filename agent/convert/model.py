"""Converts a model that is here to a GGUF model of the user's, ready to use by its name."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from agent.atomic_file import write_file
from agent.confidence.judged import sigmoid
from agent.convert.checkpoint import ConversionError
from agent.convert.convert import Plan, WrittenFile, part_of, plan_conversion, write_files
from agent.convert.episodes import RandomEpisode, random_episode
from agent.convert.forms import SPARE_BYTES, WORKING_BYTES, GgufForm, this_machine
from agent.convert.gguf_file import write_gguf
from agent.engines.base import SamplingSettings
from agent.engines.gguf.engine import GgufEngine, default_threads
from agent.engines.gguf.kind import GGUF, SMALL_WEIGHTS
from agent.engines.gguf.llama_server import LlamaServerEngine
from agent.engines.kind import Role, is_installed
from agent.engines.registry import engine_kind
from agent.engines.sampling import Logits
from agent.models.card import Card, ModelFile
from agent.models.card_file import write_card
from agent.models.check_files import check_files, remember_files
from agent.models.folders import models_folder
from agent.models.long_work import Progress, counted
from agent.models.registry import PARTIAL, ModelLocation, find_model, model_at
from agent.protocol.reply import VERDICTS

REPORT = "conversion.json"
PROMPTS = 3
NO_FIGURES = (
    "Converted to {kind} from {name}; figures of that model were not measured on this form."
)

WRITTEN = 24
END = 2  # tokens that close the last turn after the box


@dataclass(frozen=True)
class Converted:
    """A new model. `agreement` compares it with its F16 form; else `note` says why not."""

    location: ModelLocation
    seconds: float = 0.0
    agreement: F16Agreement | None = None
    speed: Speed | None = None
    note: str = ""


def convert_model(
    name: str,
    kind: GgufForm,
    progress: Progress = lambda what, done, total: None,
    *,
    compare: bool = True,
    threads: int | None = None,
) -> Converted:
    """Convert the model of that name or folder to `NAME-KIND` in the user's folder.

    An interrupted conversion goes on where it stopped. `compare` asks the new model and its F16
    form the same, if this machine has the room for that. Raises ConversionError or ResourceError,
    which say what to do.
    """
    if kind not in get_args(GgufForm):
        raise ConversionError(f"no form {kind!r:.40}: choose {', '.join(get_args(GgufForm))}")
    source = convertible(name)
    assert source.folder is not None
    target = models_folder() / f"{source.card.name}-{kind}"
    if (ready := _ready(target)) is not None:
        return Converted(ready, note="it was here already")
    threads = threads or default_threads()
    started = time.perf_counter()
    hashed = counted(progress, "comparing hashes", source.card.bytes)
    check_files(source.card, source.folder, hashed)
    plan = plan_conversion(source.folder, kind, name=target.name)
    folder = target.with_name(target.name + PARTIAL)
    _go_on_with_finished(plan, folder)
    files = write_files(plan, folder, progress, threads=threads)
    seconds = time.perf_counter() - started
    card = _card(source.card, target.name, kind, files)
    note = _why_not_compared(plan, folder) if compare else "not compared with F16"
    compared, speed = None, None
    if not note:
        compared, speed = _compared(plan, folder, card, progress, threads)
    write_card(card, folder)
    report = {
        "source": str(plan.source.folder),
        "files": [asdict(file) for file in files],
        "seconds": round(seconds, 1),
        "compared_with_f16": None if compared is None else asdict(compared),
        "note": note,
    }
    write_file(folder / REPORT, json.dumps(report, indent=2) + "\n")
    folder.rename(target)
    remember_files(card, target)
    return Converted(model_at(target, "user"), seconds, compared, speed, note)


def convertible(name: str) -> ModelLocation:
    """Find a model; raises ConversionError unless it is a whole folder of the published form."""
    location = find_model(name)
    card = location.card
    if location.origin == "hub":
        raise ConversionError(f"{card.name} is not here yet: `spec-o3 models get {card.name}`")
    if reason := engine_kind(card.engine).no_conversion:
        raise ConversionError(f"{card.name} is {reason}")
    if card.base:
        raise ConversionError(
            f"{card.name} is an adapter of {card.base}: merge it with "
            f"`spec-o3-train export BASE OUT --adapter {location.folder}`"
        )
    if location.missing:
        advice = f": `spec-o3 models get {card.source.repo}`" if card.source else ""
        raise ConversionError(f"{card.name} is incomplete, it lacks {location.missing[0]}{advice}")
    return location


def _ready(target: Path) -> ModelLocation | None:
    if not target.exists():
        return None
    location = model_at(target, "user")
    if not location.is_ready:
        raise ConversionError(f"{target} exists but is incomplete: delete it, or move it away")
    return location


def _card(card: Card, name: str, kind: str, files: Sequence[WrittenFile]) -> Card:
    note = NO_FIGURES.format(kind=kind, name=card.name)
    roles: tuple[Role, Role] = ("weights", "mmproj")
    return replace(
        card,
        name=name,
        title=f"{card.title or card.name}, {kind}"[:160],
        engine=GGUF.name,
        source=None,  # the repository has the files of another form
        parameters=sum(file.parameters for file in files),
        files=tuple(
            ModelFile(role=role, path=file.name, size=file.bytes, sha256=file.sha256)
            for role, file in zip(roles, files, strict=True)
        ),
        trained_on=f"{note} {card.trained_on}"[:4000].rstrip(),
        figures=(),
    )


def _go_on_with_finished(plan: Plan, folder: Path) -> None:
    """Let files that were finished before an interruption be checked again, not written again."""
    for file in plan.files:
        finished, part = folder / file.name, part_of(folder, plan, file)
        if finished.is_file() and not part.exists():
            finished.replace(part)


def _why_not_compared(plan: Plan, folder: Path) -> str:
    """Empty if the F16 form can be written and run here."""
    if plan.language_model.contents.file_type == "f16":
        return "each number was compared with its source"
    if not any(map(is_installed, GGUF.modules)):
        return "not compared with F16: that needs xllamacpp or llama-cpp-python"
    needed, machine = 2 * plan.language_model.contents.numbers, this_machine(folder)
    if needed + SPARE_BYTES > machine.disk_free:
        return f"not compared with F16: that needs {needed / 1e9:.1f} GB of disk"
    needed += WORKING_BYTES
    if machine.memory and needed > machine.memory_free:
        return f"not compared with F16: that needs {needed / 1e9:.0f} GB of memory"
    return ""


def _compared(
    plan: Plan, folder: Path, card: Card, progress: Progress, threads: int
) -> tuple[F16Agreement, Speed]:
    """Compare with the F16 form, which is written beside the new one and removed again."""
    words = plan_conversion(plan.source.folder, "f16").language_model.contents
    episodes = [random_episode(seed, card.sizing, card.style) for seed in range(PROMPTS)]
    scratch, mmproj = folder / ".f16-to-compare.gguf", folder / plan.mmproj.name

    if words.data_bytes <= SMALL_WEIGHTS:
        threads = 1

    def ask(weights: Path, what: str) -> tuple[list[Answers], Speed]:
        start = GgufEngine.load if is_installed("llama_cpp") else LlamaServerEngine.start
        with closing(start(weights, mmproj, threads=threads, sizing=card.sizing)) as engine:
            found = []
            for done, episode in enumerate(episodes):
                progress(f"asking {what}", done, len(episodes))
                found += answers(engine, [episode])
            # of a conversation that it has not read, as a server remembers
            unread = random_episode(len(episodes), card.sizing, card.style)
            return found, measure_speed(engine, unread)

    try:
        write_gguf(scratch, words, counted(progress, "writing F16", words.numbers), threads)
        first, _ = ask(scratch, "F16")
    finally:
        scratch.unlink(missing_ok=True)
    second, speed = ask(folder / plan.language_model.name, card.name)
    return agreement(first, second), speed


# Compares a converted model with its F16 form: likeliest tokens and verdicts. The turns are
# given, so that an early difference does not change all later ones.
@dataclass(frozen=True, eq=False)
class Answers:
    """What a model would say in one conversation.

    `likeliest` is the likeliest token after each one, or from a server its text after each word of
    the model's turns; `p_yes` is YES against NO in the box that the conversation ends with.
    """

    likeliest: NDArray[Any]
    p_yes: float


@dataclass(frozen=True)
class F16Agreement:
    """How much of what two models would say is the same."""

    prompts: int
    positions: int
    equal: int  # positions with the same likeliest token
    verdicts_equal: int

    @property
    def share(self) -> float:
        return self.equal / self.positions


def answers(
    engine: GgufEngine | LlamaServerEngine, episodes: Iterable[RandomEpisode]
) -> list[Answers]:
    """Read the conversations, which end with the open box of a verdict."""
    if isinstance(engine, LlamaServerEngine):
        return [_served_answers(engine, episode) for episode in episodes]
    yes, no = (engine.token_ids(word)[0] for word in VERDICTS)

    def keep(logits: Logits) -> Logits:
        likeliest = logits.argmax(axis=1)
        return np.column_stack([likeliest, logits[:, yes], logits[:, no]]).astype(np.float64)

    found = []
    for episode in episodes:
        with closing(engine.open()) as conversation:
            _, kept = conversation.read_scored(episode.turns, episode.pictures, keep)
        says_yes, says_no = kept[-1 - END, 1:]
        found.append(Answers(kept[:, 0].astype(np.int64), float(sigmoid(says_yes - says_no))))
    return found


def _served_answers(engine: LlamaServerEngine, episode: RandomEpisode) -> Answers:
    """Ask a server, which tells no logits of what it reads, for one token at a time."""
    likeliest, next_token = [], {}
    for at, turn in enumerate(episode.turns):
        if turn.role == "assistant":
            before = episode.turns[:at]
            seen = episode.pictures[: sum(each.picture is not None for each in before)]
            # Where a word ends a token ends: the next one begins with the space.
            ends = [each.start() for each in re.finditer(r"(?<=\S)\s", turn.text)]
            for end in (*ends, len(turn.text)):
                next_token = engine.next_token(before, seen, turn.text[:end])
                likeliest.append(max(next_token, key=next_token.__getitem__, default=""))
    least = min(next_token.values(), default=0.0)  # of a word that is not among the likeliest
    says_yes, says_no = (next_token.get(word, least) for word in VERDICTS)
    return Answers(np.array(likeliest), float(sigmoid(says_yes - says_no)))


def agreement(first: Sequence[Answers], second: Sequence[Answers]) -> F16Agreement:
    pairs: list[Any] = list(zip(first, second, strict=True))
    return F16Agreement(
        prompts=len(pairs),
        positions=sum(one.likeliest.size for one, _ in pairs),
        equal=sum(int((one.likeliest == other.likeliest).sum()) for one, other in pairs),
        verdicts_equal=sum((one.p_yes > 0.5) == (other.p_yes > 0.5) for one, other in pairs),
    )


@dataclass(frozen=True)
class Speed:
    """Tokens in a second: of text and pictures that were read, and that were written."""

    read: float
    written: float


def measure_speed(engine: GgufEngine | LlamaServerEngine, episode: RandomEpisode) -> Speed:
    """Read a conversation and write a turn after it."""
    with closing(engine.open()) as conversation:
        started = time.perf_counter()
        conversation.append(episode.turns, episode.pictures)
        if isinstance(engine, LlamaServerEngine):  # which reads only what it is to continue
            begun = conversation.mark()
            conversation.generate(SamplingSettings(max_new_tokens=1))
            conversation.rewind(begun)
        read, prompt = time.perf_counter(), conversation.usage.evaluated
        generated = conversation.generate(SamplingSettings(max_new_tokens=WRITTEN))
        written = time.perf_counter()
    return Speed(prompt / (read - started), max(1, generated.tokens) / (written - read))
