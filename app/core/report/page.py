"""The whole page: header, conclusions, sections and footer."""

from collections.abc import Iterator
from pathlib import Path

from agent.atomic_file import write_file
from app.core.errors import counted_text, disk_errors
from app.core.report import agent_section, object_section, people_section
from app.core.report.evidence import Content, Read, gather_content
from app.core.report.markup import (
    ACCEPT,
    AGENT,
    FAINT,
    INK,
    REJECT,
    RULE,
    SOFT,
    UNSURE,
    Cell,
    Markup,
    facts,
    join,
    page,
    paragraph,
    quoted,
    simulated_badge,
    tag,
)
from app.core.session.session import Session
from app.core.statistics.number_format import share_text, with_interval

STYLE = f"""
@page {{ size: A4; margin: 14mm 15mm 16mm; }}
* {{ box-sizing: border-box; }}
html {{ -webkit-text-size-adjust: 100%; print-color-adjust: exact;
  -webkit-print-color-adjust: exact; }}
body {{ margin: 0 auto; padding: 36px 20px 48px; max-width: 780px; background: #ffffff;
  color: {INK}; font: 15px/1.5 "Inter", "Segoe UI", "Helvetica Neue", "Noto Sans",
  "Noto Sans CJK SC", "PingFang SC", "Microsoft YaHei", "DejaVu Sans", Arial, sans-serif;
  font-variant-numeric: tabular-nums; overflow-wrap: break-word; }}
p {{ margin: 0 0 10px; max-width: 68ch; }}
h1 {{ font-size: 30px; line-height: 1.2; font-weight: 650; margin: 2px 0 6px;
  letter-spacing: -0.01em; }}
h2 {{ font-size: 18px; line-height: 1.3; font-weight: 650; margin: 40px 0 12px;
  padding-top: 12px; border-top: 1px solid {RULE}; break-after: avoid; }}
h3 {{ font-size: 15px; font-weight: 650; margin: 22px 0 8px; break-after: avoid; }}
.kicker {{ color: {SOFT}; font-size: 13px; margin: 0; }}
.about {{ color: {SOFT}; margin-bottom: 18px; }}
.lead {{ font-size: 16.5px; line-height: 1.5; }}
.soft, .note, figcaption {{ color: {SOFT}; }}
.note, figcaption {{ font-size: 13px; line-height: 1.45; }}
.warn {{ border-left: 3px solid {REJECT}; padding-left: 12px; }}
.simulated {{ display: inline-block; font-size: 10.5px; font-weight: 700; letter-spacing: 0.06em;
  line-height: 1; padding: 3px 5px; border: 1px solid {REJECT}; border-radius: 3px;
  color: {REJECT}; white-space: nowrap; }}
.key {{ display: flex; flex-wrap: wrap; gap: 4px 20px; list-style: none; margin: 10px 0 0;
  padding: 0; font-size: 13.5px; color: {SOFT}; }}
.key i {{ display: inline-block; width: 11px; height: 11px; margin-right: 7px;
  border-radius: 2px; }}
.key b {{ font-weight: 650; }}
table {{ border-collapse: collapse; width: 100%; font-size: 13.5px; line-height: 1.4;
  margin: 0 0 14px; }}
caption {{ break-after: avoid; text-align: left; color: {SOFT}; font-size: 13px;
  padding: 0 0 6px; }}
th, td {{ text-align: left; vertical-align: top; padding: 5px 12px 5px 0;
  border-bottom: 1px solid {FAINT}; font-weight: 400; }}
thead th {{ color: {SOFT}; font-size: 12.5px; vertical-align: bottom;
  border-bottom: 1px solid {RULE}; }}
tbody th {{ font-weight: 600; }}
tbody th .soft {{ font-weight: 400; }}
th:last-child, td:last-child {{ padding-right: 0; }}
tr {{ break-inside: avoid; }}
thead {{ display: table-header-group; break-after: avoid; }}
tbody tr:first-child {{ break-after: avoid; }}
.models, .whole, footer {{ break-inside: avoid; }}
.n {{ text-align: right; white-space: nowrap; }}
.tight {{ width: auto; }}
.matrix td {{ text-align: right; min-width: 62px; padding: 5px 9px; border: 1px solid #ffffff; }}
.matrix thead td {{ border: 0; }}
.matrix thead th {{ text-align: right; padding: 4px 9px; border: 0; }}
.matrix tbody th {{ border: 0; padding-right: 10px; }}
.nowrap {{ white-space: nowrap; }}
.objects th:nth-child(1) {{ width: 29%; }}
.objects th:nth-child(2) {{ width: 31%; }}
.objects td, .objects th {{ overflow-wrap: anywhere; }}
.matrices {{ display: flex; flex-wrap: wrap; gap: 6px 36px; align-items: flex-start; }}
.agreement td:nth-child(4) {{ white-space: nowrap; }}
.models tbody th {{ font-weight: 400; color: {SOFT}; }}
.models thead th {{ color: {INK}; font-weight: 600; font-size: 13.5px; }}
.models th:first-child {{ width: 26%; }}
.agreement svg {{ max-width: none; }}
.matrices table {{ width: auto; break-inside: avoid; }}
figure {{ margin: 0 0 16px; break-inside: avoid; }}
figcaption {{ margin-top: 6px; max-width: 68ch; }}
svg {{ display: block; max-width: 100%; height: auto; overflow: visible; }}
svg.wide {{ width: 100%; }}
svg text {{ font-size: 11.5px; fill: {SOFT}; }}
svg text.number {{ font-size: 12.5px; font-weight: 600; fill: inherit; }}
svg text[fill="{AGENT}"] {{ fill: {AGENT}; }}
svg text[fill="#ffffff"] {{ fill: #ffffff; }}
.beside {{ display: grid; grid-template-columns: minmax(0, 340px) minmax(0, 1fr); gap: 8px 28px;
  align-items: start; }}
.pair {{ display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 8px 28px; }}
dl {{ margin: 0 0 12px; display: grid; grid-template-columns: max-content minmax(0, 1fr);
  gap: 4px 16px;  font-size: 13.5px; line-height: 1.45; }}
dt {{ color: {SOFT}; }}
dd {{ margin: 0; }}
.cards {{ display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 18px 28px; }}
.card {{ break-inside: avoid; }}
.card h3 {{ margin: 0 0 2px; font-size: 14px; }}
.card p {{ font-size: 12.5px; line-height: 1.4; margin: 0 0 6px; color: {SOFT}; }}
.card .missing {{ border: 1px dashed {RULE}; padding: 14px; }}
.look {{ color: {AGENT}; }}
.ACCEPT {{ color: {ACCEPT}; font-weight: 650; }}
.REJECT {{ color: {REJECT}; font-weight: 650; }}
.UNSURE {{ color: {UNSURE}; font-weight: 650; }}
.said {{ margin: 0 0 4px; max-width: none; }}
code {{ font: 12px/1.4 ui-monospace, "SF Mono", Consolas, "DejaVu Sans Mono", monospace; }}
footer {{ margin-top: 40px; }}
@media (max-width: 620px) {{ .beside, .pair, .cards {{ grid-template-columns: 1fr; }} }}
@media screen and (prefers-color-scheme: dark) {{ html {{ background: #ffffff;
  filter: invert(0.92) hue-rotate(180deg); }} }}
@media print {{ body {{ padding: 0; max-width: none; font-size: 10.5pt; }}
  h2 {{ margin-top: 26px; }} .cards {{ gap: 14px 24px; }} }}
"""


