"""The report of a study: sections of text and tables, printed, as an HTML page or as CSV."""

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from io import StringIO
from pathlib import Path

import numpy as np

from agent.atomic_file import write_file
from agent.confidence.scores import Estimate
from agent.program_version import program_version
from agent.rendering import charts
from app.core.errors import SessionError, disk_errors
from app.core.exporting.escapes import escape_formula
from app.core.report.markup import (
    AGENT,
    Cell,
    Markup,
    join,
    page,
    paragraph,
    quoted,
    section,
    table,
    tag,
)
from app.core.report.page import STYLE
from app.core.session.provenance import PROGRAM
from app.core.session.session import Session
from app.core.sharing.study_plan import StudyPlan, study_of
from app.core.statistics.number_format import (
    chance,
    rough_percent,
    rounded,
    share_text,
    with_interval,
)
from app.core.study.figures import (
    CUTS,
    ArmFigures,
    Effect,
    StudyFigures,
    least_wrong,
    study_figures,
)
from app.core.study.readings import Readings, readings_of

SPAN = (0.0, 1.0)
STUDY_STYLE = """
.study table { font-size: 12.5px; }
.study td { padding-right: 8px; }
.study td:nth-child(-n+4) { white-space: nowrap; }
.study td svg { max-width: 104px; margin-top: 2px; }
@media screen and (max-width: 820px) { .study table { display: block; overflow-x: auto; } }
"""


@dataclass(frozen=True)
class Percent:
    """A share, which is read in percent."""

    found: Estimate


Value = str | int | float | Percent | Estimate | None


@dataclass(frozen=True, kw_only=True)
class Chapter:
    """One section of the report."""

    title: str
    sentences: tuple[str, ...] = ()
    head: tuple[str, ...] = ()
    rows: tuple[tuple[Value, ...], ...] = ()


@cache
def _words(language: str) -> Mapping[str, str]:
    """Our sentences in another language, by the English ones."""
    if language == "en":
        return {}
    path = Path(str(resources.files("resources"))) / "translations" / f"study_{language}.txt"
    blocks = path.read_text(encoding="utf-8").split("\n\n")
    pairs = (block.strip().split("\n") for block in blocks if not block.startswith("#"))
    return {pair[0]: pair[1] for pair in pairs}


class Translator:
    """Says our sentences in a language, with values put in at {name}."""

    def __init__(self, language: str) -> None:
        self.language = language

    def __call__(self, text: str, **values: object) -> str:
        said = text if self.language == "en" else _words(self.language)[text]
        for name, value in values.items():
            said = said.replace(f"{{{name}}}", str(value))
        return said

    def known(self, text: str) -> str:
        """A text that may be ours, such as the name of a bin, or a person's."""
        return _words(self.language).get(text, text)


def report_parts(session: Session, language: str = "en") -> tuple[StudyPlan, tuple[Chapter, ...]]:
    """What the report says of the session's study. Raises SessionError if it has none."""
    plan = study_of(session)
    if plan is None:
        raise SessionError("this session has no study: make one with `spec-o3 study new`")
    readings = readings_of(session, plan)
    say = Translator(language)
    return plan, tuple(_parts(session, plan, readings, study_figures(readings), say))


def _parts(
    session: Session, plan: StudyPlan, readings: Readings, figures: StudyFigures, say: Translator
) -> Iterator[Chapter]:
    yield _about(session, plan, readings, say)
    yield _effects(figures, int(np.nansum(readings.agent_wrong)), say)
    if figures.overturned:
        yield _overturned(figures, say)
    yield _arms(figures, say)
    if figures.agreement:
        yield _agreement(figures, say)
    if figures.together:
        yield _together(figures, say)
    yield _fatigue(figures, say)
    if figures.cuts:
        yield _worth(figures, say)
    yield _methods(plan, say)


