"""The whole page: header, conclusions, sections and footer."""

from __future__ import annotations

from collections.abc import Iterator

from agent.confidence.scores import Estimate
from app.core.report.agent_section import agents_section, reliability_section
from app.core.report.content import Content
from app.core.report.markup import Cell, Markup, join, page, quoted, style, tag
from app.core.report.object_section import cards_section, disagreement_section
from app.core.report.page_style import STYLE
from app.core.report.parts import facts, paragraph, simulated_badge
from app.core.report.people_section import (
    agreement_section,
    counts_section,
    pace_section,
    subclass_section,
)
from app.core.session.counted_text import counted_text
from app.core.statistics.number_format import rough_percent, with_interval

# Should text of a session ever get through as markup, a browser would neither run nor fetch it.
NO_SCRIPTS = "default-src 'none'; style-src 'unsafe-inline'"


def report_page(content: Content) -> Markup:
    found = content.statistics
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=NO_SCRIPTS),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("title", f"{found.session}: {found.task}"),
        style(STYLE),
    )
    sections = (
        counts_section(found),
        subclass_section(found),
        pace_section(found),
        agreement_section(found),
        reliability_section(content.reliabilities),
        agents_section(found),
        cards_section(content),
        disagreement_section(content),
    )
    body = tag("body", _header(content), tag("main", *sections), _footer(content))
    return page("en", head, body)


def _header(content: Content) -> Markup:
    source = content.provenance
    found = content.statistics
    about = join(
        [
            found.task[:1].upper() + found.task[1:],
            counted_text(found.counts.candidates, "candidate"),
            _period(source.first_verdict_at, source.last_verdict_at),
            quoted(", ".join(each.name for each in found.reviewers), 200)
            if found.reviewers
            else None,
        ],
        " · ",
    )
    simulated = None
    if content.simulated.simulated:
        text = f" Simulated spectra in this session: {content.simulated.words}."
        simulated = paragraph(simulated_badge(), text, class_="warn")
    return tag(
        "header",
        paragraph(f"{source.program} · report of a session", class_="kicker"),
        tag("h1", quoted(found.session, 120)),
        paragraph(about, class_="about"),
        simulated,
        paragraph(join(_conclusions(content), " "), class_="lead"),
    )


def _conclusions(content: Content) -> Iterator[str]:
    found = content.statistics
    counts = found.counts
    if not counts.candidates:
        yield "The session holds no candidates."
        return
    if not counts.judged:
        if counts.candidates == 1:
            yield "The only candidate has not been judged yet."
        else:
            yield f"None of the {counts.candidates:,} candidates has been judged yet."
        return
    yield (
        f"{counts.judged:,} of {counted_text(counts.candidates, 'candidate')} "
        f"{'is' if counts.judged == 1 else 'are'} judged: {counts.accepted:,} "
        f"accepted, {counts.rejected:,} rejected, {counts.unsure:,} unsure."
    )
    if counts.disputed:
        be = "is" if counts.disputed == 1 else "are"
        yield f"People disagree on {counts.disputed:,}, which {be} not settled."
    yield from _agreement_in_short(content)
    for trust in content.reliabilities[:1]:
        scores = trust.figures.people.blind_scores
        if scores.precision.value is not None and scores.recall.value is not None:
            yield (
                f"Of what the agent {trust.figures.model[:60]} calls YES, "
                f"{_share(scores.precision)} is real, and it finds {_share(scores.recall)} of the "
                "real ones."
            )
        if trust.figures.calibration is None:
            yield "Its p(YES) is not calibrated."


def _agreement_in_short(content: Content) -> Iterator[str]:
    people = content.statistics.people
    kappa = people.several.kappa
    if people.several.n and kappa.value is not None:
        yield (
            f"People agree beyond chance with kappa {with_interval(kappa)} on the "
            f"{people.several.n:,} judged by more than one person."
        )


def _share(found: Estimate) -> str:
    value = 0.0 if found.value is None else found.value
    return f"{rough_percent(value)} ({rough_percent(found.low)} to {rough_percent(found.high)})"


def _footer(content: Content) -> Markup:
    source = content.provenance
    entries: list[tuple[str, Cell]] = [
        ("written", f"{_moment(source.written_at)} by {source.program} {source.program_version}"),
        ("session", join([quoted(source.session_name), ", ", tag("code", source.session_id)])),
        ("created", _moment(source.made_at)),
        ("task", join([f"{source.task_id}, {source.task_name}, ", _hash(source.task_sha256)])),
    ]
    for each in source.lists:
        used = f", {each.rows_used:,} of {counted_text(each.rows_read, 'row')}, "
        entries.append(("list", join([quoted(each.file), used, _hash(each.sha256)])))
    for model in source.models:
        number = f", {counted_text(model.inspections, 'inspection')}, "
        words = [", wording ", tag("code", model.wording)] if model.wording else []
        entries.append(("agent", join([quoted(model.name), number, _hash(model.sha256), *words])))
    for person in source.reviewers:
        counts = ", ".join(f"{number:,} {verdict}" for verdict, number in person.verdicts.items())
        entries.append(("person", join([quoted(person.name), f": {counts}"])))
    return tag("footer", tag("h2", "Provenance"), facts(entries))


def _period(first: str, last: str) -> str | None:
    if not first:
        return None
    return first[:10] if first[:10] == last[:10] else f"{first[:10]} to {last[:10]}"


def _moment(at: str) -> str:
    return f"{at[:10]} {at[11:16]} UTC" if len(at) >= 16 else at


def _hash(sha256: str) -> Cell:
    return tag("code", sha256) if sha256 else "no hash"
