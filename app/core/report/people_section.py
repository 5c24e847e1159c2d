"""The sections about people: counts, pace and agreement."""

from collections.abc import Iterator, Sequence
from typing import Any

from agent.confidence.scores import Agreement, Estimate, FleissKappa
from agent.rendering import charts
from agent.rendering.charts import BarPart
from app.core.errors import counted_text
from app.core.report import markup
from app.core.report.markup import (
    ACCEPT,
    AGENT,
    INK,
    OPEN,
    REJECT,
    SOFT,
    UNSURE,
    Cell,
    Markup,
    join,
    quoted,
    tag,
    without_controls,
)
from app.core.session.subclass_and_fields import subclass_levels
from app.core.statistics.drift import VerdictBlock
from app.core.statistics.number_format import rough_percent, with_interval
from app.core.statistics.snr_bins import NOT_KNOWN, SnrBin
from app.core.statistics.summary import Counts, Statistics

MOST_MATRICES = 3
MOST_ROWS = 40
MOST_COLUMNS = 2
DISPUTED = INK
KAPPA_SPAN = (-0.2, 1.0)


def counts_section(found: Statistics) -> Markup:
    counts = found.counts
    entries = [
        (ACCEPT, "accepted", counts.accepted, counts.judged),
        (REJECT, "rejected", counts.rejected, counts.judged),
        (UNSURE, "unsure", counts.unsure, counts.judged),
        (DISPUTED, "people differ", counts.disputed, counts.judged),
        (OPEN, "open", counts.open, counts.candidates),
    ]
    legend = markup.key(
        *((colour, name, markup.share_of(n, whole)) for colour, name, n, whole in entries if n)
    )
    unreadable = counted_text(counts.unreadable, "candidate")
    opposed = counted_text(counts.members_disagree, "candidate")
    notes = (
        (counts.unreadable, f"The spectrum of {unreadable} could not be read.", "note warn"),
        (
            counts.members_disagree,
            f"The members of the agents' panel disagree on {opposed}.",
            "note",
        ),
        (found.orders, found.orders, "note"),
    )
    said = (markup.paragraph(text, class_=kind) for is_so, text, kind in notes if is_so)
    return markup.section("Counts", markup.captioned(counts_bar(counts), legend), *said)


def pace_section(found: Statistics) -> Markup | None:
    if not found.reviewers:
        return None
    rows = [
        (
            quoted(each.name),
            *(f"{n:,}" for n in (each.judged, each.accepted, each.rejected, each.unsure)),
            f"{each.blind:,}",
            "–" if each.pace.typical is None else f"{each.pace.typical:.1f}",
            _left(each.pace.seconds_for(found.counts.candidates - each.judged)),
        )
        for each in found.reviewers
    ]
    counts = ("Verdicts", "Accept", "Reject", "Unsure", "Blind")
    head = ("Person", *counts, "Seconds each", "Time left")
    text = (
        "Current verdicts. Blind: given before an agent's result was shown. "
        "Seconds: median of the latest verdicts without pauses; time left: at their mean."
    )
    return markup.section(
        "People and pace", markup.table(text, head, rows, numbers=frozenset(range(1, 8)))
    )


def agreement_section(found: Statistics) -> Markup | None:
    rows = list(_agreement_rows(found))
    if not rows:
        return None
    text = (
        "Kappa is agreement beyond chance: 0 is chance, 1 complete; it is low for rare classes "
        "even between good judges. With 95 % intervals. Beside an agent UNSURE is left out; blind "
        "means before an agent's result was shown."
    )
    head = ("Between", "Candidates", "Same verdict", "Kappa", kappa_axis())
    return markup.section(
        "Agreement",
        markup.table(text, head, rows[:MOST_ROWS], numbers=frozenset({1, 2}), class_="agreement"),
        _subclasses(found),
        _matrices(found),
        _by_snr(found),
        _repeats(found),
        _drifts(found),
    )


def subclass_section(found: Statistics) -> Markup | None:
    """How many there are of each sub-class."""
    counts = found.subclasses.counts
    if not counts:
        return None
    rows = [
        (quoted(" › ".join(subclass_levels(path))), f"{count:,}") for path, count in counts.items()
    ]
    text = "As far as those agree who named one; narrower ones are not counted with the wider."
    head = ("Sub-class", "Candidates")
    return markup.section(
        "Sub-classes", markup.table(text, head, rows[:MOST_ROWS], numbers=frozenset({1}))
    )


def _subclasses(found: Statistics) -> Markup | None:
    rows = []
    for each in found.subclasses.pairs:
        between = join([_two(each.first, each.second), f", level {each.level}"])
        rows.append(_agreement_row(between, each.agreement, INK))
    if not rows:
        return None
    text = "Sub-classes of what both accepted and named at least to that level."
    head = ("Between", "Candidates", "Same sub-class", "Kappa", kappa_axis())
    return markup.table(text, head, rows[:MOST_ROWS], numbers=frozenset({1, 2}), class_="agreement")


def _agreement_rows(found: Statistics) -> Iterator[Sequence[Cell]]:
    people = found.people
    if len(people.pairs) > 1:
        yield _agreement_row("All people (Fleiss)", people.several, INK)
    for pair in people.pairs:
        yield _agreement_row(_two(pair.first, pair.second), pair.every, INK)
    for each in found.with_agents:
        between = _two(each.reviewer, each.model)
        if each.blind.n:
            yield _agreement_row(join([between, ", blind"]), each.blind, AGENT)
        if each.every.n > each.blind.n:
            yield _agreement_row(join([between, ", blind or not"]), each.every, AGENT)
    for repeat in found.repeats:
        again = join([quoted(repeat.reviewer, 40), ", first and second verdict"])
        yield _agreement_row(again, repeat.agreement, SOFT)