def _about(session: Session, plan: StudyPlan, readings: Readings, say: Translator) -> Chapter:
    planned = sum(map(len, plan.turns.values()))
    known = int(np.sum(np.isfinite(readings.is_member)))
    sentences = [
        say(
            "{people} people judge {count} candidates for {task}; of {known} the answer is known.",
            people=len(plan.people), count=f"{len(plan.answers):,}", task=session.task.name,
            known=f"{known:,}",
        ),
        say(_DESIGNS[plan.design]),
        say(_SHOWN[plan.aided]),
        say(
            "{done} of {planned} readings are given.",
            done=f"{readings.person.size + sum(readings.deviating.values()):,}",
            planned=f"{planned:,}",
        ),
    ]  # fmt: skip
    for reason, count in sorted(readings.deviating.items()):
        sentences.append(
            say("{n} readings are left out, as they deviate from the plan:", n=f"{count:,}")
            + " " + say(reason) + "."
        )  # fmt: skip
    if plan.retire_after:
        sentences.append(
            say("A candidate is asked of nobody else once {n} people agree.", n=plan.retire_after)
        )
    return Chapter(title=say("The study"), sentences=tuple(sentences))


_DESIGNS = {
    "split": "Each person judges each candidate once, with the agent or without, by lot.",
    "crossover": "Each person judges each candidate twice, with the agent and without, by lot "
    "which comes first, with all others in between.",
    "unaided-first": "Each person judges each candidate without the agent and at once again with "
    "it.",
}
_SHOWN = {
    "advice": "With the agent means with all that it says.",
    "verdict": "With the agent means with its verdict alone.",
}
_ARMS = {"unaided": "without", "verdict": "its verdict", "advice": "with it"}
_OUTCOMES = ("right", "wrong", "unsure")


def _effects(figures: StudyFigures, agent_wrong: int, say: Translator) -> Chapter:
    def row(name: str, found: Effect) -> tuple[Value, ...]:
        return say(name), Percent(found.estimate), chance(found.p)

    ratio = say("seconds with the agent, as a share of those without it")
    return Chapter(
        title=say("What the agent does to people"),
        sentences=(
            say(
                "Bias: the share of what is not judged wrong without the agent that its wrong "
                "answer makes wrong. Gain: the share of what is not judged right without it that "
                "its right answer makes right. By chance: how often so large an effect comes about "
                "where the agent changes nothing."
            ),
            say("The agent is wrong about {n} of the known answers.", n=f"{agent_wrong:,}"),
        ),
        head=(say("Effect"), say("Share"), say("By chance")),
        rows=(
            row("bias", figures.bias),
            row("gain", figures.reliance),
            (ratio, figures.time_ratio, ""),
        ),
    )


def _overturned(figures: StudyFigures, say: Translator) -> Chapter:
    rows: list[tuple[Value, ...]] = []
    for each in figures.overturned:
        about = say("agent wrong") if each.agent_is_wrong else say("agent right")
        sure = say("and sure") if each.agent_is_sure else say("and not sure")
        for first, counts in zip(_OUTCOMES, each.counts, strict=True):
            if any(counts):
                rows.append((f"{about} {sure}", say(first), *counts))
    head = [say("The agent is"), say("Without the agent")]
    head += [f"{say('with it')}: {say(each)}" for each in _OUTCOMES]
    text = say(
        "How the verdicts of the same people on the same candidates change, where the answer is "
        "known. Sure: p(YES) of 0.9 or more, or 0.1 or less."
    )
    title = say("Overturned verdicts")
    return Chapter(title=title, sentences=(text,), head=tuple(head), rows=tuple(rows))


def _arms(figures: StudyFigures, say: Translator) -> Chapter:
    def row(each: ArmFigures) -> tuple[Value, ...]:
        seconds = ""
        if each.seconds is not None:
            low, median, high = each.seconds
            seconds = f"{median:.1f} ({low:.1f}–{high:.1f})"
        about = each.who or say.known(each.some) or say("all")
        shares = (each.completeness, each.purity, each.wrong, each.unsure)
        return about, say(_ARMS[each.arm]), each.n, seconds, *map(Percent, shares)

    names = ("Completeness", "Purity", "Wrong", "Unsure")
    text = say(
        "Seconds: median and quartiles, of the time with the spectrum on screen and the program in "
        "front. Completeness and purity of the known answers; wrong and unsure of all verdicts on "
        "them. Intervals of 95 %."
    )
    return Chapter(
        title=say("By arm, person, S/N and class"),
        sentences=(text,),
        head=(say("Of"), say("Agent"), say("Readings"), say("Seconds"), *map(say, names)),
        rows=tuple(map(row, figures.arms)),
    )


