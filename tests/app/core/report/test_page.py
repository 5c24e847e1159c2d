"""The whole page: its sections, what is simulated, and what a screen reader says."""

import re
from dataclasses import replace
from unittest.mock import Mock

import pytest

from agent.confidence.scores import Estimate
from agent.trajectory.trajectory import ModelRef, SpectrumRef, Step, Trajectory
from app.core.errors import SessionError
from app.core.inspections.store import add_inspection
from app.core.report.evidence import gather_content
from app.core.report.markup import (
    ACCEPT,
    AGENT,
    INK,
    REJECT,
    SOFT,
    UNSURE,
    _shade,
    key,
    measured,
    named,
    share_of,
    table,
)
from app.core.report.object_section import cards_section, disagreement_section
from app.core.report.page import write_report
from app.core.report.people_section import (
    agreement_section,
    counts_section,
    pace_section,
    subclass_section,
)
from app.core.session.records import Opinion
from app.core.session.session import open_session
from tests.app.core.judged_sessions import A, R, inspect, say
from tests.app.core.report.reading import EVIL, Page, broken, lived_in, read, written
from tests.app.core.sessions import made

HARMLESS = frozenset(
    {
        *("html", "head", "meta", "title", "style", "body", "header", "main", "section", "footer"),
        *("h1", "h2", "h3", "p", "b", "i", "bdi", "br", "span", "div", "code", "ul", "li"),
        *("dl", "dt", "dd", "table", "caption", "thead", "tbody", "tr", "th", "td"),
        *("figure", "figcaption", "svg", "path", "line", "rect", "circle", "text"),
        *("g", "defs", "use", "clippath"),
    }
)


def test_all_of_it_is_there_also_for_those_who_do_not_see_it(file_location, rng, tmp_path):
    with lived_in(file_location, rng) as session:
        page = written(session, tmp_path / "report.html")
        accepted = [
            n for n in range(1, 150) if [j.opinion.verdict for j in session.judgements(n)] == [A, A]
        ]
        titles = [
            "Counts", "People and pace", "Agreement", "Reliability of p(YES)",
            "The agents", "Accepted objects", "Disagreements", "Provenance",
        ]  # fmt: skip
        assert page.text_of("h2") == titles
        text = page.text()
        assert "149 of 300 candidates are judged" in text
        assert "Calibrated with a straight line on" in text
        assert "Ada: 1 shown again, 1 of them judged differently." in text and session.id in text
        assert (
            f"of {len(accepted)}, most confident first" in text or f"All {len(accepted)}." in text
        )
        assert "J000020" in text and "Kappa for faint and for bright" in text
    figures = page.tags.count("svg")
    assert figures > 30
    labels = [value for tag, name, value in page.attributes if (tag, name) == ("svg", "aria-label")]
    roles = [value for tag, name, value in page.attributes if (tag, name) == ("svg", "role")]
    assert len(labels) == len(roles) == page.tags.count("title") - 1 == figures
    assert all(labels)
    assert page.tags.count("caption") == page.tags.count("table")
    scopes = [value for tag, name, value in page.attributes if (tag, name) == ("th", "scope")]
    assert len(scopes) == page.tags.count("th")
    assert ("html", "lang", "en") in page.attributes


def test_an_empty_session(file_location, tmp_path):
    with made(file_location, 0) as session:
        page = written(session, tmp_path / "report.html")
    assert page.text_of("h2") == ["Counts", "Provenance"]
    assert "The session holds no candidates." in page.text()


def badges(page):
    return page.attributes.count(("span", "class", "simulated"))


def test_simulated_objects_say_so(file_location, tmp_path):
    with made(file_location, 3) as session:
        say(session, "Ada", {1: A, 2: A})
        page = written(session, tmp_path / "report.html")
        assert badges(page) == 2  # one at the head, one on the card
        assert "Simulated spectra in this session: 1 of the 3 looked at." in page.text()
        say(session, "Ada", {1: R})  # not shown any more, but still one of them
        page = written(session, tmp_path / "other.html")
        assert badges(page) == 1 and "1 of the 3 looked at" in page.text()


def test_all_simulated_is_said_at_the_head_whatever_is_shown(file_location, tmp_path):
    def simulated(candidate):
        return replace(read(candidate), simulated=True)

    with made(file_location, 3) as session:
        page = written(session, tmp_path / "report.html", simulated)
        head = page.text().split("None of the 3 candidates")[0]
        assert "SIMULATED Simulated spectra in this session: all 3." in head
        page = written(session, tmp_path / "none.html", broken)
        assert "imulated" not in page.text()


