"""Which column of a list says what."""

from __future__ import annotations

from sqlalchemy import update

from agent.tasks.catalogue import task
from app.core.database.tables import lists
from app.core.session.list_roles import list_roles
from app.core.session.session import new_session
from tests.app.ui.candidates import take_sample


def test_the_column_of_the_label_is_known_by_its_name(tmp_path):
    with new_session(tmp_path / "night", task("CV"), "Ada") as session:
        take_sample(session, 12)
        assert list_roles(session)[1]["label"] == "subclass"


def test_what_makes_no_sense_is_left_out(tmp_path):
    with new_session(tmp_path / "night", task("CV"), "Ada") as session:
        take_sample(session, 2)
        for text, found in (("no JSON", {}), ("[1]", {}), ('{"ra": 1, "dec": "d"}', {"dec": "d"})):
            with session.database.writing() as connection:
                connection.execute(update(lists).values(roles=text))
            assert list_roles(session) == {1: found}
