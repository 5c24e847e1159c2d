"""`spec-o3 vet SESSION`: inspect all candidates that were not inspected yet."""

from collections import Counter
from functools import partial
from typing import Annotated

import typer
from rich.progress import MofNCompleteColumn

from agent.cluster.options import ActorsOption, GpusEachOption, RayOption, RayPlace, ray_place
from agent.inspection.inspector_factory import default_model
from agent.models.registry import wording_warning
from agent.trajectory.trajectory import ModelRef
from app.cli.inspect import DeviceOption
from app.cli.inspection_text import cleaned
from app.cli.progress_bar import STOPPED, Rate, on_standard_error
from app.cli.session_options import ReviewerOption, SessionArgument, TrustPathsOption, reviewer_name
from app.core.errors import counted_text
from app.core.inspections.batch import clear_missing_file_faults, inspect_all
from app.core.inspections.shown_opinion import show_model, shown_model
from app.core.inspections.store import Share, as_recorded, compare_models, count_pending
from app.core.session.session import Session, require_class
from app.core.session.spectra_folders import open_with_spectra
from app.core.statistics.pace import TimeLeft
from app.worker.pool import WorkerPool
from app.worker.ray_pool import RayPool
from app.worker.request import LoadRequest

MAX_FAULTS_SHOWN = 10


def vet(
    session: SessionArgument,
    model: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|PATH|URL[,URL...]",
            help="Model, as for `spec-o3 inspect`; or several servers of one model.",
            show_default="the best bundled model",
        ),
    ] = None,
    in_flight: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=256,
            metavar="N",
            help="Conversations at once with each server, in each worker process or actor.",
            show_default="found while it runs",
        ),
    ] = None,
    workers: Annotated[int, typer.Option(min=1, max=256, help="Number of worker processes.")] = 1,
    limit: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Stop after this many candidates.")
    ] = None,
    again: Annotated[
        bool, typer.Option("--again", help="Also retry candidates that could not be read before.")
    ] = False,
    seed: Annotated[int, typer.Option(min=0, help="Random seed.")] = 0,
    second: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|PATH|URL",
            help="Also inspect with this second model, to see where the two disagree.",
        ),
    ] = None,
    shard: Annotated[
        str | None,
        typer.Option(
            metavar="I/N",
            help="Inspect only the I-th of N equal shares: one on each machine, then merge.",
        ),
    ] = None,
    device: DeviceOption = "auto",
    ray: RayOption = None,
    actors: ActorsOption = None,
    gpus_each: GpusEachOption = 0.0,
    trust_paths: TrustPathsOption = False,
    reviewer: ReviewerOption = None,
) -> None:
    """Inspect all candidates not inspected yet. You can stop and continue at any time."""
    share = None if shard is None else Share.parse(shard)
    place = ray_place(ray, actors, gpus_each, workers)
    with open_with_spectra(session, reviewer_name(reviewer), trust_paths=trust_paths) as opened:
        require_class(opened.task)
        run = partial(
            run_vet,
            opened,
            workers=workers,
            in_flight=in_flight,
            limit=limit,
            seed=seed,
            again=again,
            share=share,
            place=place,
        )
        model = model or default_model(opened.task.id)
        if second is None:
            run(LoadRequest(model, device=device))
            return
        # Run the second model first, so that a wrong name is reported before the long work.
        other, first = (run(LoadRequest(name, device=device)) for name in (second, model))
        if shown_model(opened) is None:  # by default the newest inspection is shown
            show_model(opened, first)
        if (first.name, first.sha256) == (other.name, other.sha256):
            typer.echo("the second model is the same as the first: choose another one")
            return
        found = compare_models(opened, first, other)
        _show_disagreement("models", found.opposed, found.n)


def run_vet(
    session: Session,
    load: LoadRequest,
    *,
    workers: int = 1,
    in_flight: int | None = None,
    limit: int | None = None,
    seed: int = 0,
    again: bool = False,
    share: Share | None = None,
    place: RayPlace | None = None,
) -> ModelRef:
    """Inspect with a progress bar on standard error and a summary on standard output.

    With a `place`, Ray's actors inspect instead of processes of this machine. Returns the model
    that was used.
    """
    results: Counter[str] = Counter()
    faults: list[str] = []
    opposed, by_panels, was_stopped = 0, 0, False
    inspectors = (
        WorkerPool(workers, load, in_flight=in_flight)
        if place is None
        else RayPool(place, load, in_flight=in_flight)
    )
    with inspectors as pool, on_standard_error(MofNCompleteColumn(), Rate()) as progress:
        bar = progress.add_task("loading the model", total=None)
        model = as_recorded(session, pool.ready())
        if warning := wording_warning(load.model or ""):
            typer.echo(f"spec-o3: {cleaned(warning)}", err=True)
        clear_missing_file_faults(session)
        left = count_pending(session, model, retry=again, share=share)
        skipped = 0 if again else count_pending(session, model, retry=True, share=share) - left
        total = left if limit is None else min(left, limit)
        progress.update(bar, description=f"inspecting with {cleaned(model.name)}", total=total)
        progress.reset(bar)
        time_left = TimeLeft(total)
        try:
            run = inspect_all(
                session, pool, model, limit=limit, seed=seed, retry=again, share=share, wait=True
            )
            for vetted in run:
                record = vetted.trajectory
                word = "unreadable" if record is None else record.verdict or "no verdict"
                results[word] += 1
                # Of a panel's members; none if no panel judged.
                members = () if record is None else record.members
                verdicts = {member.verdict for member in members}
                by_panels += bool(verdicts)
                opposed += verdicts >= {"YES", "NO"}
                if vetted.fault and len(faults) < MAX_FAULTS_SHOWN:
                    faults.append(f"{vetted.candidate.object_id}: {vetted.fault}")
                progress.advance(bar)
                if line := time_left.one_more(pool.slots):
                    progress.console.print(line, end="", highlight=False)
        except KeyboardInterrupt:
            was_stopped = True
            faults.append("stopped: run the same command again to continue")
        finally:
            run.close()  # gives up what it has claimed
    done = sum(results.values())
    words = ", ".join(f"{word} {count}" for word, count in sorted(results.items()))
    typer.echo(f"{done} inspected with {cleaned(model.name)}" + (f": {words}" if words else ""))
    if by_panels:
        _show_disagreement("members", opposed, by_panels)
    for fault in faults:
        typer.echo(f"  {cleaned(fault)}", err=True)
    if skipped:
        typer.echo(f"  {skipped} could not be read before: use --again to retry", err=True)
    if done < total and not (was_stopped or session.database.is_file):
        typer.echo(f"  {total - done:,} were left to other programs on this session", err=True)
    if was_stopped:
        raise typer.Exit(STOPPED)
    return model


def _show_disagreement(who: str, opposed: int, count: int) -> None:
    typer.echo(
        f"the {who} disagree on {opposed:,} of {counted_text(count, 'candidate')}; "
        "show them with the filter disagree:agents or the order disagreeing"
    )
