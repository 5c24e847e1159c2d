"""The whole story as commands, one after the other: what a person would type."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from agent.errors import WorkbenchError
from train.pipeline.orders import Orders, Step, setting


def steps(orders: Orders) -> Iterator[Step]:
    """Every command of the chain in order."""
    if orders.after is None:
        yield from _sky(orders)
    yield from _questions(orders)
    yield from _company(orders)
    yield from _drafts(orders)
    yield from _lessons(orders)
    if orders.settings.reinforced:
        yield from _trial(orders)
        yield from _practice(orders)
    elif own := orders.own("grpo"):
        raise WorkbenchError(
            f"grpo.{own[0][:120]} changes nothing without practice: leave out "
            "chain.reinforced=false"
        )
    yield from _mean(orders)
    yield from _judgement(orders)
    yield from _first_use(orders)


def _each(option: str, values: Iterable[object]) -> list[object]:
    return [word for value in values for word in (option, value)]


def _simulated(
    orders: Orders, name: str, archive: Path, survey: str, count: int, seed: int
) -> Step:
    return orders.train(
        name, archive / "truth.csv",
        "simulate", archive, "--survey", survey, "--count", count,
        "--seed", seed, "--sky", seed, "--snr", *orders.settings.snr, "--arrays", *orders.busy,
    )  # fmt: skip


def _sky(orders: Orders) -> Iterator[Step]:
    surveys = orders.settings.surveys
    archives = [orders.out / "archive" / survey for survey in surveys]
    for survey, archive in zip(surveys, archives, strict=True):
        name, count = f"simulate {survey}", orders.settings.objects
        yield _simulated(orders, name, archive, survey, count, orders.seed)
    yield orders.train(
        "bench", orders.bench / "bench.json",
        "bench", orders.bench, *_each("--archive", archives), "--seed", orders.seed, *orders.busy,
        *orders.told, *orders.changed("bench"),
    )  # fmt: skip


def _questions(orders: Orders) -> Iterator[Step]:
    def asked(name: str, makes: Path, count: int, seed: int) -> Step:
        words = "questions", makes, "--count", count, "--seed", seed, *orders.busy, *orders.told
        return orders.train(name, makes, *words, *orders.changed("questions"))

    if count := orders.settings.questions:
        yield asked("questions", orders.cold, count, orders.seed)
    if more := orders.practice.get("practice"):
        yield asked("questions to practise", more, orders.settings.practice, orders.seed + 1)


def _company(orders: Orders) -> Iterator[Step]:
    count = orders.settings.company
    own = orders.own("company")
    if not count:
        if own:
            raise WorkbenchError(
                f"company.{own[0][:120]} changes nothing: set chain.company, how many objects that "
                "sky has"
            )
        return
    sky, seed = orders.out / "company-sky", orders.seed + 2
    bench = orders.company.parent
    says = orders.preset_says("company")
    surveys = ",".join(orders.settings.company_surveys or orders.settings.surveys)
    yield _simulated(orders, "simulate company", sky, surveys, count, seed)
    yield orders.train(
        "bench company", bench / "bench.json",
        "bench", bench, "--archive", sky, "--seed", seed, *orders.busy, *orders.told,
        *setting("bench", (*orders.own("bench"), *says, *own)),
    )  # fmt: skip


def _drafts(orders: Orders) -> Iterator[Step]:
    drafts, pool = orders.out / "drafts.jsonl", orders.pool
    yield orders.train(
        "draft", drafts,
        "draft", *orders.drafted, drafts, "--seed", orders.seed, *orders.busy, *orders.told,
        *orders.changed("draft"),
    )  # fmt: skip
    yield orders.train(
        "curate: import", pool,
        "curate", "import", pool, drafts, *_each("--spectra", orders.drafted),
    )  # fmt: skip
    yield orders.train("curate: review", pool, "curate", "auto", pool, *orders.busy)
    approved = pool / "approved.jsonl"
    words = "curate", "export", pool, approved, *orders.busy
    yield orders.train("curate: export", approved, *words)


def _lessons(orders: Orders) -> Iterator[Step]:
    approved = orders.pool / "approved.jsonl"

    def tuned(name: str, run: Path, *more: object) -> Step:
        words = "sft", approved, *_each("--sets", orders.drafted), "--out", run
        return orders.train(
            name, run / "model" / "model.toml",
            *words, "--seed", orders.seed, *orders.busy, *orders.told, *more,
            processes=orders.processes,
        )  # fmt: skip

    begun: tuple[object, ...] = orders.changed("model")
    if orders.after:
        begun = "--model", orders.start
    elif name := orders.settings.reopened:
        if begun:
            raise WorkbenchError(f"chain.reopened: {name[:120]} has its shape; leave out model.*")
        start = orders.start
        yield orders.train("reopen", start / "model.toml", "reopen", name, start)
        begun = "--model", start
    lessons, own = orders.preset_says("reading"), orders.own("reading")
    if lessons or own:
        reading = orders.out / "reading"
        first = *lessons, *orders.own("sft"), *own
        yield tuned("reading", reading, *begun, *setting("sft", first))
        begun = "--model", reading / "model"
    yield tuned("sft", orders.sft, *begun, *orders.changed("sft"))


def _trial(orders: Orders) -> Iterator[Step]:
    exported = orders.tried / "gguf"
    if orders.is_tried or orders.judges_exported:
        yield orders.train("export to try", exported, "export", orders.sft / "model", exported)
    if not orders.is_tried:
        return
    few = ("--limit", orders.settings.tried) if orders.settings.tried else ()
    for name, each in orders.practice.items():
        told_of = orders.tried / name
        yield orders.train(
            f"evaluate {name}", told_of / "set.md",
            "evaluate", "set", each, told_of, "--model", f"sft={exported}", *orders.busy,
            *few, "--threads", 1,
        )  # fmt: skip


def _practice(orders: Orders) -> Iterator[Step]:
    asking = _each("--sets", orders.practice.values())
    if orders.is_tried:
        for name, each in orders.practice.items():
            told_of = orders.tried / name / "judgements" / each.stem
            asking += ["--judged", told_of / "sft.jsonl"]
    yield orders.train(
        "grpo", orders.grpo / "model" / "model.toml",
        "grpo", "--model", orders.sft / "model", *asking, "--out", orders.grpo,
        "--seed", orders.seed, *orders.told, *orders.changed("grpo"), processes=orders.processes,
    )  # fmt: skip


def _mean(orders: Orders) -> Iterator[Step]:
    if not orders.is_mean:
        return
    run, rounds = orders.runs[-1], orders.rounds
    whose = run if rounds else run / "model"
    some = ("--first", rounds[0], "--last", rounds[1]) if rounds else ()
    back = ("--back", orders.start) if orders.settings.halfway else ()
    yield orders.train(
        "average", orders.ended / "model.toml", "average", whose, orders.ended, *some, *back
    )


def _judgement(orders: Orders) -> Iterator[Step]:
    settings, evaluation = orders.settings, orders.evaluation
    specialists: tuple[object, ...] = ()
    if settings.baselines:
        baselines = orders.baselines
        specialists = "--specialists", baselines
        if orders.after is None:
            yield orders.train(
                "baselines", baselines,
                "baselines", orders.bench / "train.parquet", "--out", baselines,
                "--seed", orders.seed, *orders.told, *orders.changed("baselines"),
            )  # fmt: skip
    yield orders.train("export", orders.exported, "export", orders.ended, orders.exported)
    ended = orders.exported if orders.judges_exported else orders.ended
    # the lessons' model was exported to be tried, but is judged as its practised self is
    tuned = orders.tried / "gguf" if orders.judges_exported else orders.sft / "model"
    known = {"sft": tuned, "grpo": ended} if settings.reinforced else {"sft": ended}
    named = [f"{name}={place}" for name, place in known.items()]
    judges = "--model", "measured", *_each("--model", named)
    limit = ("--limit", settings.judged) if settings.judged else ()
    for table in settings.tables:
        who: tuple[object, ...] = (*judges, *(specialists if table != "cross-task" else ()))
        if table == "ablation":
            who = "--full", ended, *(("--no-rl", tuned) if settings.reinforced else ())
        yield orders.train(
            f"evaluate {table}", evaluation / f"{table}.md",
            "evaluate", table, orders.bench, evaluation, *who, *orders.busy, *limit,
            "--threads", 1,
        )  # fmt: skip
    if settings.library:
        yield orders.train(
            "evaluate library", evaluation / "library.md",
            "evaluate", "library", settings.library, evaluation, *judges, *specialists,
            *orders.busy, "--threads", 1,
        )  # fmt: skip


def _first_use(orders: Orders) -> Iterator[Step]:
    one, record, page = (orders.out / name for name in ("one", "inspection.jsonl", "report.html"))
    yield orders.train(
        "one spectrum", one / "truth.csv",
        "simulate", one, "--task", "CV", "--odds", "1:0", "--count", 1, "--survey", "SDSS",
        "--snr", 30, 40, "--seed", orders.seed + 1, "--no-gzip",
    )  # fmt: skip
    model = str(orders.exported)
    words = "inspect", str(one), "--task", "CV", "--model", model, "--save", str(record)
    yield Step("inspect", "spec-o3", words, record)
    is_judged = orders.settings.tables or orders.settings.library
    judged = ("--evaluation", orders.evaluation, "--bench", orders.bench) if is_judged else ()
    yield orders.train(
        "report", page,
        "report", page, *_each("--run", orders.runs), *judged, "--pool", orders.pool,
        "--title", f"From labels to a model: {orders.preset}",
    )  # fmt: skip
