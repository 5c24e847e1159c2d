"""The whole page: its sections, what is simulated, and what a screen reader says."""

from __future__ import annotations

from dataclasses import replace

from tests.app.core.judged_sessions import A, R, say
from tests.app.core.report.reading import broken, lived_in, read, written
from tests.app.core.sessions import made


def test_all_of_it_is_there(location, rng, tmp_path):
    with lived_in(location, rng) as session:
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
        assert "Ada: 1 shown again, 1 of them judged differently." in text
        assert session.id in text
        assert (
            f"of {len(accepted)}, most confident first" in text or f"All {len(accepted)}." in text
        )
        assert "J000020" in text
        assert "Kappa for faint and for bright" in text


def test_an_empty_session(location, tmp_path):
    with made(location, 0) as session:
        page = written(session, tmp_path / "report.html")
    assert page.text_of("h2") == ["Counts", "Provenance"]
    assert "The session holds no candidates." in page.text()


def badges(page):
    return page.attributes.count(("span", "class", "simulated"))


def test_simulated_objects_say_so(location, tmp_path):
    with made(location, 3) as session:
        say(session, "Ada", {1: A, 2: A})
        page = written(session, tmp_path / "report.html")
        assert badges(page) == 2  # one at the head, one on the card
        assert "Simulated spectra in this session: 1 of the 3 looked at." in page.text()
        say(session, "Ada", {1: R})  # not shown any more, but still one of them
        page = written(session, tmp_path / "other.html")
        assert badges(page) == 1
        assert "1 of the 3 looked at" in page.text()


def test_all_simulated_is_said_at_the_head_whatever_is_shown(location, tmp_path):
    def simulated(candidate):
        return replace(read(candidate), simulated=True)

    with made(location, 3) as session:
        page = written(session, tmp_path / "report.html", simulated)
        head = page.text().split("None of the 3 candidates")[0]
        assert "SIMULATED Simulated spectra in this session: all 3." in head
        page = written(session, tmp_path / "none.html", broken)
        assert "imulated" not in page.text()


def test_for_those_who_do_not_see_it(location, rng, tmp_path):
    with lived_in(location, rng) as session:
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
