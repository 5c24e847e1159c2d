"""What is gathered from a session before it is formatted."""

from __future__ import annotations

from app.core.report.content import gather_content
from tests.app.core.judged_sessions import A, R, inspect, say
from tests.app.core.report.reading import broken, lived_in, read
from tests.app.core.sessions import made


def test_models_with_most_blind_verdicts_come_first(location):
    with made(location, 6) as session:
        say(session, "Ada", {1: A, 2: R})
        inspect(session, "few", {1: ("YES", 0.9)})
        inspect(session, "silent", {1: ("YES", None), 2: ("NO", None)})
        inspect(session, "many", {1: ("YES", 0.9), 2: ("NO", 0.1), 3: ("NO", 0.2)})
        content = gather_content(session, read)
    names = [each.figures.model for each in content.reliabilities]
    assert names[0] == "many" and "silent" not in names


def test_the_same_seed_gives_the_same_figures(location, rng):
    with lived_in(location, rng) as session:
        one, two = (gather_content(session, read, seed=3) for _ in range(2))
    assert one.statistics.people.several.kappa == two.statistics.people.several.kappa


def test_unreadable_spectra_are_kept_with_their_reason(location):
    with made(location, 2) as session:
        say(session, "Ada", {1: A})
        (card,) = gather_content(session, broken).cards
    assert card.spectrum is None and "cut short" in card.fault
