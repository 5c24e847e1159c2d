"""The sections about the agents: their verdicts and the reliability of p(YES)."""

from collections.abc import Callable, Sequence

from agent.confidence.abstention import Abstention
from agent.confidence.judged import JudgedScores
from agent.confidence.reliability import Bin
from agent.rendering import charts
from agent.rendering.charts import CutLine
from agent.spectra.spectrum import FloatArray
from app.core.report import markup
from app.core.report.evidence import DELTA, PRECISION, RECALL, ReliabilityContent
from app.core.report.markup import (
    ACCEPT,
    AGENT,
    REJECT,
    SOFT,
    UNSURE,
    Cell,
    Markup,
    join,
    quoted,
    tag,
)
from app.core.statistics.number_format import percent, threshold
from app.core.statistics.summary import AgentFigures, Statistics

MOST_MODELS = 12
MOST_CURVES = 3
ABREAST = 4
HISTOGRAM_BINS = 20


def reliability_section(reliabilities: Sequence[ReliabilityContent]) -> Markup | None:
    if not reliabilities:
        return None
    wanted = (
        f"The thresholds aim at a precision of {percent(PRECISION)} of what would be accepted "
        f"and a recall of {percent(RECALL)} of what would not be set aside, each kept except with "
        f"a chance of {percent(DELTA / 2)}."
    )
    return markup.section(
        "Reliability of p(YES)",
        *(_reliability(each) for each in reliabilities[:MOST_CURVES]),
        markup.paragraph(wanted, class_="note"),
    )


def agents_section(found: Statistics) -> Markup | None:
    if not found.agents:
        return None
    note = (
        "Precision is the fraction of its YES that is real, recall the fraction of the real ones "
        "it found; real means accepted by people who judged blind. With 95 % intervals."
    )
    shown = found.agents[:MOST_MODELS]
    beside = [shown[at : at + ABREAST] for at in range(0, len(shown), ABREAST)]
    return markup.section(
        "The agents", *(_agents(each) for each in beside), markup.paragraph(note, class_="note")
    )


def _reliability(trust: ReliabilityContent) -> Markup:
    figures, own = trust.figures, trust.own
    left_out = [
        f"{number:,} {why}"
        for number, why in (
            (own.shown, "judged after an agent's result was shown"),
            (own.together, "judged only with others in one act"),
            (own.unsure, "without one clear verdict"),
            (own.without_p, "without p(YES)"),
        )
        if number
    ]
    note = (
        markup.paragraph(f"Left out: {'; '.join(left_out)}.", class_="note") if left_out else None
    )
    title = tag("h3", quoted(figures.model, 80), " ", _hash(figures.model_sha256))
    return join([title, _curve(trust), _cut(trust), note])


def _curve(trust: ReliabilityContent) -> Markup:
    figures = trust.figures
    found = figures.reliability
    state = markup.paragraph(figures.calibration_state)
    if found is None:
        return state
    drawn = markup.captioned(reliability_diagram(found.raw, found.calibrated))
    entries: list[tuple[str, Cell]] = [
        ("judged blind", f"{figures.judged:,}, {trust.own.judged.positives:,} of them ACCEPT"),
        ("mean error", _tenths(found.raw_error)),
        ("Brier score", f"{found.raw_brier:.3f}"),
    ]
    if found.calibrated_error is not None and found.calibrated_brier is not None:
        entries[1:3] = [
            ("mean error", _change(_tenths(found.raw_error), _tenths(found.calibrated_error))),
            ("Brier score", _change(f"{found.raw_brier:.3f}", f"{found.calibrated_brier:.3f}")),
        ]
    if found.roc_auc is not None and found.average_precision is not None:
        entries.append(("ROC AUC", f"{found.roc_auc:.3f}"))
        entries.append(("average precision", f"{found.average_precision:.3f}"))
    how = (
        "On the dashed line, seven in ten candidates with a p(YES) of 0.7 are real. Error bars are "
        "95 % intervals; the bars below count the candidates behind each point."
    )
    words = [state, markup.facts(entries), markup.paragraph(how, class_="note")]
    if found.note:
        words.append(markup.paragraph(f"No calibrated curve: {found.note}.", class_="note"))
    return tag("div", drawn, tag("div", *words), class_="beside")


def _cut(trust: ReliabilityContent) -> Markup:
    entries = [(ACCEPT, "judged real", ""), (REJECT, "judged not real", "")]
    if trust.own.unjudged.size:
        entries.append((UNSURE, "not judged", ""))
    drawn = cut_histogram(trust.own.judged, trust.own.unjudged, trust.plan.abstention)
    text = "Candidates by p(YES); heights grow as the square root of their number."
    sentences = (markup.paragraph(each) for each in trust.plan.words)
    return join([markup.captioned(drawn, text, markup.key(*entries)), *sentences])


def _agents(shown: Sequence[AgentFigures]) -> Markup:
    """A table with one column for each model."""
    head = ["", *(join([quoted(e.model, 60), " ", _hash(e.model_sha256)]) for e in shown)]
    rows: list[tuple[str, Callable[[AgentFigures], Cell]]] = [
        ("inspected", lambda e: f"{e.inspected:,}"),
        ("says YES", lambda e: markup.share_of(e.yes, e.inspected)),
        ("says NO", lambda e: markup.share_of(e.no, e.inspected)),
        ("no verdict", lambda e: markup.share_of(e.undecided, e.inspected)),
        ("ended in an error", lambda e: f"{e.failed:,}"),
        ("answer not well formed", lambda e: f"{e.ill_formed:,}"),
        ("judged blind by people", lambda e: f"{e.people.blind.n:,}"),
        ("precision", lambda e: markup.measured(e.people.blind_scores.precision)),
        ("recall", lambda e: markup.measured(e.people.blind_scores.recall)),
        ("F1", lambda e: markup.measured(e.people.blind_scores.f1)),
        ("kappa", lambda e: markup.measured(e.people.blind.kappa)),
    ]
    cells = ([name, *(tell(each) for each in shown)] for name, tell in rows)
    return markup.table("What each model did here", head, cells, class_="models")


def _tenths(share: float) -> str:
    return f"{100.0 * share:.1f} %"


def _change(before: str, after: str) -> str:
    return f"{before} → {after} calibrated"


def _hash(sha256: str) -> Markup | None:
    return tag("code", sha256[:12]) if sha256 else None


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
