"""The sections about single objects: accepted ones and disagreements."""

from collections.abc import Sequence

import numpy as np

from agent.rendering.robust import limits
from agent.spectra.gaps import with_gaps
from agent.spectra.spectrum import FloatArray, Spectrum, Window
from app.core.report import svg
from app.core.report.evidence import Content, Difference, EvidenceCard, KeyLook
from app.core.report.markup import Cell, Markup, join, quoted, tag
from app.core.report.parts import named, paragraph, section, table
from app.core.report.svg import AGENT, FAINT, RULE, SPECTRUM
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
    return tag("div", title, paragraph(*_about(card)), shown, class_="card")


def _about(card: EvidenceCard) -> Sequence[Cell]:
    """Reviewer, confidence, p(YES), S/N, and the window the agent's reasons rest on."""
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
    return line


def thumbnail(spectrum: Spectrum, look: KeyLook | None) -> Markup:
    """Flux against observed wavelength; each point averages good pixels."""
    whole = _panel(spectrum, spectrum.range, WHOLE, None if look is None else look.range)
    low, high = spectrum.range
    title = (
        f"Spectrum of {spectrum.object_id[:80] or 'the object'}, {low:.0f} to {high:.0f} angstrom"
    )
    if look is None or not _can_be_shown(spectrum, look.range):
        return svg.figure(title, WIDTH, WHOLE[1] + 16.0, *whole)
    title += f"; below, {look.label or 'the look'} at {look.range[0]:.0f} to {look.range[1]:.0f}"
    return svg.figure(
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
    wavelength, flux = svg.in_bins(
        spectrum.wavelength[inside], spectrum.flux[inside], spectrum.good[inside], POINTS
    )
    top, floor = rows

    def x(value: float) -> float:
        return float(np.interp(value, window, (1.0, WIDTH - 1.0)))

    drawn = [svg.box(1, top, WIDTH - 2, floor - top, "#ffffff", stroke=frame)]
    if marked is not None:
        left, right = x(marked[0]), x(marked[1])
        drawn.append(svg.box(left, top, max(right - left, 2.0), floor - top, AGENT, opacity=0.14))
    for at in svg.ticks(*window):
        drawn.append(svg.line(x(at), floor, x(at), floor + 3, RULE))
        anchor = "start" if x(at) < 18.0 else "end" if x(at) > WIDTH - 18.0 else "middle"
        drawn.append(svg.svg_text(f"{at:.0f}", x(at), floor + 13, text_anchor=anchor))
    known = flux[np.isfinite(flux)]
    if known.size < FEWEST:
        return [*drawn, svg.svg_text("no good pixels", 10, 0.5 * (top + floor), class_="soft")]
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
    zero = [svg.line(1, at_zero, WIDTH - 1, at_zero, FAINT)] if low < 0.0 < high else []
    return [*zero, svg.curve(columns, rows, SPECTRUM)]
