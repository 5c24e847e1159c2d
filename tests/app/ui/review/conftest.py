"""Sessions in which people and agents have said something, and pages that look at them."""

from __future__ import annotations

import pytest

from app.core.inspections.store import add_inspection
from app.core.session.records import Verdict
from tests.app.core.inspected import MEASURED, NANO, said
from tests.app.core.judged_sessions import say


@pytest.fixture
def shown(qtbot):
    """Shows a page and waits for its numbers."""

    def show(page, size=(1280, 700)):
        qtbot.addWidget(page)
        page.resize(*size)
        with qtbot.waitExposed(page):
            page.show()
        settled(qtbot, page)
        return page

    return show


def settled(qtbot, page):
    """Until what the page shows is what the session holds."""
    qtbot.waitUntil(lambda: page.refresh.is_fresh, timeout=15_000)


@pytest.fixture
def disputed(session):
    """Ada and Li Wei differ on 3 and 5; nano says YES to all, measured NO to 7."""
    mine = dict.fromkeys(range(1, 9), Verdict.REJECT)
    say(session, "Ada", {**mine, 3: Verdict.ACCEPT})
    say(session, "Li Wei", {**mine, 5: Verdict.ACCEPT})
    for number in (7, 8, 11):
        add_inspection(session, number, said("YES", 0.9, model=NANO, number=number))
    add_inspection(session, 7, said("NO", 0.2, model=MEASURED, number=7))
    return session
