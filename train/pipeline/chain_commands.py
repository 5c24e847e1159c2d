"""One command line of the chain, and the options and paths that its command lines share."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from agent.checked_toml import near_miss, shown
from agent.errors import WorkbenchError
from train.recipe import as_set, config_tables, from_sets, preset_tables

# The tables of `eye make`; its [questions] are those of the recipe, not those of the chain.
EYE_STAGES = ("lessons", "school", "speech", "rare_speech", "rare_questions")
# The tables that the chain reads from a preset or a file.
STAGES = (
    "bench", "questions", "hard_negatives", "draft", "model", "sft", "grpo", "baselines",
    "chain", *EYE_STAGES,
)  # fmt: skip

Program = Literal["spec-o3-train", "spec-o3"]


@dataclass(frozen=True)
class Step:
    """One command of the chain; `makes` is the file or folder it must leave behind."""

    name: str
    program: Program
    arguments: tuple[str, ...]
    makes: Path
    processes: int = 1  # number of processes that torchrun starts for it

    @property
    def line(self) -> str:
        """The command as a person would type it in a shell."""
        words = shlex.join((self.program, *self.arguments))
        torchrun = f"torchrun --nproc-per-node {self.processes} --no-python "
        return torchrun + words if self.processes > 1 else words


def set_texts(table: Mapping[str, object]) -> list[str]:
    return [f"{key}={as_set(value)}" for key, value in table.items()]


def set_options(stage: str, texts: Iterable[str]) -> tuple[str, ...]:
    """The `--set` options for these `key=value` texts of a stage; the last text of a key wins."""
    # Overridden values must not reach the command line: a finished step whose line changes is
    # run again.
    last: dict[str, str] = {}
    for text in texts:
        key = text.partition("=")[0]
        last.pop(key, None)
        last[key] = text
    return tuple(word for text in last.values() for word in ("--set", f"{stage}.{text}"))


def stage_of(text: str) -> str:
    return text.partition(".")[0]


def stage_sets(config: Path | None, changes: Iterable[str]) -> tuple[str, ...]:
    """The settings of a file, then those of `--set`, each as `stage.key=value`.

    Raises WorkbenchError for a setting that belongs to no stage of the chain.
    """
    tables = config_tables(config) if config is not None else {}
    from_file = [f"{stage}.{text}" for stage, table in tables.items() for text in set_texts(table)]
    for text in (*from_file, *changes):
        if (stage := stage_of(text)) not in STAGES or "." not in text.partition("=")[0]:
            guess = near_miss(stage, STAGES)
            raise WorkbenchError(
                f"{shown(text)} belongs to no stage: write stage.key=value, where stage is one of "
                f"{', '.join(STAGES)}{guess}"
            )
    return (*from_file, *changes)


@dataclass(frozen=True, kw_only=True)
class ChainCommands:
    """The options that every command of a chain gets, and the paths that several of them share.

    Each of `sets` is passed to the stage it names; `processes` train a language model together.
    """

    out: Path
    settings: PipelineSettings
    preset: str
    seed: int
    workers: int
    sets: tuple[str, ...]
    processes: int = 1

    @property
    def preset_option(self) -> tuple[str, ...]:
        return "--preset", self.preset

    @property
    def workers_option(self) -> tuple[str, ...]:
        return "--workers", str(self.workers)

    def changes(self, table: str) -> list[str]:
        """The user's own settings of a table."""
        return [text.removeprefix(f"{table}.") for text in self.sets if stage_of(text) == table]

    def options(self, stage: str) -> tuple[str, ...]:
        """The user's own settings of a stage as `--set` options."""
        return set_options(stage, self.changes(stage))

    def train(self, name: str, makes: Path, *arguments: object, processes: int = 1) -> Step:
        return Step(name, "spec-o3-train", tuple(map(str, arguments)), makes, processes)

    @property
    def bench(self) -> Path:
        return self.out / "bench"

    @property
    def pool(self) -> Path:
        return self.out / "pool"

    @property
    def questions(self) -> Path:
        """The questions that conversations are drafted from."""
        simulated = self.out / "questions.parquet"
        return simulated if self.settings.questions else self.bench / "cold.parquet"

    @property
    def hard_negatives(self) -> Path:
        return self.out / "hard_negatives" / "train.parquet"

    @property
    def sft_sets(self) -> tuple[Path, ...]:
        # A model that never saw a hard negative in SFT answers YES to them.
        if self.settings.hard_negatives:
            return self.questions, self.hard_negatives
        return (self.questions,)

    @property
    def rl_sets(self) -> dict[str, Path]:
        """The sets whose questions RL asks, by name."""
        if not self.settings.rl:
            return {}
        sets = {"train": self.bench / "train.parquet"}
        if self.settings.rl_questions:
            sets["rl_questions"] = self.out / "rl_questions.parquet"
        if self.settings.hard_negatives:
            sets["hard_negatives"] = self.hard_negatives
        return sets

    @property
    def sft(self) -> Path:
        return self.out / "sft"

    @property
    def base_model(self) -> str | Path:
        """The model before any SFT: a name or a folder, or where SFT keeps a new one."""
        start = str(self.value("model", "start", "new"))
        return self.sft / "start" if start == "new" else start

    def value(self, table: str, key: str, default: object) -> object:
        """A setting of the preset, unless the user changes it."""
        values = preset_tables(self.preset).get(table, {})
        return (values | from_sets(self.changes(table), dict, table)).get(key, default)

    @property
    def runs(self) -> tuple[Path, ...]:
        return (self.sft, self.out / "grpo") if self.settings.rl else (self.sft,)

    @property
    def judges_exported(self) -> bool:
        return self.settings.judged_by == "llama.cpp"

    @property
    def is_screened(self) -> bool:
        """Whether RL asks only the questions that the fine-tuned model is unsure about."""
        return len(self.rl_sets) > 1

    @property
    def screened(self) -> Path:
        """The fine-tuned model, exported, and its judgements of the RL sets."""
        return self.out / "screened"

    @property
    def final_model(self) -> Path:
        return self.out / "mean" if self.is_averaged else self.runs[-1] / "model"

    @property
    def averaged_rounds(self) -> tuple[int, int] | None:
        """First and last RL round whose checkpoints are averaged."""
        is_wanted = self.settings.rl and any(self.settings.averaged)
        return self.settings.averaged if is_wanted else None

    @property
    def is_averaged(self) -> bool:
        return self.averaged_rounds is not None or self.settings.average_with_start

    @property
    def start(self) -> Path:
        """The folder of an existing model that training continues from."""
        return self.out / "start"