def _agreement(figures: StudyFigures, say: Translator) -> Chapter:
    rows = tuple(
        (say(_ARMS[each.arm]), each.candidates, each.alpha, each.ac2) for each in figures.agreement
    )
    text = say(
        "Of candidates that several people judged in the same arm. Alpha is Krippendorff's, AC2 "
        "Gwet's with unsure half way between accept and reject; 1 is complete agreement, 0 chance."
    )
    head = say("Agent"), say("Candidates"), "alpha", "AC2"
    return Chapter(title=say("Agreement of people"), sentences=(text,), head=head, rows=rows)


def _together(figures: StudyFigures, say: Translator) -> Chapter:
    rows: list[tuple[Value, ...]] = []
    for each in figures.together:
        shares = map(Percent, (each.one, each.majority, each.weighted))
        rows.append((say(_ARMS[each.arm]), each.candidates, *shares))
    text = say(
        "What is wrong where several people judged an object whose answer is known: of one of "
        "them, of their majority, and of votes weighted by how often each is right about the "
        "others. Unsure is no vote; a tie is half wrong."
    )
    names = ("Agent", "Candidates", "One person", "Majority", "Weighted by skill")
    head = tuple(map(say, names))
    return Chapter(
        title=say("Several people together"), sentences=(text,), head=head, rows=tuple(rows)
    )


def _fatigue(figures: StudyFigures, say: Translator) -> Chapter:
    fatigue = figures.fatigue
    rows = tuple(
        (f"{start:.0f}", n, "–" if median is None else f"{median:.1f}", Percent(wrong))
        for start, n, median, wrong in fatigue.bins
    )
    wrong, seconds = fatigue.wrong_per_hour, fatigue.seconds_per_hour
    sentences = [say("A pause of more than half an hour begins another sitting.")]
    if len(fatigue.bins) > 1 and wrong.estimate.value is not None:
        sentences.append(
            say(
                "In each hour of a sitting the share of wrong verdicts changes by {figure} (by "
                "chance {p}).",
                figure=_points(wrong.estimate), p=chance(wrong.p),
            )
        )  # fmt: skip
    if len(fatigue.bins) > 1 and seconds.estimate.value is not None:
        sentences.append(
            say(
                "The logarithm of the seconds changes by {figure} (by chance {p}).",
                figure=with_interval(seconds.estimate), p=chance(seconds.p),
            )
        )  # fmt: skip
    head = say("From minute"), say("Readings"), say("Seconds"), say("Wrong")
    return Chapter(title=say("Over the hour"), sentences=tuple(sentences), head=head, rows=rows)


def _worth(figures: StudyFigures, say: Translator) -> Chapter:
    rows: list[tuple[Value, ...]] = []
    best = least_wrong(figures.cuts)
    for each in figures.cuts:
        name = say("p(YES) below {low} or above {high}", low=f"{each.cut:g}",
                   high=f"{1.0 - each.cut:g}")  # fmt: skip
        if each.cut == CUTS[0]:
            name = say("nothing: people judge all with it")
        elif each.cut == CUTS[-1]:
            name = say("everything")
        mark = say("fewest wrong") if each is best else ""
        rows.append((name, rough_percent(each.left), Percent(each.wrong), mark))
    text = say(
        "What is wrong in the end if the agent decides alone where it is sure, and people with it "
        "the rest. The row with the fewest is chosen after the fact, so expect a little more."
    )
    head = say("The agent alone decides"), say("Left to people"), say("Wrong"), ""
    return Chapter(title=say("Worth of the pair"), sentences=(text,), head=head, rows=tuple(rows))


