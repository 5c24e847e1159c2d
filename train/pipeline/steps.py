"""The steps of a chain as command lines, in the order in which a person would type them."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping
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


def steps(chain: ChainCommands) -> Iterator[Step]:
    yield from _bench(chain)
    yield from _questions(chain)
    yield from _hard_negatives(chain)
    yield from _drafts(chain)
    if name := chain.settings.continue_from:
        yield chain.train("reopen", chain.start / "model.toml", "reopen", name, chain.start)
    yield from _tuning(chain, chain.out, _start(chain))
    if chain.settings.rl:
        yield from _screening(chain)
        yield from _rl(chain)
    elif changes := chain.changes("grpo"):
        raise WorkbenchError(
            f"grpo.{changes[0][:120]} has no effect without RL: leave out chain.rl=false"
        )
    yield from _ablations(chain)
    yield from _averaging(chain)
    yield from _eye(chain)
    yield from _evaluation(chain)
    yield from _first_use(chain)


def _repeated(option: str, values: Iterable[object]) -> list[object]:
    return [word for value in values for word in (option, value)]


def _simulated(
    chain: ChainCommands, name: str, archive: Path, survey: str, count: int, seed: int
) -> Step:
    return chain.train(
        name, archive / "truth.csv",
        "simulate", archive, "--survey", survey, "--count", count, "--seed", seed,
        "--sky", seed, "--snr", *chain.settings.snr, "--arrays", *chain.workers_option,
    )  # fmt: skip


def _bench(chain: ChainCommands) -> Iterator[Step]:
    surveys = chain.settings.surveys
    archives = [chain.out / "archive" / survey for survey in surveys]
    for survey, archive in zip(surveys, archives, strict=True):
        name, count = f"simulate {survey}", chain.settings.objects
        yield _simulated(chain, name, archive, survey, count, chain.seed)
    yield chain.train(
        "bench", chain.bench / "bench.json",
        "bench", chain.bench, *_repeated("--archive", archives), "--seed", chain.seed,
        *chain.workers_option, *chain.preset_option, *chain.options("bench"),
    )  # fmt: skip


def _questions(chain: ChainCommands) -> Iterator[Step]:
    def simulated(name: str, makes: Path, count: int, seed: int) -> Step:
        return chain.train(
            name, makes,
            "questions", makes, "--count", count, "--seed", seed, *chain.workers_option,
            *chain.preset_option, *chain.options("questions"),
        )  # fmt: skip

    if count := chain.settings.questions:
        yield simulated("questions", chain.questions, count, chain.seed)
    if rl_questions := chain.rl_sets.get("rl_questions"):
        count = chain.settings.rl_questions
        yield simulated("questions for RL", rl_questions, count, chain.seed + 1)


def _hard_negatives(chain: ChainCommands) -> Iterator[Step]:
    count = chain.settings.hard_negatives
    changes = chain.changes("hard_negatives")
    if not count:
        if changes:
            raise WorkbenchError(
                f"hard_negatives.{changes[0][:120]} has no effect: set chain.hard_negatives, the "
                "number of objects on the simulated sky of hard negatives"
            )
        return
    sky, seed = chain.out / "hard_negatives_sky", chain.seed + 2
    bench = chain.hard_negatives.parent
    surveys = ",".join(chain.settings.hard_negative_surveys or chain.settings.surveys)
    preset = set_texts(preset_tables(chain.preset).get("hard_negatives", {}))
    texts = *chain.changes("bench"), *preset, *changes  # the table overrides [bench]
    yield _simulated(chain, "simulate hard negatives", sky, surveys, count, seed)
    yield chain.train(
        "bench of hard negatives", bench / "bench.json",
        "bench", bench, "--archive", sky, "--seed", seed, *chain.workers_option,
        *chain.preset_option, *set_options("bench", texts),
    )  # fmt: skip


def _drafts(chain: ChainCommands) -> Iterator[Step]:
    drafts, pool = chain.out / "drafts.jsonl", chain.pool
    yield chain.train(
        "draft", drafts,
        "draft", *chain.sft_sets, drafts, "--seed", chain.seed, *chain.workers_option,
        *chain.preset_option, *chain.options("draft"),
    )  # fmt: skip
    yield chain.train(
        "curate: import", pool,
        "curate", "import", pool, drafts, *_repeated("--spectra", chain.sft_sets),
    )  # fmt: skip
    yield chain.train("curate: review", pool, "curate", "auto", pool, *chain.workers_option)
    approved = pool / "approved.jsonl"
    words = "curate", "export", pool, approved, *chain.workers_option
    yield chain.train("curate: export", approved, *words)


def _start(chain: ChainCommands) -> tuple[object, ...]:
    """The options of the first SFT for the model it starts from."""
    shape = chain.options("model")
    if name := chain.settings.continue_from:
        if shape:
            raise WorkbenchError(
                f"chain.continue_from: the shape of {name[:120]} is fixed; leave out model.*"
            )
        return "--model", chain.start
    return shape


def _tuning(
    chain: ChainCommands, out: Path, start: tuple[object, ...], suffix: str = "", *more: str
) -> Iterator[Step]:
    """SFT into `out`; `more` are settings."""
    approved, run = chain.pool / "approved.jsonl", out / "sft"
    yield chain.train(
        f"sft{suffix}", run / "model" / "model.toml",
        "sft", approved, *_repeated("--sets", chain.sft_sets), "--out", run,
        "--seed", chain.seed, *chain.workers_option, *chain.preset_option, *start,
        *set_options("sft", (*chain.changes("sft"), *more)),
        processes=chain.processes,
    )  # fmt: skip


def _screening(chain: ChainCommands) -> Iterator[Step]:
    exported = chain.screened / "gguf"
    if chain.is_screened or chain.judges_exported:
        model = chain.sft / "model"
        yield chain.train("export to screen", exported, "export", model, exported)
    if not chain.is_screened:
        return
    limit = ("--limit", chain.settings.screened) if chain.settings.screened else ()
    for name, questions in chain.rl_sets.items():
        judged = chain.screened / name
        yield chain.train(
            f"evaluate {name}", judged / "set.md",
            "evaluate", "set", questions, judged, "--model", f"sft={exported}",
            *chain.workers_option, *limit, "--threads", 1,
        )  # fmt: skip


def _rl(chain: ChainCommands) -> Iterator[Step]:
    options = _repeated("--sets", chain.rl_sets.values())
    if chain.is_screened:
        for name, questions in chain.rl_sets.items():
            judgements = chain.screened / name / "judgements" / questions.stem
            options += ["--judged", judgements / "sft.jsonl"]
    run = chain.runs[-1]
    yield chain.train(
        "grpo", run / "model" / "model.toml",
        "grpo", "--model", chain.sft / "model", *options, "--out", run,
        "--seed", chain.seed, *chain.preset_option, *chain.options("grpo"),
        processes=chain.processes,
    )  # fmt: skip


def _ablations(chain: ChainCommands) -> Iterator[Step]:
    """The models without the tool and without SFT, trained on what the full model is trained on."""

    def reinforced(name: str, start: object, run: Path, *more: str) -> Step:
        # Not --judged: what the full model is sure about says nothing about another one.
        return chain.train(
            name, run / "model" / "model.toml",
            "grpo", "--model", start, *_repeated("--sets", chain.rl_sets.values()), "--out", run,
            "--seed", chain.seed, *chain.preset_option,
            *set_options("grpo", (*chain.changes("grpo"), *more)),
            processes=chain.processes,
        )  # fmt: skip

    if "no-tool" in chain.settings.ablations:
        out, suffix = chain.out / "no_tool", " without the tool"
        yield from _tuning(chain, out, _start(chain), suffix, "tool=false")
        if chain.settings.rl:
            yield reinforced(f"grpo{suffix}", out / "sft/model", out / "grpo", "tool=false")
    if "no-sft" in chain.settings.ablations:
        # What drafts have and the model learns; a base model has no card that says so.
        style = f"style={chain.value('draft', 'style', 'published')}"
        yield reinforced("grpo without sft", chain.base_model, chain.out / "no_sft", style)


def _averaging(chain: ChainCommands) -> Iterator[Step]:
    if not chain.is_averaged:
        return
    run, rounds = chain.runs[-1], chain.averaged_rounds
    source = run if rounds else run / "model"
    which = ("--first", rounds[0], "--last", rounds[1]) if rounds else ()
    back = ("--back", chain.start) if chain.settings.average_with_start else ()
    makes = chain.final_model
    yield chain.train("average", makes / "model.toml", "average", source, makes, *which, *back)


def _eye(chain: ChainCommands) -> Iterator[Step]:
    changes = [f"{table}.{text}" for table in EYE_STAGES for text in chain.changes(table)]
    if chain.settings.eye:
        yield chain.train(
            "eye", chain.out / "eye" / "gguf" / "model.toml",
            "eye", "make", chain.out / "eye", "--seed", chain.seed, *chain.workers_option,
            *_repeated("--set", changes),
        )  # fmt: skip
    elif changes:
        raise WorkbenchError(f"{changes[0][:120]} has no effect without chain.eye=true")


def _evaluation(chain: ChainCommands) -> Iterator[Step]:
    settings, evaluation = chain.settings, chain.out / "evaluation"
    specialists: tuple[object, ...] = ()
    if settings.baselines:
        baselines = chain.out / "baselines"
        specialists = "--specialists", baselines
        yield chain.train(
            "baselines", baselines,
            "baselines", chain.bench / "train.parquet", "--out", baselines,
            "--seed", chain.seed, *chain.preset_option, *chain.options("baselines"),
        )  # fmt: skip
    exported = chain.out / "gguf"
    yield chain.train("export", exported, "export", chain.final_model, exported)
    final = exported if chain.judges_exported else chain.final_model
    # The SFT model was exported for screening; it is judged in the same form as the final one.
    tuned = chain.screened / "gguf" if chain.judges_exported else chain.sft / "model"
    models = {"sft": tuned, "grpo": final} if settings.rl else {"sft": final}
    if chain.settings.eye:
        models["eye"] = chain.out / "eye" / "gguf"
    named = [f"{name}={path}" for name, path in models.items()]
    judges = "--model", "measured", *_repeated("--model", named)
    limit = ("--limit", settings.judged) if settings.judged else ()
    for table in settings.tables:
        who: tuple[object, ...] = (*judges, *(specialists if table != "cross-task" else ()))
        if table == "ablation":
            who = "--full", final, *(("--no-rl", tuned) if settings.rl else ())
            toolless = chain.out / "no_tool" / ("grpo" if settings.rl else "sft")
            runs = {"no-tool": toolless, "no-sft": chain.out / "no_sft"}
            for name in settings.ablations:
                who += f"--{name}", runs[name] / "model"
        yield chain.train(
            f"evaluate {table}", evaluation / f"{table}.md",
            "evaluate", table, chain.bench, evaluation, *who, *chain.workers_option, *limit,
            "--threads", 1,
        )  # fmt: skip
    if settings.library:
        yield chain.train(
            "evaluate library", evaluation / "library.md",
            "evaluate", "library", settings.library, evaluation, *judges, *specialists,
            *chain.workers_option, "--threads", 1,
        )  # fmt: skip


def _first_use(chain: ChainCommands) -> Iterator[Step]:
    one, record, page = (chain.out / name for name in ("one", "inspection.jsonl", "report.html"))
    yield chain.train(
        "one spectrum", one / "truth.csv",
        "simulate", one, "--task", "CV", "--odds", "1:0", "--count", 1, "--survey", "SDSS",
        "--snr", 30, 40, "--seed", chain.seed + 1, "--no-gzip",
    )  # fmt: skip
    model = str(chain.out / "gguf")
    words = "inspect", str(one), "--task", "CV", "--model", model, "--save", str(record)
    yield Step("inspect", "spec-o3", words, record)
    is_judged = chain.settings.tables or chain.settings.library
    evaluation = chain.out / "evaluation"
    judged = ("--evaluation", evaluation, "--bench", chain.bench) if is_judged else ()
    yield chain.train(
        "report", page,
        "report", page, *_repeated("--run", chain.runs), *judged, "--pool", chain.pool,
        "--title", f"From labels to a model: {chain.preset}",
    )  # fmt: skip