def report_page(content: Content) -> Markup:
    found = content.statistics
    sections = (
        people_section.counts_section(found),
        people_section.subclass_section(found),
        people_section.pace_section(found),
        people_section.agreement_section(found),
        agent_section.reliability_section(content.reliabilities),
        agent_section.agents_section(found),
        object_section.cards_section(content),
        object_section.disagreement_section(content),
    )
    body = _header(content), tag("main", *sections), _footer(content)
    return page("en", f"{found.session}: {found.task}", STYLE, *body)


def _header(content: Content) -> Markup:
    source = content.provenance
    found = content.statistics
    people = quoted(", ".join(each.name for each in found.reviewers), 200)
    about = [
        found.task[:1].upper() + found.task[1:],
        counted_text(found.counts.candidates, "candidate"),
        _period(source.first_verdict_at, source.last_verdict_at),
        people if found.reviewers else None,
    ]
    simulated = None
    if content.simulated.simulated:
        text = f" Simulated spectra in this session: {content.simulated.words}."
        simulated = paragraph(simulated_badge(), text, class_="warn")
    return tag(
        "header",
        paragraph(f"{source.program} · report of a session", class_="kicker"),
        tag("h1", quoted(found.session, 120)),
        paragraph(join(about, " · "), class_="about"),
        simulated,
        paragraph(join(_conclusions(content), " "), class_="lead"),
    )


def _conclusions(content: Content) -> Iterator[str]:
    counts = content.statistics.counts
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
    several = content.statistics.people.several
    if several.n and several.kappa.value is not None:
        yield (
            f"People agree beyond chance with kappa {with_interval(several.kappa)} on the "
            f"{several.n:,} judged by more than one person."
        )
    for trust in content.reliabilities[:1]:
        scores = trust.figures.people.blind_scores
        if scores.precision.value is not None and scores.recall.value is not None:
            yield (
                f"Of what the agent {trust.figures.model[:60]} calls YES, "
                f"{share_text(scores.precision)} is real, and it finds {share_text(scores.recall)} "
                "of the real ones."
            )
        if trust.figures.calibration is None:
            yield "Its p(YES) is not calibrated."


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


def write_report(session: Session, out: Path, read: Read) -> Path:
    """Write one self-contained HTML file without scripts; `read` loads a candidate's spectrum.

    An existing file is replaced only when the new one is complete.
    """
    written = report_page(gather_content(session, read)).encode("utf-8", "replace")
    with disk_errors(out):
        write_file(out, written)
    return out
