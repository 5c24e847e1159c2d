"""`spec-o3-train curate`, `judge`, `lessons` and `audit`."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from agent.checked_toml import printable
from agent.errors import WorkbenchError
from agent.ratings.rubric import CRITERIA, HIGHEST
from train.parallel import counted
from train.review.review_rules import ROLES

if TYPE_CHECKING:
    from train.review.pool import Pool

curate = typer.Typer(help="Screen, revise, audit and vote on drafts.", no_args_is_help=True)

Place = Annotated[str, typer.Argument(help="Folder of the pool, or a database's URL.")]
As = Annotated[str, typer.Option("--as", help="Your name, stored with your reviews.")]
Limit = Annotated[int | None, typer.Option(min=1, help="Review at most this many.")]
MAX_AT_ONCE = 64


@curate.command("import")
def import_(
    folder: Place,
    drafts: Annotated[list[Path], typer.Argument(help="Trajectories (JSON lines).")],
    spectra: Annotated[
        list[Path] | None, typer.Option(help="Sets with their spectra; may be repeated.")
    ] = None,
) -> None:
    """Add drafts to a pool, and create the pool if it does not exist."""
    from train.review.pool import import_drafts

    _, new = import_drafts(folder, drafts, spectra or ())
    typer.echo(f"{new} new drafts in {folder}")


@curate.command()
def auto(
    folder: Place,
    only: Annotated[
        list[str] | None, typer.Option(help="Run only this program; may be repeated. Default: all.")
    ] = None,
    workers: Annotated[int, typer.Option(min=1, max=256, help="Processes.")] = 1,
) -> None:
    """Let programs check the form, the claims and the record, and vote.

    The programs are auto-screener, auto-reviser, auto-claims and auto-record, each with one role.
    Trajectories they cannot close wait for people.
    """
    from train.review.programs import PROGRAMS, run_panel

    names = tuple(only or PROGRAMS)
    for name in names:
        if name not in PROGRAMS:
            raise WorkbenchError(f"no program {name[:40]!r}: choose from {', '.join(PROGRAMS)}")
    pool = _pool(folder)
    total = sum(case.stage not in ("approved", "rejected") for case in pool.cases())
    with counted("reviewing", total) as advance:
        count = run_panel(pool, names=names, workers=workers, advance=advance)
    typer.echo(f"{count} reviews given; {_stages(folder)}")


@curate.command()
def review(
    folder: Place,
    by: As,
    role: Annotated[str, typer.Option(help=f"{', '.join(ROLES)}.")],
    sheet: Annotated[
        Path | None,
        typer.Option(help="Review in a file: it is written first, and read on the second call."),
    ] = None,
    model: Annotated[
        str, typer.Option(help="Let a model judge: its name, path or server address.")
    ] = "",
    limit: Limit = None,
) -> None:
    """Review in one role: in the terminal, in a file, or by a model.

    Nobody can hold two roles on one trajectory.
    """
    from train.review.model_judge import judge_pool, opened_judge
    from train.review.sheet import review_by_sheet
    from train.review.terminal import ask_in_terminal, edit_in_terminal, review_in_terminal

    if role not in ROLES:
        raise WorkbenchError(f"no role {role[:40]!r}: choose from {', '.join(ROLES)}")
    if sheet is not None and model:
        raise WorkbenchError("give --sheet or --model, not both")
    pool = _pool(folder)
    if sheet is not None:
        typer.echo(review_by_sheet(pool, by, role, sheet, limit=limit))
    elif model:
        with opened_judge(model, by) as (judge, called), counted("judging", limit) as advance:
            counts = judge_pool(judge, pool, role, limit, advance)
        typer.echo(f"{counts.rated} judged by {called}, {counts.unusable} without usable scores")
    else:
        ask, edit = ask_in_terminal, edit_in_terminal
        done = review_in_terminal(pool, by, role, Console(), ask, edit, limit=limit)
        typer.echo(f"{done} reviewed; {_stages(folder)}")


@curate.command()
def stats(
    folder: Place,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON only, for scripts.")] = False,
) -> None:
    """Show approval rates, scores, agreement of raters and preferred sources."""
    from train.review.pool_figures import figures

    pool_figures = figures(_pool(folder).cases())
    if as_json:
        typer.echo(json.dumps(pool_figures, allow_nan=False))
        return
    console = Console()
    console.print(_stages(folder), markup=False)
    for table in _tables(pool_figures):
        console.print(table)


@curate.command()
def export(
    folder: Place,
    out: Annotated[
        Path | None, typer.Argument(help="File to write; default FOLDER/approved.jsonl.")
    ] = None,
    workers: Annotated[int, typer.Option(min=1, max=256, help="Processes.")] = 1,
) -> None:
    """Write the approved trajectories in their latest wording, for `sft`."""
    from train.review.pool import approved_file, export_in_processes

    done = export_in_processes(_pool(folder), out or approved_file(folder), workers)
    typer.echo(f"{done.count} approved trajectories in {done.path}")
    for reason in done.left_out:
        typer.echo(f"  left out: {printable(reason, 160)}")
    typer.echo(done.command)


@curate.command()
def replace(
    folder: Place,
    silent: Annotated[str, typer.Argument(metavar="NAME", help="Who does not answer.")],
    by: As,
    note: Annotated[str, typer.Option(help="The reason, kept in the log.")] = "",
) -> None:
    """Wait no longer for an auditor: somebody else may audit what waits for this one.

    A missing vote is no longer waited for where it can change nothing; where it decides, somebody
    else may audit the draft and vote. Authors may not do this with their own drafts.
    """
    done = _pool(folder).replace(silent, by, note)
    typer.echo(f"no longer waited for {silent[:80]}: {len(done)} of the drafts")


@curate.command("take-over")
def take_over(
    folder: Place,
    author: Annotated[str, typer.Argument(metavar="NAME", help="Who does not answer.")],
    by: As,
    note: Annotated[str, typer.Option(help="The reason, kept in the log.")],
    draft: Annotated[str, typer.Option(help="Only this draft, by its id.")] = "",
) -> None:
    """Become the author of the drafts that were returned to this one.

    Whoever takes a draft over may not audit it. One that the author is revising stays theirs.
    """
    done = _pool(folder).take_over(author, by, note, draft)
    typer.echo(f"taken over from {author[:80]}: {len(done)} of the drafts")


def _pool(place: str) -> Pool:
    from train.review.pool import open_pool  # brings what draws and measures

    return open_pool(place)


def _stages(folder: str) -> str:
    from train.review.pool import stages_text

    return stages_text(Counter(case.stage for case in _pool(folder).cases()))


def _tables(found: dict[str, Any]) -> Iterator[Table]:
    approvals = Table("role", "reviews", "approved", "share", box=box.SIMPLE)
    for role, row in found["approvals"].items():
        approvals.add_row(role, str(row["n"]), str(row["approved"]), _share(row))
    yield approvals
    scores = Table("score", "role", *map(str, range(HIGHEST + 1)), "mean", box=box.SIMPLE)
    for score, roles in found["scores"].items():
        for role, row in roles.items():
            if row["counts"]:
                scores.add_row(score, role, *map(str, row["counts"]), f"{row['mean']:.2f}")
    yield scores
    raters = Table("raters", "n", "Spearman coherence", "consistency", box=box.SIMPLE)
    for row in found["agreement"]:
        values = ["-" if row[name] is None else f"{row[name]:.2f}" for name in CRITERIA]
        raters.add_row(Text(f"{row['first']}, {row['second']}"), str(row["n"]), *values)
    yield raters
    pairs = Table("preferred", "to", "n", "share", box=box.SIMPLE)
    for row in found["preference"]["pairs"]:
        names = (Text(row["first"]), Text(row["second"]))
        pairs.add_row(*names, str(row["n"]), _share({**row, "share": row["rate"]}))
    yield pairs


def _share(row: dict[str, Any]) -> str:
    if row["share"] is None:
        return "-"
    low, high = row["interval"]
    return f"{row['share']:.2f} ({low:.2f} to {high:.2f})"


def judge(
    files: Annotated[list[Path], typer.Argument(help="Trajectories (.jsonl).")],
    model: Annotated[
        str,
        typer.Option(help="The judge: a model's name or path, or a server's address with #MODEL."),
    ],
    out: Annotated[
        Path | None,
        typer.Option(help="File of ratings to write or go on with; default beside the first file."),
    ] = None,
    spectra: Annotated[
        list[Path] | None,
        typer.Option(help="Sets (.parquet) or folders with the spectra; may be repeated."),
    ] = None,
    name: Annotated[str, typer.Option(help="Name of the judge in the ratings.")] = "",
    limit: Annotated[int | None, typer.Option(min=1, help="Rate at most this many.")] = None,
    seed: Annotated[int, typer.Option(min=0)] = 0,
    at_once: Annotated[
        int, typer.Option(min=1, max=MAX_AT_ONCE, help="Inspections a server reads at once.")
    ] = 1,
) -> None:
    """Let a model rate inspections for coherence and physical consistency, 0 to 5.

    It reads the whole conversation with its pictures and is not told who inspected. The ratings
    have the form of those that people give in `spec-o3 rate`, and can be shown together.
    """
    from agent.trajectory.trajectory_file import read_trajectories
    from train.review.model_judge import opened_judge, rate_all
    from train.review.rating_round import Spectra, ratings_beside, unique

    trajectories = unique(one for path in files for one in read_trajectories(path))[:limit]
    if not trajectories:
        raise WorkbenchError(f"there is no trajectory in {', '.join(map(str, files))}")
    places = Spectra([*(spectra or []), *(path.parent for path in files)])
    target = out or ratings_beside(files[0])
    with (
        opened_judge(model, name, seed, at_once) as (judge, _),
        counted("judging", len(trajectories)) as advance,
    ):
        counts = rate_all(judge, trajectories, places, target, advance)
    why = f" (the first: {printable(counts.first_fault, 160)})" if counts.first_fault else ""
    known = f", {counts.known} rated before" if counts.known else ""
    typer.echo(f"{counts.rated} rated{known}, {counts.unusable} without a score{why}: {target}")


def lessons(
    sessions: Annotated[
        list[str],
        typer.Argument(metavar="SESSION...", help="Sessions: files, or addresses of PostgreSQL."),
    ],
    out: Annotated[Path, typer.Option(help="Folder to write.")],
    spectra: Annotated[
        list[Path] | None,
        typer.Option(help="Further folders or sets with the spectra; may be repeated."),
    ] = None,
    preset: Annotated[
        str, typer.Option(help="Write corrections in the words and pictures of this preset.")
    ] = "",
) -> None:
    """Read ratings and corrections of sessions as trajectories and labels.

    Inspections with a right verdict that were rated 4 or 5 are kept. Those rated 0 to 2, and those
    that a person's verdict contradicts, are written anew by the measured teacher, which is told
    that verdict. OUT/trajectories.jsonl is for `sft`, OUT/spectra.parquet has every label.
    """
    from train.draft.settings import DraftSettings
    from train.recipe import settings
    from train.review.lessons import joined, read_lessons, summary, write_lessons

    drafts = settings(DraftSettings, "draft", preset=preset) if preset else None
    read = partial(read_lessons, places=spectra or [], drafts=drafts)
    found = joined([*map(read, sessions)])
    done = write_lessons(found, out)
    for line in summary(found):
        typer.echo(line)
    if found.trajectories:
        typer.echo(done.command)
    else:
        typer.echo(
            "These are labels alone, from which sft cannot learn: rate inspections 0 to 2, or 4 or "
            "5, and make the lessons anew."
        )


def audit(
    source: Annotated[
        Path,
        typer.Argument(
            help="Spectra (a folder, with or without a MANIFEST.csv), a Parquet set, or the "
            "inspections of a session, exported as .jsonl."
        ),
    ],
    task: Annotated[
        list[str] | None, typer.Option(help="A class to ask about; repeatable. Default: all.")
    ] = None,
    examples: Annotated[int, typer.Option(min=0, help="Faults shown of each kind.")] = 3,
) -> None:
    """Check every sentence of measured inspections against its numbers; fails if one is wrong."""
    from train.review.sentence_audit import audit_records, records_of

    found = audit_records(records_of(source, tuple(task or ())))
    typer.echo(found.markdown(examples))
    if found.faults:
        raise typer.Exit(1)
