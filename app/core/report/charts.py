"""The charts about a whole session, drawn by `agent.rendering.charts`."""

from collections.abc import Sequence

from agent.confidence.abstention import Abstention
from agent.confidence.judged import JudgedScores
from agent.confidence.reliability import Bin
from agent.confidence.scores import Estimate
from agent.rendering import charts
from agent.rendering.charts import BarPart, CutLine
from agent.spectra.spectrum import FloatArray
from app.core.errors import counted_text
from app.core.report.markup import Markup, without_controls
from app.core.report.svg import ACCEPT, AGENT, INK, OPEN, REJECT, SOFT, UNSURE
from app.core.statistics.drift import VerdictBlock
from app.core.statistics.number_format import rough_percent, threshold, with_interval
from app.core.statistics.summary import Counts

DISPUTED = INK
KAPPA_SPAN = (-0.2, 1.0)
HISTOGRAM_BINS = 20


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


def interval_bar(found: Estimate, colour: str = INK) -> Markup | None:
    """A kappa and its interval, for a row of a table."""
    drawn = charts.interval_bar(found, KAPPA_SPAN, colour, f"kappa {with_interval(found)}")
    return None if drawn is None else Markup(drawn)


def kappa_axis() -> Markup:
    return Markup(charts.interval_axis(KAPPA_SPAN, "kappa from -0.2 to 1"))


def reliability_diagram(raw: Sequence[Bin], calibrated: Sequence[Bin] | None) -> Markup:
    """p(YES) against the fraction found to be real, and how many candidates each point rests on."""
    points = "; ".join(
        f"p(YES) about {one.mean_p:.2f}: {one.positives} of {one.n} real" for one in raw
    )
    curves = {"as predicted": raw}
    if calibrated:
        curves["calibrated (cross-validated)"] = calibrated
    title = f"Reliability of p(YES), as predicted: {points}"
    return Markup(charts.reliability(curves, colours=(SOFT, AGENT), counts=raw, title=title))


def cut_histogram(judged: JudgedScores, unjudged: FloatArray, found: Abstention) -> Markup:
    """Judged candidates upwards by verdict, the others downwards, and the thresholds."""
    title = (
        f"p(YES) of {len(judged):,} judged candidates, {judged.positives:,} of them real, and of "
        f"{unjudged.size:,} not judged"
    )
    cuts = []
    if (at := found.accept_from) is not None:
        cuts.append(CutLine(at, f"accept from {threshold(at)}", True))
    if (at := found.reject_below) is not None:
        cuts.append(CutLine(at, f"set aside below {threshold(at)}", False))
    return Markup(
        charts.histogram_with_cuts(
            {"real": judged.p[judged.label].tolist(), "other": judged.p[~judged.label].tolist()},
            unjudged.tolist(),
            {"real": ACCEPT, "other": REJECT, "below": UNSURE, "cuts": AGENT},
            cuts,
            bins=HISTOGRAM_BINS,
            title=title,
        )
    )


def drift_curve(blocks: Sequence[VerdictBlock], reviewer: str) -> Markup:
    """The fraction accepted block by block, and the agent's mean p(YES) beside it."""
    shares = ", ".join(
        "-" if block.accepted.value is None else rough_percent(block.accepted.value)
        for block in blocks
    )
    title = without_controls(f"Share accepted by {reviewer}, block by block: {shares}")
    accepted, agent = [block.accepted for block in blocks], [block.p_yes for block in blocks]
    return Markup(charts.shares_over_time(accepted, agent, (ACCEPT, AGENT), title))
