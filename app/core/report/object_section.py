"""The sections about single objects: accepted ones and disagreements."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from agent.rendering.robust import limits
from agent.spectra.gaps import with_gaps
from agent.spectra.spectrum import BoolArray, FloatArray, Spectrum, Window
from app.core.report.evidence import Content, Difference, EvidenceCard, KeyLook
from app.core.report.markup import (
    AGENT,
    FAINT,
    RULE,
    SPECTRUM,
    Cell,
    Markup,
    join,
    named,
    paragraph,
    quoted,
    section,
    table,
    tag,
)
from app.core.session.own_fields import value_text
from app.core.session.records import Judgement
from app.core.session.velocity import velocity_english
from app.core.statistics.number_format import chance

LONGEST_WORDS = 360

WIDTH = 356.0
# Upper and lower edge of each panel, in pixels.
WHOLE = (6.0, 74.0)
LOOK = (98.0, 168.0)
POINTS = 440
FEWEST = 5
GAP = 20.0  # steps this many times the usual one are not crossed by the curve


def disagreement_section(content: Content) -> Markup | None:
    between, against = content.people_differ, content.agent_differs
    if not between and not against:
        return None
    open_ones = content.statistics.counts.disputed
    people = f"Between people: {content.disputes:,}, {open_ones:,} of them not settled"
    if len(between) < content.disputes:
        people += f"; {len(between):,} shown"
    agent = f"Between people and agent, most confident agent first: {len(against):,} shown"
    return section("Disagreements", _table(people, between), _table(agent, against))


def cards_section(content: Content) -> Markup | None:
    if not content.cards:
        return None
    accepted = content.statistics.counts.accepted
    shown = len(content.cards)
    text = f"All {accepted:,}"
    if shown != accepted:
        text = f"{shown:,} of {accepted:,}, most confident first"
    about = (
        f"{text}. Above, the whole spectrum; below, in violet, the window the agent's reasons "
        "rest on. Flux against observed wavelength in Å (vacuum)."
    )
    cards = tag("div", *(_card(each) for each in content.cards), class_="cards")
    return section("Accepted objects", paragraph(about, class_="note"), cards)


def _table(text: str, shown: Sequence[Difference]) -> Markup | None:
    if not shown:
        return None
    rows = [(_object(each), _opinions(each), _agent(each)) for each in shown]
    return table(text, ("Object", "People", "Agent"), rows, class_="objects")


def _object(each: Difference) -> Markup:
    snr = each.candidate.snr
    about = None if snr is None else tag("div", f"S/N {snr:.0f}", class_="soft")
    return join([named(each.candidate.object_id, is_simulated=each.is_simulated), about])


def _opinions(each: Difference) -> Markup:
    """The verdict of each person; an adjudicator's verdict is final."""
    dispute = each.dispute
    ends = dispute.final.reviewers if dispute.final.settled_by == "adjudicator" else ()
    given = (one for one in dispute.judgements if one.opinion.verdict is not None)
    return join([_opinion(one, is_final=one.reviewer in ends) for one in given])


def _opinion(judgement: Judgement, *, is_final: bool) -> Markup:
    opinion = judgement.opinion
    sure = None if opinion.confidence is None else f" ({opinion.confidence})"
    flags = f" [{', '.join(opinion.flags)}]" if opinion.flags else ""
    flags += f" {opinion.subclass}" if opinion.subclass else ""
    flags += "".join(f", {name} {value_text(value)}" for name, value in opinion.fields)
    flags += f", {velocity_english(opinion.velocity)}" if opinion.velocity is not None else ""
    words = f": {opinion.comment}" if opinion.comment else ""
    verdict = tag("span", str(opinion.verdict), class_=str(opinion.verdict))
    who = join([quoted(judgement.reviewer, 40), " ", verdict, sure])
    end = " (adjudicator: final)" if is_final else None
    return paragraph(who, end, quoted(flags + words, LONGEST_WORDS), class_="said")


