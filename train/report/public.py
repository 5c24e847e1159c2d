"""`spec-o3-train evaluate public`: sets that others published, beside what their papers print."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Literal

import typer

from agent.cluster.options import ActorsOption, GpusEachOption, RayOption, ray_place
from agent.confidence.scores import Estimate, wilson
from agent.errors import WorkbenchError
from agent.program_version import program_version
from train.evaluate import command
from train.evaluate.evaluation import write
from train.evaluate.figures import UNDEFINED, confusion, judge_figures
from train.evaluate.judgement import Judgement
from train.evaluate.tables import RARE, TableKind, table_lines, with_interval
from train.report import page
from train.report.judging import Judging, judging_section, judgings_of

PRINTED = """
Spec-o3-7B 81.0 80.2 84.5 83.4 53.6 76.5 81.1 77.4 76.4
Spec-o3-3B 80.7 75.9 84.0 82.7 43.2 73.3 77.3 73.6 74.4
GaiaNet 67.2 87.1 70.3 51.8 48.2 64.9 55.6 48.6 -
o3 57.1 53.1 53.3 60.0 37.8 52.3 57.1 56.1 60.9
Qwen2.5-VL-7B 25.4 31.5 27.3 29.0 28.1 28.3 26.6 30.1 30.5
"""
"""F1 of the classes of the test set and their mean, then the means on SDSS, DESI and O, B, A, as
arXiv 2601.06498 prints them for SpecVI-Bench."""
MEAN = "mean"
PLACES = (
    *(("test", task) for task in (*RARE, MEAN)),
    *((name, MEAN) for name in ("survey-SDSS", "survey-DESI", "cross")),
)
HEAD = ("class", "judge", "real", "others", "precision", "recall", "F1", "YES to others")


@dataclass(frozen=True)
class TableWithNote:
    title: str
    note: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]

    def markdown(self) -> str:
        return "\n".join(
            (f"### {self.title}", "", self.note, "", *table_lines(self.head, self.rows))
        )

    def html(self) -> str:
        return page.section(self.title, page.note(self.note), page.table(self.head, self.rows))


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
    classes: Annotated[
        Path | None, typer.Option(help="CSV of their classes and ours: theirs, ours.")
    ] = None,
    role: Annotated[
        list[str] | None,
        typer.Option(metavar="ROLE=COLUMN", help="Column of a role, such as label=COLUMN."),
    ] = None,
    workers: command.Processes = 1,
    ray: RayOption = None,
    actors: ActorsOption = None,
    gpus_each: GpusEachOption = 0.0,
    limit: command.Limit = None,
    threads: command.Threads = None,
    device: command.Device = "auto",
    seed: command.Seed = 0,
) -> None:
    """Sets that others published or labelled, with intervals and beside their papers' figures."""
    from app.cli.new import role_options
    from app.services.archives.choice import archive_by_name
    from train.bench.public_sets import PUBLIC, map_list, map_rows, read_classes

    judges = command.judge_specs(model, None, None, threads, device)
    chosen, sets = PUBLIC[name], out / "sets"
    if name == "specvi":
        if spectra or from_ or classes or role:
            raise WorkbenchError(
                "the rows of SpecVI-Bench hold spectra and classes: leave out --spectra, --from, "
                "--classes and --role"
            )
        mapped = map_rows(source, sets, chosen)
    else:
        if not spectra and not from_:
            raise WorkbenchError(
                "name the folder of the spectra (--spectra) or an archive (--from)"
            )
        if classes:
            chosen = replace(chosen, classes=read_classes(classes))
        mapped = map_list(
            source,
            sets,
            chosen,
            roles=role_options(role or []),
            folder=spectra,
            archive=archive_by_name(from_, release, url) if from_ else None,
        )
    shown = {None: "left out", "": "none of ours"}
    tables = [
        TableWithNote(
            "Their classes and ours",
            chosen.note,
            ("theirs", "ours", "number"),
            [(theirs or "-", shown.get(ours, ours), str(n)) for theirs, ours, n in mapped.classes],
        ),
        TableWithNote(
            "Left out",
            f"{mapped.left_out.total()} spectra are not judged.",
            ("why", "spectra"),
            [(reason, str(count)) for reason, count in mapped.left_out.most_common()],
        ),
    ]
    kind = TableKind(
        name=name,
        title=chosen.title,
        sets=tuple((f"{each}.parquet", each) for each in mapped.names),
        tasks=mapped.tasks,
    )
    where = ray_place(ray, actors, gpus_each, workers) or workers
    command.judge_table(kind, sets, out, judges, where, limit, seed)
    judged = list(judgings_of(kind, out))
    tables += [_scores(one, seed) for one in judged]
    text = "\n\n".join(each.markdown() for each in tables)
    typer.echo(text)
    table = out / f"{name}.md"
    write(table, f"{table.read_text(encoding='utf-8')}\n{text}\n")
    origin = f"{chosen.source}. Judged by spec-o3 {program_version()}; its terms of use apply."
    sections = [*(each.html() for each in tables), *map(judging_section, judged)]
    write(out / f"{name}.html", page.page(chosen.title, [page.note(origin), *sections]))
    typer.echo(f"\nwritten to {out / f'{name}.html'} and {table}")


def _scores(one: Judging, seed: int) -> TableWithNote:
    judgements = {judge: one.read(judge) for judge in one.files}
    rows = [
        row
        for task in (*one.tasks, MEAN)
        for row in (*_of_judges(task, judgements, seed), *_printed(one.set_name, task))
    ]
    note = "In per cent, with 95 % intervals. No answer counts as NO."
    return TableWithNote(f"{one.set_name}: precision, recall and F1", note, HEAD, rows)


def _of_judges(
    task: str, judgements: dict[str, list[Judgement]], seed: int
) -> Iterator[tuple[str, ...]]:
    for judge, every in judgements.items():
        if task == MEAN:
            yield (
                MEAN,
                judge,
                "",
                "",
                "",
                "",
                with_interval(judge_figures(judge, every, seed).mean_f1),
                "",
            )
            continue
        own = [each for each in every if each.task == task]
        (found,) = judge_figures(judge, own, seed).tasks
        others = found.n - found.positives
        wrong = int(confusion(own)[0, 1])
        in_vain = Estimate(wrong / others, *wilson(wrong, others)) if others else UNDEFINED
        figures = map(with_interval, (found.precision, found.recall, found.f1, in_vain))
        yield task, judge, str(found.positives), str(others), *figures


def _printed(name: str, task: str) -> Iterator[tuple[str, ...]]:
    if (name, task) in PLACES:
        at = PLACES.index((name, task))
        for line in PRINTED.split("\n")[1:-1]:
            model, *figures = line.split()
            yield task, f"{model}, as printed", "", "", "", "", figures[at], ""