def _agreement_row(between: Cell, found: Agreement | FleissKappa, colour: str) -> Sequence[Cell]:
    observed, kappa = found.observed.value, found.kappa
    alike = "–" if observed is None else rough_percent(observed)
    return between, f"{found.n:,}", alike, markup.measured(kappa), interval_bar(kappa, colour)


def _two(first: str, second: str) -> Markup:
    return join([quoted(first, 40), " and ", quoted(second, 40)])


def _matrices(found: Statistics) -> Markup | None:
    pairs = found.people.pairs[:MOST_MATRICES]
    drawn = [markup.matrix(pair.every, pair.first, pair.second) for pair in pairs]
    met = [each for each in found.with_agents if each.blind.n][:MOST_MATRICES]
    drawn += [markup.matrix(each.blind, each.reviewer, f"agent {each.model}") for each in met]
    return tag("div", *drawn, class_="matrices") if drawn else None


def _by_snr(found: Statistics) -> Markup | None:
    """Kappa by S/N among people, then for the person-agent pairs with most common candidates."""
    columns: list[tuple[Cell, Sequence[SnrBin[Any]]]] = []
    if found.people.several_by_snr:
        columns.append(("People", found.people.several_by_snr))
    often = sorted(found.with_agents, key=lambda each: -each.blind.n)
    columns += [(_two(e.reviewer, e.model), e.by_snr) for e in often[:MOST_COLUMNS] if e.by_snr]
    names = {each.name: each.low for _, bins in columns for each in bins}
    if len(names) < 2:
        return None
    order = sorted(names, key=lambda name: (name == NOT_KNOWN, names[name] or 0.0))
    rows = [[name, *(_kappa_in(name, bins) for _, bins in columns)] for name in order]
    head = ["S/N", *(title for title, _ in columns)]
    text = "Kappa for faint and for bright candidates, and their number"
    return markup.table(text, head, rows, class_="whole")


def _kappa_in(name: str, bins: Sequence[SnrBin[Any]]) -> Cell:
    for each in bins:
        if each.name == name:
            number = tag("span", f"n = {each.found.n:,}", class_="soft nowrap")
            return join([markup.measured(each.found.kappa), number], " ")
    return "–"


def _repeats(found: Statistics) -> Markup | None:
    text = []
    for each in found.repeats:
        n, other = each.agreement.n, len(each.differing)
        again = f": {n:,} shown again, {other:,} of them judged differently."
        text.append(join([quoted(each.reviewer), again]))
    return markup.paragraph(join(text, " ")) if text else None


def _drifts(found: Statistics) -> Markup | None:
    drawn = []
    for each in found.drift:
        if len(each.blocks) > 1:
            curve = drift_curve(each.blocks, each.reviewer)
            drawn.append(markup.captioned(curve, tag("b", quoted(each.reviewer)), " ", each.words))
    if not drawn:
        return None
    legend = markup.key(
        (ACCEPT, "fraction accepted in each block, with 95 % intervals", ""),
        (AGENT, "the agent's mean p(YES) of the same candidates", ""),
    )
    return join([tag("h3", "Over time"), tag("div", *drawn, class_="pair"), legend])


def _left(seconds: float | None) -> str:
    if seconds is None:
        return "–"
    hours, minutes = divmod(round(seconds / 60.0), 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"


def counts_bar(counts: Counts) -> Markup:
    """How many candidates are judged, and below that the verdicts."""
    done = [BarPart("judged", counts.judged, INK), BarPart("open", counts.open, OPEN, SOFT)]
    decided = [
        BarPart("ACCEPT", counts.accepted, ACCEPT),
        BarPart("REJECT", counts.rejected, REJECT),
        BarPart("UNSURE", counts.unsure, UNSURE),
        BarPart("people differ", counts.disputed, DISPUTED),
    ]
    numbers = ", ".join(f"{part.number:,} {part.name}" for part in (*done, *decided))
    title = f"Of {counted_text(counts.candidates, 'candidate')}: {numbers}"
    return Markup(charts.stacked_bars({"all candidates": done, "judged": decided}, title))


def interval_bar(found: Estimate, colour: str) -> Markup | None:
    """A kappa and its interval, for a row of a table."""
    drawn = charts.interval_bar(found, KAPPA_SPAN, colour, f"kappa {with_interval(found)}")
    return None if drawn is None else Markup(drawn)


def kappa_axis() -> Markup:
    return Markup(charts.interval_axis(KAPPA_SPAN, "kappa from -0.2 to 1"))


def drift_curve(blocks: Sequence[VerdictBlock], reviewer: str) -> Markup:
    """The fraction accepted block by block, and the agent's mean p(YES) beside it."""
    shares = ", ".join(
        "-" if block.accepted.value is None else rough_percent(block.accepted.value)
        for block in blocks
    )
    title = without_controls(f"Share accepted by {reviewer}, block by block: {shares}")
    accepted, agent = [block.accepted for block in blocks], [block.p_yes for block in blocks]
    return Markup(charts.shares_over_time(accepted, agent, (ACCEPT, AGENT), title))
