"""Which line sets are drawn, and line lists of the user."""

from __future__ import annotations

from tests.app.ui.controls.steps import click, tick


def test_the_task_has_its_lines_and_others_can_be_drawn(qtbot, panel, context):
    lines = panel.lines
    own = frozenset(context.current.session.task.lines)
    assert lines.chosen == own
    assert not lines.task_sets.isEnabled()
    tick(qtbot, lines.boxes["metals"])
    assert context.view.options.line_sets == own | {"metals"}
    tick(qtbot, lines.boxes["metals"])
    assert context.view.options.line_sets is None
    tick(qtbot, lines.boxes["helium"])
    click(qtbot, lines.task_sets)
    assert context.view.options.line_sets is None
    assert lines.boxes["helium"].isChecked()


def test_lines_and_names_have_a_switch(qtbot, panel, context):
    tick(qtbot, panel.lines.labels)
    assert not context.view.options.labels
    tick(qtbot, panel.lines.lines)
    assert not context.view.options.lines
    assert not panel.lines.boxes["helium"].isEnabled()
    assert panel.row.buttons["lines"].text() == "Lines 0 ▾"


LIST = """
name = "mine"
title = "My lines"
[[lines]]
id = "mine_1"
label = "mine"
wavelength = 6000.0
"""


def test_a_list_of_the_users_is_read_kept_and_drawn(qtbot, panel, context, tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(LIST, encoding="utf-8")
    panel.lines.add_list(str(path))
    qtbot.waitUntil(lambda: "mine" in panel.lines.boxes)
    assert context.settings.settings.line_lists == (str(path),)
    assert "mine" in context.view.options.line_sets
    assert panel.lines.boxes["mine"].text() == "My lines"


def test_a_faulty_list_is_told_and_not_kept(qtbot, panel, context, tmp_path):
    path = tmp_path / "bad.toml"
    path.write_text("name = 3", encoding="utf-8")
    with qtbot.waitSignal(context.current.failed) as signal:
        panel.lines.add_list(str(path))
    assert "bad.toml" in signal.args[0]
    assert context.settings.settings.line_lists == ()
    assert "helium" in panel.lines.boxes
