"""Known answers from a stranger's session are checked when they are read."""

from __future__ import annotations

import pytest
from sqlalchemy import insert

from app.core.database.tables import known_answers
from app.core.errors import SessionError
from app.core.session.known_answers import (
    has_known_answers,
    known_answer_of,
    read_known_answers,
    without_known,
)
from tests.app.core.sessions import made

ROW = {"candidate_id": 2, "is_member": True, "class_name": "CV", "simulated": False, "source": "x"}


def test_it_is_read_as_it_was_stored(location):
    with made(location, 3) as session:
        assert not has_known_answers(session)
        with session.database.writing() as connection:
            connection.execute(insert(known_answers).values(**ROW))
        assert has_known_answers(session)
        answer = known_answer_of(session, 2)
        assert (answer.is_member, answer.class_name, answer.is_simulated) == (True, "CV", False)
        assert known_answer_of(session, 1) is None
        with session.database.reading() as connection:
            assert read_known_answers(connection) == {2: answer}
            assert without_known(connection, [3, 2, 1]) == [3, 1]


@pytest.mark.parametrize(
    "spoilt", ["is_member = 7", "class_name = x'00'", "class_name = 'a' || char(10)"]
)
def test_a_spoilt_one_is_damage(file_location, spoilt):
    with made(file_location, 3) as session:
        with session.database.writing() as connection:
            connection.execute(insert(known_answers).values(**ROW))
            connection.exec_driver_sql(f"UPDATE known_answers SET {spoilt}")
        with pytest.raises(SessionError, match="damaged"):
            known_answer_of(session, 2)
