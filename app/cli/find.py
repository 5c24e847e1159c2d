"""`spec-o3 find`: look at every spectrum of a survey once, and choose candidates from it."""

from __future__ import annotations

import csv
import signal
import sys
import threading
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.progress import ProgressColumn, Task
from rich.text import Text

from agent.cluster.options import ActorsOption, RayOption, ray_place
from agent.tasks.catalogue import find_task
from app.cli.inspection_text import cleaned
from app.cli.new import HOW_TO_ALLOW, show_import
from app.cli.progress_bar import STOPPED, Rate, on_standard_error, progress_bar, stopped_by
from app.cli.session_options import ReviewerOption, reviewer_name
from app.core.errors import NoRowAllowedError, counted_text
from app.core.finding.choice import ODD, ChoiceRule, choose
from app.core.finding.found_session import allow_sources, found_session
from app.core.finding.inputs import as_source, known_positions
from app.core.finding.looking import LookSettings, bundled_ids
from app.core.finding.processes import FinderActors, FinderProcesses, spare_processors
from app.core.finding.search import InputCount, Search, SearchState
from app.core.finding.table import MANIFEST, FindTable

MOST_SHOWN = 20


def find(
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="SOURCE...|TABLE",
            help="Folders of any depth, spectrum files, lists, s3:// or gs:// folders; or the "
            "table of an earlier search, to choose from it.",
            show_default=False,
        ),
    ],
    to: Annotated[
        Path | None,
        typer.Option("--to", metavar="TABLE", help="Folder of the table to make or to go on with."),
    ] = None,
    classes: Annotated[
        str | None,
        typer.Option(
            metavar="CV,CS,...|FILE",
            help="Classes to look for, and task files of your own, of which every spectrum is then "
            "inspected in full.",
            show_default="all bundled classes",
        ),
    ] = None,
    plant: Annotated[
        int | None,
        typer.Option(
            min=0,
            metavar="N",
            help="Plant a simulated member in one of N spectra; 0: none.",
            show_default="50",
        ),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(
            min=1, max=512, help="Processes.", show_default="one for each processor but one"
        ),
    ] = None,
    task: Annotated[
        str | None,
        typer.Option(metavar=f"CV|CS|...|{ODD}", help="What to choose; odd: the oddest of all."),
    ] = None,
    keep: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Keep the N likeliest stars.")
    ] = None,
    recall: Annotated[
        float | None, typer.Option(metavar="SHARE", help="Keep this share of the members: 0.99.")
    ] = None,
    purity: Annotated[
        float | None,
        typer.Option(metavar="SHARE", help="Keep as many as leave this share of members: 0.5."),
    ] = None,
    known: Annotated[
        Path | None,
        typer.Option(
            metavar="LIST", help="Known members, with positions: what share of them is kept?"
        ),
    ] = None,
    snr: Annotated[
        float | None, typer.Option(min=0, metavar="S/N", help="Keep none with a lower S/N.")
    ] = None,
    without: Annotated[
        str | None,
        typer.Option(
            metavar="FLAG,...",
            help="Keep none that is masked, sky, join, saturated, negative, part or noise.",
        ),
    ] = None,
    session: Annotated[
        Path | None, typer.Option(metavar="SESSION", help="Make this session of what is kept.")
    ] = None,
    unread: Annotated[
        bool, typer.Option("--unread", help="Print what could not be read, and why, as CSV.")
    ] = False,
    trust_paths: Annotated[
        bool,
        typer.Option("--trust-paths", help="Read spectra that a list names outside its folder."),
    ] = False,
    ray: RayOption = None,
    actors: ActorsOption = None,
    reviewer: ReviewerOption = None,
) -> None:
    """Look at every spectrum of a survey once, all classes in one pass, and choose from them.

    You can stop and continue at any time. The table is a folder of Parquet files.
    """
    chooses = any(each is not None for each in (task, keep, recall, purity, session)) or unread
    if to is None:
        if len(sources) != 1 or not (Path(sources[0]) / MANIFEST).is_file():
            raise typer.BadParameter("say where the table of the search goes", param_hint="--to")
        table = FindTable(Path(sources[0]))
        if unread:
            _print_unread(table)
        elif chooses:
            if task is None:
                raise typer.BadParameter("say what to choose", param_hint="--task")
            wanted = ChoiceRule(
                task=task, keep=keep, recall=recall, purity=purity, least_snr=snr,
                without=tuple(filter(None, (without or "").split(","))),
            )  # fmt: skip
            _choose(table, wanted, known, session, reviewer_name(reviewer), trust_paths)
        else:
            _show(table)
        return
    if chooses:
        raise typer.BadParameter("first search, then choose from the table", param_hint="--to")
    place = ray_place(ray, actors, 0.0, 1 if workers is None else workers)
    table = FindTable.made(to, [as_source(each) for each in sources], _settings(to, classes, plant))
    allow_sources(table)
    count, stop = workers or spare_processors(), threading.Event()
    # SIGTERM: a polite end of the program.
    with stopped_by(signal.SIGINT, signal.SIGTERM, stop=stop.set, is_stopped=stop.is_set):
        finders = (
            FinderProcesses(count, table.settings)
            if place is None
            else FinderActors(place, table.settings)
        )
        try:
            state = _run(table, finders, stop, trust_paths)
        finally:
            finders.close()
    _say_end(table, state)
    if stop.is_set():
        typer.echo("stopped: run the same command again to continue", err=True)
        raise typer.Exit(STOPPED)


