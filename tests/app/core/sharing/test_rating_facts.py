"""Ratings come along in a merge, under the numbers of the target; the later one counts."""

from __future__ import annotations

from app.core.inspections.ratings import PREFIX, all_ratings, rate, rating_from
from app.core.sharing import merge
from tests.app.core.sharing.merged_sessions import session_at
from tests.app.ui.agent.trajectories import record

ONE = record(replies=("a", "b"))


def scores(session):
    return sorted((number, each.by, each.overall) for number, each in all_ratings(session))


def test_ratings_are_merged_once(location, tmp_path):
    with session_at(location) as ada, session_at(tmp_path / "ben.speco3", "Ben", 6) as ben:
        rate(ada, 1, ONE, 5)
        rate(ben, 2, ONE, 1)
        rate(ben, 6, ONE, 3)
        rate(ben, 6, ONE, 3)  # taken back
        merge(ada, ben)
        assert scores(ada) == [(1, "Ada", 5), (2, "Ben", 1)]
        merge(ada, ben)
        assert scores(ada) == [(1, "Ada", 5), (2, "Ben", 1)]


def test_the_later_of_two_counts(location, tmp_path, monkeypatch):
    with session_at(location) as here, session_at(tmp_path / "there.speco3") as there:
        for session, score, year in ((here, 1, 2025), (there, 4, 2026)):
            monkeypatch.setattr(
                "app.core.inspections.ratings.timestamp", lambda y=year: f"{y}-01-01"
            )
            rate(session, 1, ONE, score)
        merge(here, there)
        merge(there, here)
        assert scores(here) == scores(there) == [(1, "Ada", 4)]


def test_what_is_no_rating_stays_behind(location, tmp_path):
    with session_at(location) as here, session_at(tmp_path / "there.speco3") as there:
        rate(there, 1, ONE, 2)
        text = there.fact(next(key for key in there._facts if key.startswith(PREFIX)))
        for key in ("x:y:Ada", "12345:y:Ada", f"1:{'y' * 400}:Ada"):
            there.set_fact(PREFIX + key, text)
        there.set_fact(PREFIX + "1:y:Eve", '{"kind": "rating", "by": 5}')
        merge(here, there)
        assert scores(here) == [(1, "Ada", 2)] and rating_from(text).overall == 2
