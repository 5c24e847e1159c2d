"""The list of what the agent gets wrong: low ratings on top, and a click goes to the object."""

from PySide6.QtCore import Qt

from app.core.inspections.ratings import rate
from app.core.inspections.store import add_inspection
from app.core.session.records import Opinion, Verdict
from app.ui.review.agent_faults_page import AgentFaultsPage
from tests.app.ui.judge.agent.trajectories import record


def inspected(session, number):
    one = record(replies=(str(number),))
    add_inspection(session, number, one)
    return one


def cells(page):
    table = page.table
    return [
        [table.item(row, column).text() for column in range(table.columnCount())]
        for row in range(table.rowCount())
    ]


def test_with_nothing_wrong_it_says_so(qtbot, context, shown):
    page = shown(AgentFaultsPage(context))
    assert page.empty.isVisible() and not page.table.isVisible()


def test_low_ratings_come_first_and_a_click_goes_to_the_object(qtbot, context, session, shown):
    ones = {number: inspected(session, number) for number in (1, 2, 3)}
    page = shown(AgentFaultsPage(context))
    rate(session, 1, ones[1], 2)
    qtbot.waitUntil(lambda: page.table.rowCount() == 1)
    session.record_verdict(3, Opinion(verdict=Verdict.REJECT))
    rate(session, 2, ones[2], 0)
    qtbot.waitUntil(lambda: page.table.rowCount() == 3)
    found = cells(page)
    assert [row[1:5] for row in found] == [
        ["0", "YES", "–", "Ada"],
        ["2", "YES", "–", "Ada"],
        ["–", "YES", "rejected", "Ada"],
    ]
    assert page.count.text() == "Total: 3"


def test_a_click_goes_to_the_object(qtbot, context, session, shown):
    opened = []
    context.commands.add("judging_page", lambda: opened.append(True))
    rate(session, 5, inspected(session, 5), 1)
    page = shown(AgentFaultsPage(context))
    place = page.table.visualItemRect(page.table.item(0, 0)).center()
    qtbot.mouseClick(page.table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert context.current.candidate.id == 5 and opened == [True]


def test_blind_mode_lists_only_ones_own(qtbot, context, session, shown):
    one = inspected(session, 1)
    rate(session, 1, one, 1)
    name, session.reviewer = session.reviewer, "Grace"
    rate(session, 2, inspected(session, 2), 0)
    session.reviewer = name
    context.current.blind_mode.set_on(True)
    page = shown(AgentFaultsPage(context))
    assert [row[4] for row in cells(page)] == ["Ada"]
