"""The whole story as commands, one after the other: what a person would type."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from json import dumps
from pathlib import Path
from typing import Literal

from agent.errors import WorkbenchError
from train.recipe import preset_tables

Program = Literal["spec-o3-train", "spec-o3"]


@dataclass(frozen=True, kw_only=True)
class ChainSettings:
    """How much is simulated and judged; all else is in the tables of the stages."""

    surveys: tuple[str, ...] = ("LAMOST", "SDSS", "DESI")
    objects: int = 20000
    """On the simulated sky, each seen by every survey."""
    snr: tuple[float, float] = (5.0, 100.0)
    questions: int = 0
    """Asked straight from the simulator, distorted, to draft from; 0 takes the bench's own."""
    practice: int = 0
    """As many more to practise on by reinforcement, beside the bench's own."""
    company: int = 0
    """Objects of a sky of their own, seen by every survey: its members and their hardest
    look-alikes, as a bench picks them, are practised on as well."""
    tried: int = 0
    """Of each task and set, judged to find what the fine-tuned model is not sure of; 0 for all."""
    averaged: tuple[int, int] = (0, 0)
    """First and last round of reinforcement whose checkpoints' mean is judged and exported; nothing
    but noughts takes the model as it ended."""
    library: str = ""
    """Folder of labelled real spectra to judge at the end; empty for none."""
    judged: int = 0
    """Candidates of each task that are judged at the end; 0 for all."""
    judged_by: Literal["transformers", "llama.cpp"] = "transformers"
    """What runs the models that are judged; of a small one on a CPU the exported files are twice as
    fast."""
    baselines: bool = True
    tables: tuple[Literal["main", "cross-survey", "cross-task", "ablation"], ...] = (
        "main",
        "cross-survey",
        "cross-task",
        "ablation",
    )

    def __post_init__(self) -> None:
        if not self.surveys or self.objects < 20:
            raise WorkbenchError("a chain needs a survey and 20 objects at least")
        first, last = self.averaged
        if not 0 <= first <= last:
            raise WorkbenchError(f"chain.averaged: {first} to {last} are no rounds in order")


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


def _texts(table: Mapping[str, object]) -> list[str]:
    """A table of a preset as it is written with `--set`."""
    texts = {key: value if isinstance(value, str) else dumps(value) for key, value in table.items()}
    return [f"{key}={text}" for key, text in texts.items()]


