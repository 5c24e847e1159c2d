"""The report as a file: whole, safe, readable by those who do not see, and right."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from agent.errors import ReadError
from agent.spectra.spectrum import Spectrum
from agent.trajectory.trajectory import ModelRef, SpectrumRef, Step, Trajectory
from app.core.errors import SessionError
from app.core.inspections.store import add_inspection
from app.core.report.drawing import ACCEPT, AGENT, INK, REJECT, SOFT, UNSURE
from app.core.report.parts import _shade
from app.core.report.write import write_report
from app.core.session.records import Opinion
from app.core.session.session import open_session
from app.core.statistics.calibration import calibrate
from app.core.statistics.repeats import record_repeat
from tests.agent.confidence.judged_samples import sample_judged
from tests.app.core.judged_sessions import A, R, U, inspect, nano_sample, say, set_snr
from tests.app.core.report.reading import Page
from tests.app.core.sessions import made

EVIL = "\"><script>alert(1)</script><img src=x onerror='alert(2)'></style></title></svg>"
HARMLESS = frozenset(
    {
        *("html", "head", "meta", "title", "style", "body", "header", "main", "section", "footer"),
        *("h1", "h2", "h3", "p", "b", "i", "bdi", "br", "span", "div", "code", "ul", "li"),
        *("dl", "dt", "dd", "table", "caption", "thead", "tbody", "tr", "th", "td"),
        *("figure", "figcaption", "svg", "path", "line", "rect", "circle", "text"),
        *("g", "defs", "use", "clippath"),
    }
)


@pytest.fixture
def place(tmp_path):
    return tmp_path / "night.speco3"


def read(candidate):
    wavelength = np.linspace(3800.0, 9200.0, 1000)
    flux = 10.0 + np.random.default_rng(candidate.id).normal(size=1000)
    return Spectrum(
        wavelength=wavelength, flux=flux, object_id=candidate.object_id, simulated=candidate.id == 1
    )


def broken(candidate):
    raise ReadError(f"cut short {EVIL}")


def written(session, out, read=read):
    assert write_report(session, out, read, seed=1) == out
    return Page(out.read_text(encoding="utf-8"))


def lived_in(place, rng):
    """Two people, a model, a repeat, a calibration; candidates 150 on are open."""
    field = sample_judged(rng, 300, prior=0.3)
    session = made(place, 300, reviewer="Ada")
    inspect(
        session,
        "nano",
        {n: ("YES" if p > 0.5 else "NO", p) for n, p in enumerate(field.p.tolist(), 1)},
    )
    set_snr(session, {n: 3.0 + n % 70 for n in range(1, 301)})
    truth = {n: A if real else R for n, real in enumerate(field.label.tolist()[:149], 1)}
    say(session, "Ada", truth)
    say(session, "Ben", {n: U if n % 20 == 0 else v for n, v in truth.items()})
    record_repeat(session, 1, Opinion(verdict=U))
    calibrate(session, nano_sample(session))
    return session


def test_all_of_it_is_there(place, rng, tmp_path):
    with lived_in(place, rng) as session:
        page = written(session, tmp_path / "report.html")
        accepted = [
            n for n in range(1, 150) if [j.opinion.verdict for j in session.judgements(n)] == [A, A]
        ]
        titles = [
            "Counts", "People and pace", "Agreement", "How far p(YES) can be believed",
            "The agents", "Accepted objects", "Disagreements", "Where this comes from",
        ]  # fmt: skip
        assert page.text_of("h2") == titles
        text = page.text()
        assert "149 of 300 candidates are judged" in text
        assert "Calibrated with a straight line on" in text
        assert "Ada: 1 served again, 1 of them judged otherwise." in text
        assert session.id in text
        assert f"of {len(accepted)}, the surest first" in text or f"All {len(accepted)}." in text
        assert "J000020" in text
        assert "Kappa for faint and for bright" in text


def test_an_empty_session(place, tmp_path):
    with made(place, 0) as session:
        page = written(session, tmp_path / "report.html")
    assert page.text_of("h2") == ["Counts", "Where this comes from"]
    assert "The session holds no candidates." in page.text()


def test_not_calibrated_is_said_plainly(place, tmp_path):
    with made(place, 9) as session:
        inspect(session, "nano", {1: ("YES", 0.9), 2: ("NO", 0.1), 3: ("NO", 0.2)})
        say(session, "Ada", {1: A, 2: R})
        text = written(session, tmp_path / "report.html").text()
    assert "Not calibrated: p(YES) ranks candidates but is not a probability." in text
    assert "18 more verdicts, among them at least 4 more ACCEPT and 4 more REJECT" in text
    assert "Its p(YES) is not calibrated." in text
    assert "No cut for a precision of 90\u00a0% yet" in text


def test_nothing_of_a_session_becomes_markup(place, tmp_path):
    with made(place, 6) as session:
        with session.database.writing() as connection:
            for table, column in (
                ("candidates", "object_id"),
                ("lists", "name"),
                ("lists", "path"),
            ):
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


def badges(page):
    return page.attributes.count(("span", "class", "simulated"))


def test_simulated_objects_say_so(place, tmp_path):
    with made(place, 3) as session:
        say(session, "Ada", {1: A, 2: A})
        page = written(session, tmp_path / "report.html")
        assert badges(page) == 2  # one at the head, one on the card
        assert "Simulated spectra in this session: 1 of the 3 looked at." in page.text()
        say(session, "Ada", {1: R})  # not shown any more, but still one of them
        page = written(session, tmp_path / "other.html")
        assert badges(page) == 1
        assert "1 of the 3 looked at" in page.text()


def test_all_simulated_is_said_at_the_head_whatever_is_shown(place, tmp_path):
    def simulated(candidate):
        return replace(read(candidate), simulated=True)

    with made(place, 3) as session:
        page = written(session, tmp_path / "report.html", simulated)
        head = page.text().split("None of the 3 candidates")[0]
        assert "SIMULATED Simulated spectra in this session: all 3." in head
        page = written(session, tmp_path / "none.html", broken)
        assert "imulated" not in page.text()


def test_for_those_who_do_not_see_it(place, rng, tmp_path):
    with lived_in(place, rng) as session:
        page = written(session, tmp_path / "report.html")
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


def test_the_same_session_gives_the_same_page(place, rng, tmp_path):
    with lived_in(place, rng) as session:
        out = tmp_path / "report.html"
        pages = []
        for _ in range(2):
            write_report(session, out, read)
            pages.append(
                re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d UTC", "", out.read_text(encoding="utf-8"))
            )
        assert pages[0] == pages[1]
    with open_session(place, "Cy", read_only=True) as session:
        write_report(session, out, read)


def test_a_file_that_cannot_be_written_leaves_the_old_one(place, tmp_path):
    with made(place, 1) as session:
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


def test_half_characters_do_not_stop_it(place, tmp_path):
    with made(place, 1) as session:
        say(session, "Ada", {1: A})
        page = written(
            session, tmp_path / "r.html", lambda c: (_ for _ in ()).throw(OSError("\ud800 \x00"))
        )
    assert "could not be read: � �" in page.text()


def test_no_scripts_and_nothing_to_fetch(place, rng, tmp_path):
    with lived_in(place, rng) as session:
        out = write_report(session, tmp_path / "report.html", read)
    text = out.read_text(encoding="utf-8")
    assert "http://" not in text
    assert "https://" not in text
    assert not re.search(r"url\((?!#)", text)  # those of charts point into themselves
    assert "@import" not in text