def _agent(each: Difference) -> Markup:
    dispute = each.dispute
    p = "" if dispute.agent_p_yes is None else f", p(YES) {chance(dispute.agent_p_yes)}"
    if not dispute.agent_model:
        return join(["not asked"])
    verdict = dispute.agent_verdict or "no verdict"
    reasons = f": {each.reasons}" if each.reasons else ""
    return paragraph(tag("b", verdict), p, quoted(reasons, LONGEST_WORDS), class_="said")


def _card(card: EvidenceCard) -> Markup:
    title = tag("h3", named(card.candidate.object_id, is_simulated=card.is_simulated))
    if card.spectrum is not None:
        shown = thumbnail(card.spectrum, card.look)
    else:
        why = quoted(card.fault, 300)
        shown = paragraph("The spectrum could not be read: ", why, class_="missing")
    confidence, p_yes = card.final.opinion.confidence, card.candidate.agent_p_yes
    text = [
        None if confidence is None else f"confidence {confidence}",
        None if p_yes is None else f"p(YES) {chance(p_yes)}",
        None if card.candidate.snr is None else f"S/N {card.candidate.snr:.0f}",
    ]
    parts = [quoted(", ".join(card.final.reviewers), 60)]
    parts += [tag("span", each, class_="nowrap") for each in text if each is not None]
    line: list[Cell] = [join(parts, " · ")]
    if card.look is not None:
        low, high = card.look.range
        where = join([quoted(card.look.label, 50), f": {low:.0f} to {high:.0f} Å"])
        line += [tag("br"), tag("span", where, class_="look")]
    return tag("div", title, paragraph(*line), shown, class_="card")


def thumbnail(spectrum: Spectrum, look: KeyLook | None) -> Markup:
    """Flux against observed wavelength; each point averages good pixels."""
    whole = _panel(spectrum, spectrum.range, WHOLE, None if look is None else look.range)
    low, high = spectrum.range
    title = (
        f"Spectrum of {spectrum.object_id[:80] or 'the object'}, {low:.0f} to {high:.0f} angstrom"
    )
    if look is None or not _can_be_shown(spectrum, look.range):
        return _figure(title, WIDTH, WHOLE[1] + 16.0, *whole)
    title += f"; below, {look.label or 'the look'} at {look.range[0]:.0f} to {look.range[1]:.0f}"
    return _figure(
        title, WIDTH, LOOK[1] + 16.0, *whole, *_panel(spectrum, look.range, LOOK, None, AGENT)
    )


def _can_be_shown(spectrum: Spectrum, window: Window) -> bool:
    low, high = window
    inside = (spectrum.wavelength >= low) & (spectrum.wavelength <= high)
    return int(np.sum(inside & spectrum.good)) >= FEWEST


def _panel(
    spectrum: Spectrum,
    window: Window,
    rows: tuple[float, float],
    marked: Window | None,
    frame: str = RULE,
) -> list[Markup]:
    inside = (spectrum.wavelength >= window[0]) & (spectrum.wavelength <= window[1])
    wavelength, flux = in_bins(
        spectrum.wavelength[inside], spectrum.flux[inside], spectrum.good[inside], POINTS
    )
    top, floor = rows

    def x(value: float) -> float:
        return float(np.interp(value, window, (1.0, WIDTH - 1.0)))

    drawn = [_box(1, top, WIDTH - 2, floor - top, "#ffffff", stroke=frame)]
    if marked is not None:
        left, right = x(marked[0]), x(marked[1])
        drawn.append(_box(left, top, max(right - left, 2.0), floor - top, AGENT, opacity=0.14))
    for at in ticks(*window):
        drawn.append(_rule(x(at), floor, x(at), floor + 3, RULE))
        anchor = "start" if x(at) < 18.0 else "end" if x(at) > WIDTH - 18.0 else "middle"
        drawn.append(_text(f"{at:.0f}", x(at), floor + 13, text_anchor=anchor))
    known = flux[np.isfinite(flux)]
    if known.size < FEWEST:
        return [*drawn, _text("no good pixels", 10, 0.5 * (top + floor), class_="soft")]
    wavelength, flux = with_gaps(wavelength, GAP, flux)
    columns = np.interp(wavelength, window, (1.0, WIDTH - 1.0))
    return [*drawn, *_line(columns, flux, known, top, floor)]


