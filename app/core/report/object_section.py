"""The sections about single objects: accepted ones and disagreements."""

from __future__ import annotations

from collections.abc import Sequence

from app.core.report.content import Content
from app.core.report.evidence import Difference, EvidenceCard
from app.core.report.markup import Cell, Markup, join, quoted, tag
from app.core.report.parts import named, paragraph, section, table
from app.core.report.thumbnails import thumbnail
from app.core.session.own_fields import value_text
from app.core.session.records import Judgement
from app.core.statistics.number_format import chance

LONGEST_WORDS = 360


def disagreement_section(content: Content) -> Markup | None:
    if not content.people_differ and not content.agent_differs:
        return None
    return section("Disagreements", _between_people(content), _with_agent(content))


def cards_section(content: Content) -> Markup | None:
    if not content.cards:
        return None
    accepted = content.statistics.counts.accepted
    shown = len(content.cards)
    text = (
        f"All {accepted:,}"
        if shown == accepted
        else f"{shown:,} of {accepted:,}, most confident first"
    )
    about = (
        f"{text}. Above, the whole spectrum; below, in violet, the window the agent's reasons "
        "rest on. Flux against observed wavelength in Å (vacuum)."
    )
    cards = tag("div", *(_card(each) for each in content.cards), class_="cards")
    return section("Accepted objects", paragraph(about, class_="note"), cards)


def _between_people(content: Content) -> Markup | None:
    shown = content.people_differ
    if not shown:
        return None
    open_ones = content.statistics.counts.disputed
    text = f"Between people: {content.disputes:,}, {open_ones:,} of them not settled"
    if len(shown) < content.disputes:
        text += f"; {len(shown):,} shown"
    return _table(text, shown)


def _with_agent(content: Content) -> Markup | None:
    shown = content.agent_differs
    if not shown:
        return None
    text = f"Between people and agent, most confident agent first: {len(shown):,} shown"
    return _table(text, shown)


def _table(text: str, shown: Sequence[Difference]) -> Markup:
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
    words = f": {opinion.comment}" if opinion.comment else ""
    who = join([quoted(judgement.reviewer, 40), " ", _verdict(opinion.verdict), sure])
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
    if card.spectrum is None:
        shown = paragraph(
            "The spectrum could not be read: ", quoted(card.fault, 300), class_="missing"
        )
    else:
        shown = thumbnail(card.spectrum, card.look)
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


def _verdict(verdict: str | None) -> Markup:
    return tag("span", str(verdict), class_=str(verdict))
