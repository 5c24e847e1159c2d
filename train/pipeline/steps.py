"""The steps of a chain as command lines, in the order in which a person would type them."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from agent.errors import WorkbenchError
from train.pipeline.chain_commands import EYE_STAGES, ChainCommands, Step, set_options, set_texts
from train.recipe import preset_tables


def steps(chain: ChainCommands) -> Iterator[Step]:
    yield from _bench(chain)
    yield from _questions(chain)
    yield from _hard_negatives(chain)
    yield from _drafts(chain)
    yield from _sft(chain)
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


def _sft(chain: ChainCommands) -> Iterator[Step]:
    start = _start(chain)
    if name := chain.settings.continue_from:
        yield chain.train("reopen", chain.start / "model.toml", "reopen", name, chain.start)
    yield from _tuning(chain, chain.out, start)


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
