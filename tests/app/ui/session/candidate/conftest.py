"""Short and long queues, and steps along them."""

import pytest

from app.ui.session.candidate import queue_neighbours
from tests.app.ui.steps import heard, painted


@pytest.fixture(params=["short", "long"])
def length(request, monkeypatch):
    """A long queue is searched in the background, with the same results."""
    if request.param == "long":
        monkeypatch.setattr(queue_neighbours, "LONG_QUEUE", 3)


def shown(qtbot, context, candidate_id):
    """Wait until the spectrum is read, and note it as painted, as the plot does."""
    painted(qtbot, context, candidate_id)
    assert context.current.is_painted


def begin(qtbot, context, candidate_id=1):
    context.current.start()
    qtbot.waitUntil(lambda: not context.current._search.is_busy)
    shown(qtbot, context, 1)
    if candidate_id != 1:
        context.current.go_to(candidate_id)
        shown(qtbot, context, candidate_id)
    return context.current


def said(qtbot, current, call):
    return heard(qtbot, current.message, call)


def verdicts(session):
    every = {number: session.judgement(number) for number in range(1, session.count() + 1)}
    return {number: str(each.opinion.verdict) for number, each in every.items() if each}
