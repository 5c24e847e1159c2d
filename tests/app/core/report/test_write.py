"""The report as a file: complete, safe, and the same for the same session."""

import re

import pytest

from agent.trajectory.trajectory import ModelRef, SpectrumRef, Step, Trajectory
from app.core.errors import SessionError
from app.core.inspections.store import add_inspection
from app.core.report.write import write_report
from app.core.session.records import Opinion
from app.core.session.session import open_session
from tests.app.core.judged_sessions import A, R, say
from tests.app.core.report.reading import EVIL, broken, lived_in, read, written
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


def test_nothing_of_a_session_becomes_markup(location, tmp_path):
    with made(location, 6) as session:
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


def test_the_same_session_gives_the_same_page_and_it_fetches_nothing(location, rng, tmp_path):
    with lived_in(location, rng) as session:
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
    with open_session(location, "Cy", read_only=True) as session:
        write_report(session, out, read)


def test_a_file_that_cannot_be_written_leaves_the_old_one(location, tmp_path):
    with made(location, 1) as session:
        old = tmp_path / "old.html"
        old.write_text("old")
        with pytest.raises(SessionError):
            write_report(session, tmp_path / "none" / "report.html", read)

        def fail(candidate):
            raise RuntimeError("a fault of ours")

        say(session, "Ada", {1: A})
        with pytest.raises(RuntimeError):
            write_report(session, old, fail)
        assert old.read_text() == "old"
        assert not list(tmp_path.glob(".*part"))


def test_half_characters_do_not_stop_it(location, tmp_path):
    with made(location, 1) as session:
        say(session, "Ada", {1: A})
        page = written(
            session, tmp_path / "r.html", lambda c: (_ for _ in ()).throw(OSError("\ud800 \x00"))
        )
    assert "could not be read: � �" in page.text()
