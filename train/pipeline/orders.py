"""One command of the chain, and what all of them are told: where, by which preset, how many at
once."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from agent.checked_toml import near_miss, shown
from agent.errors import WorkbenchError
from train.pipeline.settings import PipelineSettings
from train.recipe import as_set, config_tables, preset_tables

STAGES = (
    "bench", "questions", "company", "draft", "model", "reading", "sft", "grpo", "baselines",
    "chain",
)  # fmt: skip
"""Tables that are read by the chain."""

Program = Literal["spec-o3-train", "spec-o3"]


@dataclass(frozen=True)
class Step:
    """One command. `makes` is what must be there when it is done."""

    name: str
    program: Program
    arguments: tuple[str, ...]
    makes: Path
    processes: int = 1
    """Started together, as torchrun does."""

    @property
    def line(self) -> str:
        """As one types it in a shell."""
        words = shlex.join((self.program, *self.arguments))
        together = f"torchrun --nproc-per-node {self.processes} --no-python "
        return together + words if self.processes > 1 else words


def texts_of(table: Mapping[str, object]) -> list[str]:
    """A table as it is written with `--set`."""
    return [f"{key}={as_set(value)}" for key, value in table.items()]


def setting(stage: str, texts: Iterable[str]) -> tuple[str, ...]:
    """The words that set these of a stage, each key as it was said last: what is overruled would
    make another step of a finished one whenever it changes."""
    kept: dict[str, str] = {}
    for text in texts:
        key = text.partition("=")[0]
        kept.pop(key, None)
        kept[key] = text
    return tuple(word for text in kept.values() for word in ("--set", f"{stage}.{text}"))


def stage_of(text: str) -> str:
    return text.partition(".")[0]


def stage_sets(config: Path | None, changes: Iterable[str]) -> tuple[str, ...]:
    """What a file and `--set` say, each as `stage.key=value`, the file first.

    Raises WorkbenchError where that is for no stage of the chain.
    """
    tables = config_tables(config) if config is not None else {}
    told = [f"{stage}.{text}" for stage, table in tables.items() for text in texts_of(table)]
    for text in (*told, *changes):
        if (stage := stage_of(text)) not in STAGES or "." not in text.partition("=")[0]:
            guess = near_miss(stage, STAGES)
            raise WorkbenchError(
                f"{shown(text)} is for no stage: write stage.key=value, the stage one of "
                f"{', '.join(STAGES)}{guess}"
            )
    return (*told, *changes)


@dataclass(frozen=True, kw_only=True)
class Orders:
    """What every stage is told, and the places that more than one of them has to know.

    `sets` are passed on to the stage they name; as many `processes` train a language model
    together.
    """

    out: Path
    settings: PipelineSettings
    preset: str
    seed: int
    workers: int
    sets: tuple[str, ...]
    processes: int = 1
    after: Orders | None = None
    """Of the chain whose model learns on here; the bench is that one's."""

    @property
    def told(self) -> tuple[str, ...]:
        return "--preset", self.preset

    @property
    def busy(self) -> tuple[str, ...]:
        return "--workers", str(self.workers)

    def own(self, table: str) -> list[str]:
        """What was set of that table."""
        return [text.removeprefix(f"{table}.") for text in self.sets if stage_of(text) == table]

    def preset_says(self, table: str) -> list[str]:
        """Of a table that changes another one's."""
        return texts_of(preset_tables(self.preset).get(table, {}))

    def changed(self, stage: str) -> tuple[str, ...]:
        return setting(stage, self.own(stage))

    def train(self, name: str, makes: Path, *arguments: object, processes: int = 1) -> Step:
        return Step(name, "spec-o3-train", tuple(map(str, arguments)), makes, processes)

    @property
    def bench(self) -> Path:
        return self.after.bench if self.after else self.out / "bench"

    @property
    def baselines(self) -> Path:
        """Trained on that bench."""
        return self.bench.parent / "baselines"

    @property
    def pool(self) -> Path:
        return self.out / "pool"

    @property
    def cold(self) -> Path:
        """Made to be drafted from."""
        own = self.out / "questions.parquet"
        return own if self.settings.questions else self.bench / "cold.parquet"

    @property
    def company(self) -> Path:
        return self.out / "company" / "train.parquet"

    @property
    def drafted(self) -> tuple[Path, ...]:
        """What lessons are of: who never read of the hardest look-alikes says YES to them."""
        return (self.cold, self.company) if self.settings.company else (self.cold,)

    @property
    def practice(self) -> dict[str, Path]:
        """Sets that are practised on, by name."""
        if not self.settings.reinforced:
            return {}
        found = {"train": self.bench / "train.parquet"}
        if self.settings.practice:
            found["practice"] = self.out / "practice.parquet"
        if self.settings.company:
            found["company"] = self.company
        return found

    @property
    def sft(self) -> Path:
        return self.out / "sft"

    @property
    def grpo(self) -> Path:
        return self.out / "grpo"

    @property
    def runs(self) -> tuple[Path, ...]:
        return (self.sft, self.grpo) if self.settings.reinforced else (self.sft,)

    @property
    def judges_exported(self) -> bool:
        return self.settings.judged_by == "llama.cpp"

    @property
    def is_tried(self) -> bool:
        """Whether practice begins with what the fine-tuned model is not sure of."""
        return len(self.practice) > 1

    @property
    def tried(self) -> Path:
        """The lessons' model, exported, and what it made of the sets to practise on."""
        return self.out / "tried"

    @property
    def ended(self) -> Path:
        """The model that practice left, or the lessons."""
        return self.out / "mean" if self.is_mean else self.runs[-1] / "model"

    @property
    def rounds(self) -> tuple[int, int] | None:
        """Of practice, whose mean is taken."""
        of_practice = self.settings.reinforced and any(self.settings.averaged)
        return self.settings.averaged if of_practice else None

    @property
    def is_mean(self) -> bool:
        return self.rounds is not None or self.settings.halfway

    @property
    def start(self) -> Path:
        """A model that was there before, as it was opened to learn on."""
        return self.after.ended if self.after else self.out / "start"

    @property
    def exported(self) -> Path:
        return self.out / "gguf"

    @property
    def evaluation(self) -> Path:
        return self.out / "evaluation"
