"""`spec-o3-train evaluate public`: sets that others published, beside what their papers print."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

import typer

from agent.confidence.scores import Estimate, wilson
from agent.errors import WorkbenchError
from agent.program_version import program_version
from agent.tasks.catalogue import find_task
from train.evaluate import command
from train.evaluate.evaluation import write
from train.evaluate.judgement import UNDEFINED, Judgement, confusion, judge_figures, task_figures
from train.evaluate.tables import RARE, TableKind, table_lines, with_interval
from train.report import page
from train.report.judging import Judging, judging_section, judgings_of

MEAN = "mean"
PRINTED_BY = ("Spec-o3-7B", "Spec-o3-3B", "GaiaNet", "o3", "Qwen2.5-VL-7B")
PRINTED = {
    ("test", "CV"): "81.0 80.7 67.2 57.1 25.4",
    ("test", "CS"): "80.2 75.9 87.1 53.1 31.5",
    ("test", "SS"): "84.5 84.0 70.3 53.3 27.3",
    ("test", "MG"): "83.4 82.7 51.8 60.0 29.0",
    ("test", "WD"): "53.6 43.2 48.2 37.8 28.1",
    ("test", MEAN): "76.5 73.3 64.9 52.3 28.3",
    ("survey-SDSS", MEAN): "81.1 77.3 55.6 57.1 26.6",
    ("survey-DESI", MEAN): "77.4 73.6 48.6 56.1 30.1",
    ("cross", MEAN): "76.4 74.4 - 60.9 30.5",
}
"""F1 in per cent on SpecVI-Bench, as arXiv 2601.06498 prints it of each of PRINTED_BY."""
HEAD = ("class", "judge", "real", "others", "precision", "recall", "F1", "YES to others")


def public(
    name: Annotated[Literal["specvi", "astrovlbench", "sdss-v"], typer.Argument(help="Which set.")],
    source: Annotated[
        Path, typer.Argument(help="Folder of SpecVI-Bench's Parquet files, or the list of the set.")
    ],
    out: command.Out,
    model: command.Models = None,
    spectra: Annotated[Path | None, typer.Option(help="Folder with the listed spectra.")] = None,
    from_: Annotated[
        Literal["sparcl", "sdss", "lamost", "ssap"] | None,
        typer.Option("--from", help="Archive from which to fetch those that are not there."),
    ] = None,
    release: Annotated[str, typer.Option(help="Data release, as in spec-o3 fetch.")] = "",
    url: Annotated[str, typer.Option(help="Address of a mirror, as in spec-o3 fetch.")] = "",
    class_: Annotated[
        list[str] | None,
        typer.Option("--class", metavar="THEIRS=[OURS]", help="Our class for one of theirs."),
    ] = None,
    role: Annotated[
        list[str] | None,
        typer.Option(metavar="ROLE=COLUMN", help="Column of a role, such as label=COLUMN."),
    ] = None,
    workers: command.Processes = 1,
    limit: command.Limit = None,
    threads: command.Threads = None,
    device: command.Device = "auto",
    seed: command.Seed = 0,
) -> None:
    """Sets that others published or labelled, with intervals and beside their papers' figures."""
    from app.cli.new import role_options
    from app.services.archives.choice import archive_by_name
    from train.bench.public_sets import PUBLIC, map_list, map_rows

    judges = command.judge_specs(model, None, None, threads, device)
    chosen, sets = PUBLIC[name], out / "sets"
    if name == "specvi":
        if spectra or from_ or class_ or role:
            raise WorkbenchError("specvi needs no --spectra, --from, --class or --role")
        mapped = map_rows(source, sets, chosen)
    else:
        if not spectra and not from_:
            raise WorkbenchError("name a folder of spectra (--spectra) or an archive (--from)")
        pairs = (each.partition("=") for each in class_ or ())
        own = {theirs: find_task(ours).id if ours else "" for theirs, _, ours in pairs}
        # One's own come first: WD* would take WDA.
        chosen = replace(chosen, classes={**own, **chosen.classes, **own})
        archive = archive_by_name(from_, release, url) if from_ else None
        roles = role_options(role or [])
        mapped = map_list(source, sets, chosen, roles=roles, folder=spectra, archive=archive)
    classes = [
        (theirs or "-", "left out" if ours is None else ours or "none of ours", str(n))
        for theirs, ours, n in mapped.classes
    ]
    left_out = [(reason, str(count)) for reason, count in mapped.left_out.most_common()]
    unjudged = f"Spectra that are not judged: {mapped.left_out.total()}."
    files = tuple((f"{each}.parquet", each) for each in mapped.names)
    kind = TableKind(name=name, title=chosen.title, sets=files, tasks=mapped.tasks)
    command.judge_table(kind, sets, out, judges, workers, limit, seed)
    judged = list(judgings_of(kind, out))
    tables = [
        *(_scores(one, seed) for one in judged),
        _table("Their classes and ours", chosen.note, ("theirs", "ours", "n"), classes),
        _table("Left out", unjudged, ("why", "spectra"), left_out),
    ]
    text = "\n\n".join(markdown for markdown, _ in tables)
    command.show_markdown(text)
    table = out / f"{name}.md"
    write(table, f"{table.read_text(encoding='utf-8')}\n{text}\n")
    origin = f"{chosen.source}. Its terms of use apply. Judged by spec-o3 {program_version()}."
    sections = [*(html for _, html in tables), *map(judging_section, judged)]
    write(out / f"{name}.html", page.page(chosen.title, [page.note(origin), *sections]))
    typer.echo(f"\nwritten to {out / f'{name}.html'} and {table}")


def _table(
    title: str, note: str, head: Sequence[str], rows: Sequence[Sequence[str]]
) -> tuple[str, str]:
    """In Markdown and in HTML."""
    lines = (f"### {title}", "", note, "", *table_lines(head, rows))
    return "\n".join(lines), page.section(title, page.note(note), page.table(head, rows))


def _scores(one: Judging, seed: int) -> tuple[str, str]:
    judgements = {judge: one.read(judge) for judge in one.files}
    rows = [row for task in (*one.tasks, MEAN) for row in _rows(one, task, judgements, seed)]
    note = (
        "In per cent, with 95 % intervals. No answer counts as NO. Means are of classes with real "
    )
    note += "ones; that of a paper is shown where all of its classes are there."
    return _table(f"{one.set_name}: precision, recall and F1", note, HEAD, rows)


def _rows(
    one: Judging, task: str, judgements: dict[str, list[Judgement]], seed: int
) -> Iterator[list[str]]:
    empty = [""] * 4
    for judge, every in judgements.items():
        if task == MEAN:
            f1 = judge_figures(judge, every, seed).mean_f1
            if f1.value is not None:
                yield [task, judge, *empty, with_interval(f1), ""]
            continue
        own = [each for each in every if each.task == task]
        found = task_figures(task, own, seed)
        others = found.n - found.positives
        wrong = int(confusion(own)[0, 1])
        in_vain = Estimate(wrong / others, *wilson(wrong, others)) if others else UNDEFINED
        figures = map(with_interval, (found.precision, found.recall, found.f1, in_vain))
        yield [task, judge, str(found.positives), str(others), *figures]
    if task != MEAN or len(one.tasks) >= (len(RARE) if one.set_name == "test" else 3):
        printed = PRINTED.get((one.set_name, task), "").split()
        for model, value in zip(PRINTED_BY, printed, strict=False):  # none, or one of each
            yield [task, f"{model}, as printed", *empty, value, ""]
