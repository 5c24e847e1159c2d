"""`spec-o3 stats SESSION`: counts, pace, agreement, quality of the agents, calibration, cuts."""

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from agent.confidence.scores import Agreement, Estimate, FleissKappa
from app.cli.inspection_text import cleaned
from app.cli.session_options import ReviewerOption, SessionArgument, reviewer_name
from app.core.errors import counted_text
from app.core.session.session import open_session
from app.core.statistics import summary
from app.core.statistics.calibration import Reliability
from app.core.statistics.cut_plan import ModelCut, plan_model_cuts
from app.core.statistics.number_format import duration, rough_percent, share_text, with_interval
from app.core.statistics.people import ReviewerAgreement, Subclasses

Row = tuple[str, ...]
PeopleTable = tuple[Row, list[Row]]
MAX_HOURS = 12
NOTHING = "–"


def show_statistics(statistics: summary.Statistics, console: Console) -> None:
    counts = statistics.counts
    console.print(Text(cleaned(f"{statistics.session}: {statistics.task}"), style="bold"))
    console.print(
        f"{counted_text(counts.candidates, 'candidate')}: {counts.accepted:,} accepted, "
        f"{counts.rejected:,} rejected, {counts.unsure:,} unsure, {counts.disputed:,} disputed, "
        f"{counts.open:,} open; {counts.inspected:,} inspected, {counts.unreadable:,} unreadable"
    )
    for line in filter(None, (statistics.chosen, statistics.orders)):
        console.print(Text(cleaned(line)))
    if counts.members_disagree:
        console.print(
            f"The members of the panel disagree on {counts.members_disagree:,}: "
            "filter disagree:members"
        )
    if statistics.reviewers:
        verdicts = ("accepted", "rejected", "unsure", "blind")
        rows = [
            (
                each.name,
                *(f"{getattr(each, name):,}" for name in verdicts),
                seconds_text(each.pace.typical),
            )
            for each in statistics.reviewers
        ]
        console.print(plain_table(("reviewer", *verdicts, "s each"), rows))
    for head, body in people_tables(statistics):
        console.print(plain_table(head, body))
    _show_agreement(statistics.people, console)
    _show_subclasses(statistics.subclasses, console)
    for line in _consistency_lines(statistics):
        console.print(Text(cleaned(line)))
    if statistics.agents:
        models = (each.model for each in statistics.agents)
        console.print(plain_table(("", *models), _agent_rows(statistics.agents)))
    for agent in statistics.agents:
        text = agent.calibration_state
        if agent.reliability is not None:
            text = f"{text} {_reliability(agent.reliability)}"
        console.print(Text(cleaned(f"{agent.model}: {text}")))


def show_cuts(cuts: Sequence[ModelCut], console: Console) -> None:
    for cut in cuts:
        # Explain why there is no cut even if no candidate is left to decide.
        missing = () if cut.plan.unjudged else tuple(each.words for each in cut.plan.missing)
        for words in (*missing, *cut.plan.words):
            console.print(Text(cleaned(f"{cut.model}: {words}")))


def _show_agreement(people: ReviewerAgreement, console: Console) -> None:
    """Cohen's kappa of each pair, Fleiss' kappa of more reviewers; also by signal to noise."""
    if not people.pairs:
        return
    rows = [_agreement_row(f"{pair.first} and {pair.second}", pair.every) for pair in people.pairs]
    if len(people.pairs) == 1:
        rows += [_agreement_row(each.name, each.found) for each in people.pairs[0].by_snr]
    else:
        rows.append(_agreement_row("all (Fleiss)", people.several))
        rows += [_agreement_row(each.name, each.found) for each in people.several_by_snr]
    console.print(plain_table(("reviewers", "both judged", "agreement", "kappa"), rows))


def _show_subclasses(found: Subclasses, console: Console) -> None:
    """Numbers of each sub-class, and kappa by level."""
    if found.counts:
        rows = [(path, f"{count:,}") for path, count in found.counts.items()]
        console.print(plain_table(("sub-class", "candidates"), rows))
    if found.pairs:
        compared = [
            _agreement_row(f"{each.first} and {each.second}, level {each.level}", each.agreement)
            for each in found.pairs
        ]
        console.print(plain_table(("sub-classes", "both named", "agreement", "kappa"), compared))


def _agreement_row(name: str, agreement: Agreement | FleissKappa) -> Row:
    observed, kappa = with_interval(agreement.observed), with_interval(agreement.kappa)
    return name, f"{agreement.n:,}", observed, kappa


def _consistency_lines(statistics: summary.Statistics) -> Iterator[str]:
    for repeat in statistics.repeats:
        observed = repeat.agreement.observed
        if observed.value is not None:
            yield (
                f"{repeat.reviewer} judged {counted_text(repeat.agreement.n, 'candidate')} twice "
                f"and agreed on {rough_percent(observed.value)}; "
                f"kappa {with_interval(repeat.agreement.kappa)}"
            )
    told = [(each.reviewer, each.words) for each in statistics.drift]
    told += [(each.reviewer, each.words) for each in statistics.known]
    yield from (f"{reviewer}: {words}" for reviewer, words in told if words)