def _set(stage: str, texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(word for text in texts for word in ("--set", f"{stage}.{text}"))


def steps(
    out: Path,
    settings: ChainSettings,
    preset: str,
    seed: int,
    workers: int,
    sets: tuple[str, ...],
    processes: int = 1,
) -> Iterator[Step]:
    """Every command of the chain in order. `sets` are passed on to the stage they name.

    As many `processes` train a language model together.
    """
    told, tables = ("--preset", preset), preset_tables(preset)
    busy = ("--workers", str(workers))
    bench, pool, evaluation = out / "bench", out / "pool", out / "evaluation"

    def own(table: str) -> list[str]:
        cut = [text.partition(".") for text in sets]
        return [rest for name, _, rest in cut if name == table]

    def changed(stage: str) -> tuple[str, ...]:
        return _set(stage, own(stage))

    def train(name: str, makes: Path, *arguments: object, processes: int = 1) -> Step:
        return Step(name, "spec-o3-train", tuple(map(str, arguments)), makes, processes)

    def simulated(name: str, archive: Path, survey: str, count: int, number: int) -> Step:
        return train(
            name, archive / "truth.csv",
            "simulate", archive, "--survey", survey, "--count", count,
            "--seed", number, "--sky", number, "--snr", *settings.snr, "--arrays", *busy,
        )  # fmt: skip

    def asked(name: str, makes: Path, count: int, number: int) -> Step:
        told_it = (*told, *changed("questions"))
        words = ("questions", makes, "--count", count, "--seed", number, *busy, *told_it)
        return train(name, makes, *words)

    archives = [out / "archive" / survey for survey in settings.surveys]
    for survey, archive in zip(settings.surveys, archives, strict=True):
        yield simulated(f"simulate {survey}", archive, survey, settings.objects, seed)
    named = [word for archive in archives for word in ("--archive", archive)]
    yield train(
        "bench", bench / "bench.json",
        "bench", bench, *named, "--seed", seed, *busy, *told, *changed("bench"),
    )  # fmt: skip
    cold, practice = bench / "cold.parquet", {"train": bench / "train.parquet"}
    if settings.questions:
        cold = out / "questions.parquet"
        yield asked("questions", cold, settings.questions, seed)
    if settings.practice:
        practice["practice"] = out / "practice.parquet"
        yield asked("questions to practise", practice["practice"], settings.practice, seed + 1)
    if settings.company:
        sky, company = out / "company-sky", out / "company"
        surveys, company_says = ",".join(settings.surveys), _texts(tables.get("company", {}))
        yield simulated("simulate company", sky, surveys, settings.company, seed + 2)
        yield train(
            "bench company", company / "bench.json",
            "bench", company, "--archive", sky, "--seed", seed + 2, *busy, *told,
            *_set("bench", (*own("bench"), *company_says, *own("company"))),
        )  # fmt: skip
        practice["company"] = company / "train.parquet"
    drafts = out / "drafts.jsonl"
    yield train(
        "draft", drafts,
        "draft", cold, drafts, "--seed", seed, *busy, *told, *changed("draft"),
    )  # fmt: skip
    yield train(
        "curate: import", pool,
        "curate", "import", pool, drafts, "--spectra", cold,
    )  # fmt: skip
    yield train("curate: review", pool, "curate", "auto", pool, *busy)
    approved = pool / "approved.jsonl"
    yield train("curate: export", approved, "curate", "export", pool, approved, *busy)
    sft, grpo = out / "sft", out / "grpo"

    def tuned(name: str, run: Path, *more: object) -> Step:
        words = ("sft", approved, "--sets", cold, "--out", run, "--seed", seed, *busy, *told)
        made = run / "model" / "model.toml"
        return train(name, made, *words, *more, processes=processes)

    begun: tuple[object, ...] = changed("model")
    if lessons := tables.get("reading", {}):
        reading, first = out / "reading", (*_texts(lessons), *own("sft"), *own("reading"))
        yield tuned("reading", reading, *begun, *_set("sft", first))
        begun = ("--model", reading / "model")
    yield tuned("sft", sft, *begun, *changed("sft"))
    asking = [word for each in practice.values() for word in ("--sets", each)]
    before, after = sft / "model", out / "gguf"
    is_exported = settings.judged_by == "llama.cpp"
    is_tried = len(practice) > 1
    if is_tried or is_exported:
        before = out / "tried" / "gguf"
        yield train("export to try", before, "export", sft / "model", before)
    if is_tried:
        few = ("--limit", settings.tried) if settings.tried else ()
        for name, each in practice.items():
            told_of = out / "tried" / name
            yield train(
                f"evaluate {name}", told_of / "set.md",
                "evaluate", "set", each, told_of, "--model", f"sft={before}", *busy, *few,
                "--threads", 1,
            )  # fmt: skip
            asking += ["--judged", told_of / "judgements" / each.stem / "sft.jsonl"]
    yield train(
        "grpo", grpo / "model" / "model.toml",
        "grpo", "--model", sft / "model", *asking, "--out", grpo,
        "--seed", seed, *told, *changed("grpo"), processes=processes,
    )  # fmt: skip
    ended = grpo / "model"
    if any(settings.averaged):
        first_round, last_round = settings.averaged
        ended = out / "mean"
        yield train(
            "average", ended / "model.toml",
            "average", grpo, ended, "--first", first_round, "--last", last_round,
        )  # fmt: skip
    specialists: list[str] = []
    if settings.baselines:
        yield train(
            "baselines", out / "baselines",
            "baselines", bench / "train.parquet", "--out", out / "baselines", "--seed", seed,
            *told, *changed("baselines"),
        )  # fmt: skip
    yield train("export", after, "export", ended, after)
    tuned_one, practised_one = (before, after) if is_exported else (sft / "model", ended)
    judges = ["--model", "measured", "--model", f"sft={tuned_one}"]
    judges += ["--model", f"grpo={practised_one}"]
    limit = ("--limit", str(settings.judged)) if settings.judged else ()
    if settings.baselines:
        specialists = ["--specialists", str(out / "baselines")]
    for table in settings.tables:
        if table == "ablation":
            who: list[str] = ["--full", str(practised_one), "--no-rl", str(tuned_one)]
        else:
            who = [*judges, *(specialists if table != "cross-task" else [])]
        yield train(
            f"evaluate {table}", evaluation / f"{table}.md",
            "evaluate", table, bench, evaluation, *who, *busy, *limit, "--threads", 1,
        )  # fmt: skip
    if settings.library:
        real = evaluation / "library.md"
        yield train(
            "evaluate library", real,
            "evaluate", "library", settings.library, evaluation, *judges, *specialists, *busy,
            "--threads", 1,
        )  # fmt: skip
    one = out / "one"
    yield train(
        "one spectrum", one / "truth.csv",
        "simulate", one, "--task", "CV", "--odds", "1:0", "--count", 1, "--survey", "SDSS",
        "--snr", 30, 40, "--seed", seed + 1, "--no-gzip",
    )  # fmt: skip
    record = out / "inspection.jsonl"
    yield Step(
        "inspect", "spec-o3",
        ("inspect", str(one), "--task", "CV", "--model", str(after), "--save", str(record)),
        record,
    )  # fmt: skip
    page = out / "report.html"
    yield train(
        "report", page,
        "report", page, "--run", sft, "--run", grpo, "--evaluation", evaluation,
        "--bench", bench, "--pool", pool, "--title", f"From labels to a model: {preset}",
    )  # fmt: skip
