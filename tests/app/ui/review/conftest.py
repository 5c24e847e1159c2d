"""Sessions with verdicts of people and agents, and the pages that show them."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QLabel

from app.core.inspections.store import add_inspection
from app.core.session.records import Verdict
from app.core.session.session import open_session
from app.ui.review.disagreement_page import DisagreementPage
from app.ui.review.dispute_view import OpinionCard
from tests.app.core.inspected import MEASURED, NANO, said
from tests.app.core.judged_sessions import drawn_verdicts, inspect, say
from tests.app.ui.candidates import sample_file
from tests.app.ui.conftest import opened_context
from tests.app.ui.steps import click, shown_in


@pytest.fixture
def shown(qtbot):
    """Show a page and wait for its numbers."""

    def show(page, size=(1280, 700)):
        shown_in(qtbot, page, *size)
        settled(qtbot, page)
        return page

    return show


def settled(qtbot, page):
    """Wait until the page is up to date."""
    qtbot.waitUntil(lambda: page.refresh.is_fresh)


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


@pytest.fixture
def judged(tmp_path):
    """Sixty objects, two people, and an agent that is right most of the time."""
    rng = np.random.default_rng(5)
    truth = rng.random(60) < 0.4
    with open_session(sample_file(tmp_path, 60), "Ada") as session:
        mine = drawn_verdicts(rng, truth, 0.95)
        say(session, "Ada", {number: each for number, each in mine.items() if number <= 50})
        theirs = drawn_verdicts(rng, truth, 0.9)
        say(session, "Li Wei", {number: each for number, each in theirs.items() if number <= 55})
        p = np.clip(np.where(truth, 0.75, 0.25) + rng.normal(0, 0.2, 60), 0.01, 0.99)
        told = {n: ("YES" if x > 0.5 else "NO", x) for n, x in enumerate(p.tolist(), 1)}
        inspect(session, "nano", told)
        yield session


@pytest.fixture
def judged_context(qtbot, judged):
    with opened_context(judged) as made:
        yield made


def visible_text(page):
    return " ".join(each.text() for each in page.findChildren(QLabel) if each.isVisible())


def tick(qtbot, box):
    """Click on the square: space to the right of the text does not react."""
    qtbot.mouseClick(box, Qt.MouseButton.LeftButton, pos=QPoint(8, box.height() // 2))


def choose(qtbot, page, number):
    """A click on the row of that candidate."""
    position = [each.id for each in page.found].index(number)
    rect = page.list.visualItemRect(page.list.item(position))
    qtbot.mouseClick(page.list.viewport(), Qt.MouseButton.LeftButton, pos=rect.center())
    view = page.view
    qtbot.waitUntil(lambda: view.details is not None and view.details.candidate_id == number)
    qtbot.waitUntil(lambda: all(each.isVisible() for each in view.findChildren(OpinionCard)))


def show_side(qtbot, page, name):
    """The list of one kind of disagreement."""
    click(qtbot, page.sides[name])
    settled(qtbot, page)


def judge(qtbot, page, context, button):
    qtbot.waitUntil(lambda: context.current.is_painted)
    click(qtbot, button)


@pytest.fixture
def page(qtbot, disputed, context, shown):
    context.current.start()
    return shown(DisagreementPage(context))
