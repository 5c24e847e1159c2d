"""The list's own columns: which there are, and what stands in them."""

from __future__ import annotations

import pytest

from agent.tasks.catalogue import find_task
from app.core.queue.own_columns import OwnColumn, own_columns, own_values
from app.core.session.session import new_session


def test_names_and_kinds(seen):
    found = {each.name: each.is_number for each in own_columns(seen.session)}
    of_list = {"mag r": True, "class": False, "seen": False, 'odd "na.me': False}
    assert found == of_list | {"mine.subclass": False}


def test_a_session_without_candidates_has_none(tmp_path):
    with new_session(tmp_path / "a", find_task("CV"), "Ada") as session:
        assert own_columns(session) == ()
        assert own_values(session, "class", "", 5) == ()


@pytest.mark.parametrize("beginning", ["", "s", "GAL"])
def test_values_that_begin_so_the_most_frequent_first(seen, beginning):
    values = [str(each.own["class"]) for each in seen.known if each.own.get("class") is not None]
    begin = {each for each in values if each.lower().startswith(beginning.lower())}
    found = own_values(seen.session, "class", beginning, 12)
    assert set(found) == begin
    counts = [values.count(each) for each in found]
    assert counts == sorted(counts, reverse=True)
    assert len(own_values(seen.session, "class", beginning, 1)) == 1


def test_a_column_of_no_list_has_no_values(seen):
    assert own_values(seen.session, "colour", "", 12) == ()


def test_a_column_is_a_name_and_a_kind(seen):
    assert OwnColumn("mag r", True) in own_columns(seen.session)