def _methods(plan: StudyPlan, say: Translator) -> Chapter:
    shown = ", ".join(f"{name} {sha256[:12]}".strip() for name, sha256 in plan.models)
    return Chapter(
        title=say("Methods"),
        sentences=(
            say(
                "Who judged what in which arm was drawn by lot with seed {seed}, so that "
                "neighbours in class, p(YES) and S/N fall into different arms, and was frozen at "
                "{at} with SHA-256 {hash}. Arms were hidden by the program; readings that deviate "
                "from the plan are left out.",
                seed=plan.seed, at=plan.frozen_at, hash=plan.sha256,
            ),
            say(
                "Shares have Wilson intervals with the number of readings divided by the design "
                "effect of candidates; effects and coefficients have Student intervals from the "
                "jackknife over candidates. In studies with the agent at once after the unaided "
                "verdict, bias and gain are shares of those verdicts, with a sign test over "
                "candidates. The people are taken as they are: intervals are for other candidates, "
                "not for other people."
            ),
            say("Agent: {agent}. {program} {version}.", agent=shown, program=PROGRAM,
                version=program_version()),
        ),
    )  # fmt: skip


def _points(found: Estimate) -> str:
    """A difference of shares, in percent."""
    assert found.value is not None
    value, low, high = (rounded(100.0 * each, 1) for each in (found.value, found.low, found.high))
    return f"{value} % ({low}–{high} %)"


def value_text(value: Value, language: str = "en") -> str:
    if isinstance(value, int):
        return f"{value:,}"
    if not isinstance(value, Percent | Estimate):
        return str(value or "")
    said = share_text(value.found) if isinstance(value, Percent) else with_interval(value)
    said = said.replace("-", "−")
    return said if language == "en" else said.replace(" to ", "–")


def study_page(name: str, plan: StudyPlan, parts: Sequence[Chapter], language: str) -> Markup:
    """The report on the session of that name as an HTML page without scripts."""
    say = Translator(language)
    title = say("Study of {session}", session=name)
    header = tag(
        "header",
        paragraph(f"{PROGRAM} · {say('report of a study')}", class_="kicker"),
        tag("h1", quoted(title, 120)),
        paragraph(quoted(", ".join(plan.people), 300), class_="about"),
    )
    main = tag("main", *(_section(each, language) for each in parts), class_="study")
    return page(language, title, STYLE + STUDY_STYLE, header, main)


def _section(part: Chapter, language: str) -> Markup:
    about = join([quoted(each) for each in part.sentences], " ")
    if not part.head:
        return section(part.title, *(paragraph(quoted(each)) for each in part.sentences))
    rows = ([_cell(value, language) for value in row] for row in part.rows)
    return section(part.title, paragraph(about, class_="note"), table("", part.head, rows))


def _cell(value: Value, language: str) -> Cell:
    text = value_text(value, language)
    if not isinstance(value, Percent):
        return quoted(text)
    drawn = charts.interval_bar(value.found, SPAN, AGENT, text)
    return join([text, None if drawn is None else Markup(drawn)])


def study_csv(parts: Sequence[Chapter]) -> str:
    """Each figure in a row of its own: section, the words of its row, its name, value, interval."""
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("section", "of", "figure", "value", "low", "high"))
    for part in parts:
        for row in part.rows:
            words = [value for value in row if isinstance(value, str) and value]
            of = escape_formula(", ".join(words))
            for name, value in zip(part.head, row, strict=True):
                found = value.found if isinstance(value, Percent) else value
                if isinstance(found, Estimate):
                    writer.writerow((part.title, of, name, found.value, found.low, found.high))
                elif isinstance(found, int | float):
                    writer.writerow((part.title, of, name, found, "", ""))
    return out.getvalue()


def write_study_page(session: Session, out: Path, language: str = "en") -> tuple[Chapter, ...]:
    """Write the page, of which it returns the chapters; an existing file is replaced only when the
    new one is complete."""
    plan, parts = report_parts(session, language)
    written = study_page(session.name, plan, parts, language).encode("utf-8", "replace")
    with disk_errors(out):
        write_file(out, written)
    return parts
