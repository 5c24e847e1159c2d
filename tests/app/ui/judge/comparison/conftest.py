"""A judging page in which candidate 2 has two other epochs, on the screen."""

import pytest
from sqlalchemy import update

from app.core.database.tables import candidates
from app.ui.judge.judging_page import JudgingPage
from tests.app.ui.judge.plot.conftest import on_to
from tests.app.ui.steps import shown_in


def put(session, number, **values):
    with session.database.writing() as connection:
        connection.execute(update(candidates).where(candidates.c.id == number).values(values))


@pytest.fixture
def page(qtbot, context, session):
    here = session.candidate(2)
    put(session, 5, ra=here.ra, dec=here.dec + 1.0 / 3600.0, own='{"obsdate": "2018-10-05T1"}')
    put(session, 9, object_id=here.object_id, ra=None, dec=None)
    made = JudgingPage(context)
    context.commands.add("next", context.current.next)
    shown_in(qtbot, made, 1280, 720)
    on_to(qtbot, context, 2)
    return made


def overlay(qtbot, page, context, count=2):
    context.commands.run("overlay_epochs")
    qtbot.waitUntil(lambda: len(page.comparison.compared) == count)