def _line(
    columns: FloatArray, flux: FloatArray, known: FloatArray, top: float, floor: float
) -> list[Markup]:
    low, high = limits(known)
    level = max(abs(low), abs(high))
    room = max(0.06 * (high - low), 1e-6 * level) or 1.0  # the last digits are no structure
    low, high = low - room, high + room
    # Fluxes beyond the limits are drawn at the edge; NaN stays NaN and breaks the curve.
    rows = np.interp(flux, (low, high), (floor - 1.0, top + 1.0))
    at_zero = float(np.interp(0.0, (low, high), (floor - 1.0, top + 1.0)))
    zero = [_rule(1, at_zero, WIDTH - 1, at_zero, FAINT)] if low < 0.0 < high else []
    return [*zero, curve(columns, rows, SPECTRUM)]


# SVG elements of the small spectra.
def _figure(title: str, width: float, height: float, *content: Markup) -> Markup:
    return tag(
        "svg",
        tag("title", title),
        *content,
        role="img",
        aria_label=title,
        viewBox=f"0 0 {width:g} {height:g}",
        width=width,
        height=height,
    )


def _text(text: str, x: float, y: float, **more: str) -> Markup:
    return tag("text", text, x=x, y=y, **more)


def _rule(x1: float, y1: float, x2: float, y2: float, stroke: str) -> Markup:
    return tag("line", x1=x1, y1=y1, x2=x2, y2=y2, stroke=stroke)


def _box(x: float, y: float, width: float, height: float, fill: str, **more: str | float) -> Markup:
    return tag("rect", x=x, y=y, width=max(width, 0.0), height=max(height, 0.0), fill=fill, **more)


def curve(x: FloatArray, y: FloatArray, stroke: str) -> Markup:
    """A line through points in pixels, interrupted at NaN."""
    known = np.isfinite(x) & np.isfinite(y)
    parts, pen = [], "M"
    for at, is_known in enumerate(known.tolist()):
        if not is_known:
            pen = "M"
            continue
        column, row = (f"{value:.1f}".removesuffix(".0") for value in (x[at], y[at]))
        parts.append(f"{pen}{column} {row}")
        pen = "L"
    style: dict[str, str | float]
    style = {"fill": "none", "stroke": stroke, "stroke_width": 1.0, "stroke_linejoin": "round"}
    return tag("path", d="".join(parts), **style)


def ticks(low: float, high: float) -> list[float]:
    """About four round numbers within the limits."""
    span = high - low
    if not span > 0.0 or not np.isfinite(span):
        return []
    raw = span / 4
    power = 10.0 ** np.floor(np.log10(raw))
    step = power * next(each for each in (1.0, 2.0, 2.5, 5.0, 10.0) if each * power >= raw)
    first, last = int(np.ceil(low / step)), int(np.floor(high / step))
    return [float(number * step) for number in range(first, last + 1)]


def in_bins(
    x: FloatArray, y: FloatArray, kept: BoolArray, count: int
) -> tuple[FloatArray, FloatArray]:
    """Average the kept points in `count` equal intervals of x; NaN where an interval has none.

    No more than `count` points are returned unchanged.
    """
    if x.size <= count:
        return x, np.where(kept, y, np.nan)
    edges = np.linspace(x[0], x[-1], count + 1)
    bins = np.clip(np.searchsorted(edges, x, side="right") - 1, 0, count - 1)
    n = np.bincount(bins[kept], minlength=count)
    total = np.bincount(bins[kept], weights=y[kept], minlength=count)
    with np.errstate(invalid="ignore"):
        mean = total / n
    return np.array([0.5 * (a + b) for a, b in pairwise(edges.tolist())]), mean