def _settings(to: Path, classes: str | None, plant: int | None) -> LookSettings:
    """The settings that the options ask for; without an option, those of the table if it exists."""
    before = FindTable(to).settings if (to / MANIFEST).is_file() else LookSettings(bundled_ids())
    plant_each = before.plant_each if plant is None else plant
    if classes is None:
        return replace(before, plant_each=plant_each)
    names = filter(None, map(str.strip, classes.split(",")))
    return LookSettings.of([find_task(name) for name in names], plant_each)


def _run(
    table: FindTable,
    finders: FinderProcesses | FinderActors,
    stop: threading.Event,
    trust_paths: bool,
) -> SearchState:
    with on_standard_error(_Counts(), Rate()) as progress:
        bar = progress.add_task("looking", total=None)

        def show(state: SearchState) -> None:
            what = f"waiting: {state.problem}" if state.problem else "looking"
            total = state.listed if state.is_all_listed else counted.total
            progress.update(
                bar, completed=state.done, total=total, description=what, unread=state.unread
            )

        with InputCount(table.sources) as counted:
            search = Search(table, trust_paths=trust_paths, should_stop=stop.is_set, on_state=show)
            return search.run(finders)


class _Counts(ProgressColumn):
    def render(self, task: Task) -> Text:
        total = "" if task.total is None else f" of {task.total:,.0f}"
        unread = task.fields.get("unread", 0)
        return Text(f"{task.completed:,.0f}{total}" + (f", {unread:,} not read" if unread else ""))


def _say_end(table: FindTable, state: SearchState) -> None:
    share = f", {100 * state.measured / state.looked_at:.1f} % in full" if state.looked_at else ""
    typer.echo(f"{counted_text(state.looked_at, 'new spectrum', 'new spectra')} looked at{share}")
    if state.known:
        typer.echo(f"  {state.known:,} were in the table already")
    if state.unread:
        typer.echo(f"  {state.unread:,} not read: spec-o3 find {table.folder} --unread")
    if state.problem:
        typer.echo(f"  the last ones could not be written: {state.problem}", err=True)


def _show(table: FindTable) -> None:
    """What a table holds, class by class."""
    names = [f"p_{task}" for task in (*table.settings.tasks, *table.own_ids)]
    columns = table.columns(["measured", *names])
    total = len(columns["measured"])
    typer.echo(f"{table.folder}: {counted_text(total, 'spectrum', 'spectra')}")
    if total:
        typer.echo(f"  {100 * np.mean(columns['measured'].astype(bool)):.1f} % inspected in full")
    for name in names:
        p = columns[name]
        known = int(np.isfinite(p).sum())
        typer.echo(f"  {name[2:]}: {known:,} inspected, {int((p >= 0.5).sum()):,} YES")
    reasons = Counter(
        reason.partition(":")[2].strip()[:60] or reason for _, _, reason in table.unread()
    )
    for reason, count in reasons.most_common(MOST_SHOWN):
        typer.echo(f"  not read: {count:,} {cleaned(reason)}")
    for name in table.damaged():
        typer.echo(f"  damaged: {cleaned(name)}", err=True)


def _print_unread(table: FindTable) -> None:
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(("path", "row", "reason"))
    for path, row, reason in table.unread():
        writer.writerow((cleaned(path), row if row >= 0 else "", cleaned(reason)))


def _choose(
    table: FindTable,
    wanted: ChoiceRule,
    known: Path | None,
    location: Path | None,
    reviewer: str,
    trust_paths: bool,
) -> None:
    choice = choose(table, wanted, () if known is None else known_positions(known))
    typer.echo(f"{cleaned(str(table.folder))}: {choice.sentence}")
    if choice.members is not None and choice.members.value is not None:
        low, high = choice.members.low, choice.members.high
        typer.echo(
            f"  members in all, by their p: {choice.members.value:,.0f} ({low:,.0f} to {high:,.0f})"
        )
    if choice.recall is None and wanted.task != ODD:
        typer.echo(
            "  nothing was planted: how many of the members are kept is not known; "
            "a new table with --plant 5 tells it"
        )
    if location is None:
        return
    try:
        with progress_bar(f"making {location.name}") as progress:
            made, report = found_session(
                table, choice, location, reviewer, trust_paths=trust_paths, progress=progress
            )
    except NoRowAllowedError as error:
        raise NoRowAllowedError(f"{error}: {HOW_TO_ALLOW}") from error
    with made:
        show_import(report)
        typer.echo(f"{made.location}: {counted_text(made.count(), 'candidate')}")