# What is said of a model's p(YES).
def test_not_calibrated_is_said_plainly(file_location, tmp_path):
    with made(file_location, 9) as session:
        inspect(session, "nano", {1: ("YES", 0.9), 2: ("NO", 0.1), 3: ("NO", 0.2)})
        say(session, "Ada", {1: A, 2: R})
        text = written(session, tmp_path / "report.html").text()
    assert "Not calibrated: p(YES) ranks candidates but is not a probability." in text
    assert "18 more verdicts, among them at least 4 more ACCEPT and 4 more REJECT" in text
    assert "Its p(YES) is not calibrated." in text
    assert "No cut for a precision of 90\u00a0% yet" in text


# Sections of the page, and what is gathered for them.
def test_sections_appear_as_people_judge(file_location):
    with made(file_location, 6) as session:
        content = gather_content(session, read)
        assert cards_section(content) is None and disagreement_section(content) is None
        assert pace_section(content.statistics) is None
        say(session, "Ada", {1: A})
        drawn = Page(cards_section(gather_content(session, read)))
        assert drawn.tags.count("svg") == 1 and "All 1." in drawn.text()
        unreadable = gather_content(session, broken)
        (card,) = unreadable.cards
        assert card.spectrum is None and "cut short" in card.fault
        failed = Page(cards_section(unreadable))
        assert failed.tags.count("svg") == 0 and "could not be read: cut short" in failed.text()
        # Counts leave out what there is none of; one person alone agrees with nobody.
        found = gather_content(session, read).statistics
        items = Page(counts_section(found)).text_of("li")
        assert [each.strip() for each in items] == ["accepted", "open"]
        assert agreement_section(found) is None and "Ada" in Page(pace_section(found)).text()
        # Models with most blind verdicts come first.
        say(session, "Ada", {2: R})
        inspect(session, "few", {1: ("YES", 0.9)})
        inspect(session, "silent", {1: ("YES", None), 2: ("NO", None)})
        inspect(session, "many", {1: ("YES", 0.9), 2: ("NO", 0.1), 3: ("NO", 0.2)})
        content = gather_content(session, read)
        names = [each.figures.model for each in content.reliabilities]
        assert names[0] == "many" and "silent" not in names
        # Two people have a row and a matrix.
        say(session, "Ada", {3: A})
        say(session, "Ben", {1: A, 2: R, 3: R})
        page = Page(agreement_section(gather_content(session, read).statistics))
    assert "Ada and Ben" in page.text() and ("table", "class", "matrix") in page.attributes
    assert "67\u00a0%" in page.text()


def test_both_kinds_of_disagreement(file_location):
    with made(file_location, 3) as session:
        inspect(session, "nano", {2: ("NO", 0.1)})
        say(session, "Ada", {1: A, 2: A})
        say(session, "Ben", {1: R})
        text = Page(disagreement_section(gather_content(session, read))).text()
    assert "Between people: 1, 1 of them not settled" in text
    assert "Ada ACCEPT" in text and "Ben REJECT" in text
    assert "Between people and agent, most confident agent first: 1 shown" in text
    assert "NO, p(YES) 0.1" in text


def test_sub_classes_are_counted_and_compared(file_location):
    finer = Opinion(verdict=A, subclass="DN/WZ Sge")
    with made(file_location, 4, "Ben") as session:
        session.record_verdict(1, finer)
    with open_session(file_location, "Ada") as session:
        assert subclass_section(gather_content(session, read).statistics) is not None
        session.record_verdict(1, finer)
        session.record_verdict(2, Opinion(verdict=A, subclass="NL"))
        found = gather_content(session, read).statistics
    counts = Page(subclass_section(found)).text()
    assert "DN › WZ Sge" in counts and "NL" in counts
    agreed = Page(agreement_section(found)).text()
    assert "Ada and Ben, level 1" in agreed and "Ada and Ben, level 2" in agreed