def _agent_rows(agents: Sequence[summary.AgentFigures]) -> list[Row]:
    """A column for each model; scores are relative to the final verdicts of people."""
    counts: tuple[tuple[str, Callable[[summary.AgentFigures], int]], ...] = (
        ("YES", lambda each: each.yes),
        ("NO", lambda each: each.no),
        ("no verdict", lambda each: each.undecided),
        ("also judged by people", lambda each: each.people.every.n),
        ("of these blind", lambda each: each.people.blind.n),
    )
    figures: tuple[tuple[str, Callable[[summary.AgentFigures], Estimate]], ...] = (
        ("precision", lambda each: each.people.scores.precision),
        ("recall", lambda each: each.people.scores.recall),
        ("F1", lambda each: each.people.scores.f1),
        ("kappa", lambda each: each.people.every.kappa),
    )
    rows: list[Row] = [(name, *(f"{of(each):,}" for each in agents)) for name, of in counts]
    rows += [(name, *(with_interval(of(each)) for each in agents)) for name, of in figures]
    bins = [{each.name: each.found.kappa for each in agent.people.by_snr} for agent in agents]
    for name in dict.fromkeys(name for some in bins for name in some):
        known = (some.get(name) for some in bins)
        cells = ("–" if kappa is None else with_interval(kappa) for kappa in known)
        rows.append((f"kappa, {name}", *cells))
    return rows


def _reliability(reliability: Reliability) -> str:
    text = f"p(YES) is off by {rough_percent(reliability.raw_error)} on average"
    if reliability.calibrated_error is not None:
        text += f", {rough_percent(reliability.calibrated_error)} once calibrated (out of fold)"
    if reliability.roc_auc is not None:
        text += f"; ROC AUC {reliability.roc_auc:.3f}"
    return f"{text}."


def plain_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for number, name in enumerate(head):
        table.add_column(
            Text(cleaned(name)), justify="left" if number == 0 else "right", overflow="fold"
        )
    for row in rows:
        # Text, not str: rich would interpret markup in a reviewer's name.
        table.add_row(*(Text(cleaned(cell)) for cell in row))
    return table


def stats(
    session: SessionArgument,
    precision: Annotated[
        float | None,
        typer.Option(
            metavar="P",
            help="Find the p(YES) above which this fraction is real (such as 0.95), "
            "according to the verdicts.",
        ),
    ] = None,
    recall: Annotated[
        float | None,
        typer.Option(
            metavar="R", help="Find the p(YES) below which at most 1 - R of the real ones are."
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")] = False,
    reviewer: ReviewerOption = None,
) -> None:
    """Show progress, agreement between reviewers, and the quality of the agents."""
    for share, option in ((precision, "--precision"), (recall, "--recall")):
        if share is not None and not 0.0 < share < 1.0:
            raise typer.BadParameter("must be between 0 and 1, such as 0.95", param_hint=option)
    with open_session(session, reviewer_name(reviewer), read_only=True) as opened:
        verdicts = summary.read_all_verdicts(opened)
        statistics = summary.statistics_of(opened, verdicts)
        wants_cut = precision is not None or recall is not None
        cuts = plan_model_cuts(opened, verdicts, precision, recall) if wants_cut else ()
    if as_json:
        record = summary.to_plain(statistics)
        if wants_cut:
            record["cuts"] = summary.to_plain(cuts)
        typer.echo(json.dumps(record, ensure_ascii=False, allow_nan=False))
        return
    console = Console(highlight=False)
    show_statistics(statistics, console)
    show_cuts(cuts, console)


# What `spec-o3 stats` prints about each person: work left, hours, confidence, known answers.
def people_tables(statistics: summary.Statistics) -> Iterator[PeopleTable]:
    """Heads and rows of the tables that have any."""
    tables = (_left(statistics), _hours(statistics), _confidences(statistics), _known(statistics))
    yield from (table for table in tables if table[1])


def _left(statistics: summary.Statistics) -> PeopleTable:
    rows: list[Row] = [
        (
            each.reviewer,
            NOTHING if each.assigned is None else f"{each.assigned:,}",
            f"{each.left:,}",
            f"{each.second_left:,}",
            NOTHING if each.left_s is None else duration(each.left_s),
            share_text(each.accepted),
        )
        for each in statistics.working
    ]
    return ("reviewer", "assigned", "left", "second left", "time left", "accept rate"), rows


def _hours(statistics: summary.Statistics) -> PeopleTable:
    rows: list[Row] = [
        (
            each.reviewer,
            hour.local_hour or NOTHING,
            f"{hour.decisions:,}",
            seconds_text(hour.typical_s),
            share_text(hour.accepted),
        )
        for each in statistics.working
        for hour in each.hours[-MAX_HOURS:]
    ]
    return ("reviewer", "hour", "verdicts", "s each", "accept rate"), rows


def _confidences(statistics: summary.Statistics) -> PeopleTable:
    rows: list[Row] = [
        (
            each.reviewer,
            NOTHING if one.confidence is None else str(one.confidence),
            f"{one.decisions:,}",
            seconds_text(one.typical_s),
        )
        for each in statistics.working
        if any(one.confidence is not None for one in each.confidences)
        for one in each.confidences
    ]
    return ("reviewer", "confidence", "verdicts", "s each"), rows


def _known(statistics: summary.Statistics) -> PeopleTable:
    rows: list[Row] = [
        (
            each.reviewer,
            f"{each.members_accepted:,} of {each.members:,}",
            f"{each.others_accepted:,} of {each.others:,}",
            f"{each.together:,}",
            share_text(each.completeness),
            share_text(each.purity),
        )
        for each in statistics.known
    ]
    head = ("known answers", "members", "look-alikes", "in one act", "completeness", "purity")
    return head, rows


def seconds_text(seconds: float | None) -> str:
    return NOTHING if seconds is None else f"{seconds:.1f}"