# The sizes and switches of a chain; everything else is in the tables of its stages.
Table = Literal["main", "cross-survey", "cross-task", "ablation"]
Ablation = Literal["no-tool", "no-sft"]


@dataclass(frozen=True, kw_only=True)
class PipelineSettings:
    """The table [chain] of a preset."""

    surveys: tuple[str, ...] = ("LAMOST", "SDSS", "DESI")
    objects: int = 20000  # Objects on the simulated sky; every survey observes all of them.
    snr: tuple[float, float] = (5.0, 100.0)
    questions: int = 0
    """Simulated, distorted questions to draft from; 0 uses the bench's `cold.parquet`."""
    rl_questions: int = 0  # simulated questions for RL, in addition to the bench's training set
    hard_negatives: int = 0
    """Objects on a second simulated sky, each observed by one survey; its members and hardest
    look-alikes, selected as for a bench, are used in SFT and RL. 0 for none."""
    hard_negative_surveys: tuple[str, ...] = ()
    """Surveys of the second sky, as `simulate --survey` takes them; empty for `surveys`."""
    continue_from: str = ""
    """Name or folder of a GGUF model to continue training, such as `nano-eye`; empty starts as
    [model] says."""
    rl: bool = True  # Whether RL follows SFT; without it the SFT model is judged and exported.
    eye: bool = False  # whether a model that looks is made as well, by the recipe of `nano-eye`
    ablations: tuple[Ablation, ...] = ()
    """Models to train for the table of ablations as well: `no-tool` by SFT and RL without the tool,
    `no-sft` by RL of the model that SFT starts from."""
    screened: int = 0
    """Questions of each task and RL set that the SFT model judges, to find those it is unsure
    about; 0 for all."""
    averaged: tuple[int, int] = (0, 0)
    """First and last RL round whose checkpoints are averaged into the final model; (0, 0) uses the
    last model."""
    average_with_start: bool = False
    """Whether the final model is averaged with the one that training continued from. Further
    training costs some of what a model knew before; the average keeps most of both."""
    library: str = ""  # Folder of labelled real spectra to judge at the end; empty for none.
    judged: int = 0  # Candidates of each task to judge at the end; 0 for all.
    # For a small model on a CPU llama.cpp is twice as fast.
    judged_by: Literal["transformers", "llama.cpp"] = "transformers"
    baselines: bool = True
    tables: tuple[Table, ...] = ("main", "cross-survey", "cross-task", "ablation")

    def __post_init__(self) -> None:
        if not self.surveys or self.objects < 20:
            raise WorkbenchError("a chain needs at least one survey and 20 objects")
        first, last = self.averaged
        if not 0 <= first <= last:
            raise WorkbenchError(
                f"chain.averaged: {first} to {last} is not a range of rounds; the first must not "
                "be negative or after the last"
            )
        if "no-sft" in self.ablations and not self.rl:
            raise WorkbenchError("chain.ablations: no-sft is RL alone; leave out chain.rl=false")
        if "no-sft" in self.ablations and self.continue_from:
            raise WorkbenchError(
                "chain.ablations: no-sft starts from a base model, and chain.continue_from has had "
                "SFT already"
            )
        if self.ablations and "ablation" not in self.tables:
            raise WorkbenchError('chain.ablations are judged in chain.tables=["ablation"]')
        if self.average_with_start and not self.continue_from:
            raise WorkbenchError(
                "chain.average_with_start needs a model to average with: set chain.continue_from"
            )
