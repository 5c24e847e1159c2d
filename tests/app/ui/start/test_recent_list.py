"""The list of recent sessions on the welcome page."""

from __future__ import annotations

from tests.app.ui.tools import click


def test_recent_sessions_tell_how_far_one_came(qtbot, page, tools, made):
    assert page.recent.empty.isVisible()
    gone = str(made.with_name("gone.speco3"))
    tools.settings.change(recent=(str(made), gone))
    row, lost = page.recent.rows[str(made)], page.recent.rows[gone]
    qtbot.waitUntil(lambda: row.session.task != "" and not lost.session.exists)
    assert row.state_text() == "3 of 12 judged"
    assert lost.state_text() == "file not found"
    assert not page.recent.empty.isVisible()
    with qtbot.waitSignal(page.session_chosen) as signal:
        click(qtbot, row)
    assert signal.args == [made]
    with qtbot.assertNotEmitted(page.session_chosen):
        click(qtbot, lost)


def test_taking_one_off_the_list_leaves_the_file(qtbot, page, tools, made):
    tools.settings.change(recent=(str(made), "/other.speco3"))
    click(qtbot, page.recent.rows[str(made)].remove_button)
    assert tools.settings.settings.recent == ("/other.speco3",)
    assert list(page.recent.rows) == ["/other.speco3"]
    assert made.exists()


def test_coming_back_looks_again(qtbot, page, tools, made):
    tools.settings.change(recent=(str(made),))
    qtbot.waitUntil(lambda: page.recent.rows[str(made)].session.done == 3)
    made.unlink()
    page.show_problem("something old")
    page.refresh()
    qtbot.waitUntil(lambda: not page.recent.rows[str(made)].session.exists)
    assert not page.problem.isVisible()