# Text of the page has enough contrast.
def contrast(one, other):
    def light(colour):
        parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        red, green, blue = (
            c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts
        )
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    bright, dark = sorted((light(one), light(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


def test_text_can_be_read_on_its_ground():
    for ink in (INK, SOFT, ACCEPT, REJECT, UNSURE, AGENT):
        assert contrast(ink, "#ffffff") > 4.5
    for ground in (ACCEPT, REJECT, UNSURE, INK):
        assert contrast("#ffffff", ground) > 4.5
    assert contrast(INK, _shade(1.0)) > 4.5


# Tables, legends and values.
def test_tables_legends_and_values_are_escaped_and_have_headers():
    page = Page(table("of", ("a", "b"), [("x", "1"), ("y", None)], numbers=frozenset({1})))
    assert page.text_of("th") == ["a", "b", "x", "y"] and ("td", "class", "n") in page.attributes
    assert page.tags.count("td") == 2
    assert Page(measured(Estimate(0.5, 0.25, 0.75))).text() == "0.50 (0.25 to 0.75)"
    assert measured(Estimate(None, 0.0, 0.0)) == "–"
    assert (share_of(1, 4), share_of(1, 0)) == ("1 (25\u00a0%)".replace("\u00a0", " "), "1")
    page = Page(named(EVIL, is_simulated=True))
    assert "script" not in page.tags and "SIMULATED" in page.text()
    assert Page(named("", is_simulated=False)).text() == "no name"
    assert Page(key(("#000000", "<b>", "3"))).text() == "<b> 3"


def test_nothing_of_a_session_becomes_markup(file_location, tmp_path):
    with made(file_location, 6) as session:
        with session.database.writing() as connection:
            for table, column in (
                ("candidates", "object_id"), ("lists", "name"), ("lists", "path"),
            ):  # fmt: skip
                connection.exec_driver_sql(f"UPDATE {table} SET {column} = ?", (EVIL,))
            connection.exec_driver_sql("UPDATE lists SET sha256 = ?", (EVIL,))
        trajectory = Trajectory(
            task=EVIL,
            spectrum=SpectrumRef(object_id=EVIL),
            model=ModelRef(name=f"model {EVIL}", sha256=EVIL[:60]),
            steps=(
                Step(kind="zoom", label=EVIL, range=(6500.0, 6600.0)),
                Step(kind="answer", text=f"\\boxed{{YES}} {EVIL}", verdict="YES"),
            ),
            stopped_by="answer",
            verdict="YES",
            p_yes=0.9,
            well_formed=True,
        )
        for number in (1, 2, 3):
            add_inspection(session, number, trajectory)
        opinion = Opinion(verdict=A, comment=EVIL, flags=(EVIL[:40],))
        for name in ("<script>alert(3)</script>", 'Ben" onload="x'):
            session.reviewer = name
            for number in range(1, 5):
                session.record_verdict(number, opinion)
        session.record_verdict(2, Opinion(verdict=R, comment=EVIL))
        session.record_verdict(3, Opinion(verdict=R, comment=EVIL))
        session.reviewer = "<script>alert(3)</script>"
        session.record_verdict(3, Opinion(verdict=R, comment=EVIL))
        for how in (read, broken):
            page = written(session, tmp_path / "report.html", how)
            assert set(page.tags) <= HARMLESS
            assert not [name for _, name, _ in page.attributes if name.startswith("on")]
            links = {"src", "href", "srcset"}
            fetched = [each for each in page.attributes if each[1] in links]
            # Charts repeat a mark of their own by its id.
            assert all(tag == "use" and value.startswith("#") for tag, _, value in fetched)
            assert page.tags.count("style") == 1
            assert "alert" not in "".join(page.text_of("style"))
            assert "<script>alert(3)</script>" in page.text()
            assert "onerror='alert(2)'" in page.text()
        policy = next(value for _, name, value in page.attributes if name == "content")
        assert policy.startswith("default-src 'none'")


def test_the_same_session_gives_the_same_page_and_it_fetches_nothing(file_location, rng, tmp_path):
    with lived_in(file_location, rng) as session:
        out = tmp_path / "report.html"
        pages = []
        for _ in range(2):
            write_report(session, out, read)
            pages.append(
                re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d UTC", "", out.read_text(encoding="utf-8"))
            )
        assert pages[0] == pages[1]
    for fetching in ("http://", "https://", "@import"):
        assert fetching not in pages[0]
    assert not re.search(r"url\((?!#)", pages[0])  # those of charts point into themselves
    with open_session(file_location, "Cy", read_only=True) as session:
        write_report(session, out, read)


def test_a_file_that_cannot_be_written_leaves_the_old_one(file_location, tmp_path):
    with made(file_location, 1) as session:
        old = tmp_path / "old.html"
        old.write_text("old")
        with pytest.raises(SessionError):
            write_report(session, tmp_path / "none" / "report.html", read)

        say(session, "Ada", {1: A})
        with pytest.raises(RuntimeError):
            write_report(session, old, Mock(side_effect=RuntimeError("a fault of ours")))
        assert old.read_text() == "old"
        assert not list(tmp_path.glob(".*part"))


def test_half_characters_do_not_stop_it(file_location, tmp_path):
    with made(file_location, 1) as session:
        say(session, "Ada", {1: A})
        page = written(
            session, tmp_path / "r.html", lambda c: (_ for _ in ()).throw(OSError("\ud800 \x00"))
        )
    assert "could not be read: � �" in page.text()
