"""Which line sets are drawn, and line lists of the user."""

from __future__ import annotations

from tests.app.ui.controls.conftest import tick
from tests.app.ui.steps import click


def test_lines_of_the_task_and_others_are_switched(qtbot, panel, context):
    lines = panel.lines
    own = frozenset(context.current.session.task.lines)
    assert lines.chosen == own and not lines.task_sets.isEnabled()
    tick(qtbot, lines.boxes["metals"])
    assert context.view.options.line_sets == own | {"metals"}
    tick(qtbot, lines.boxes["metals"])
    assert context.view.options.line_sets is None
    tick(qtbot, lines.boxes["helium"])
    click(qtbot, lines.task_sets)
    assert context.view.options.line_sets is None and lines.boxes["helium"].isChecked()
    tick(qtbot, panel.lines.labels)
    assert not context.view.options.labels
    tick(qtbot, panel.lines.lines)
    assert not context.view.options.lines and not panel.lines.boxes["helium"].isEnabled()
    assert panel.row.buttons["lines"].text() == "Lines 0 ▾"


LIST = """
name = "mine"
title = "My lines"
[[lines]]
id = "mine_1"
label = "mine"
wavelength = 6000.0
"""


def test_a_faulty_list_is_told_and_a_list_of_the_users_drawn(qtbot, panel, context, tmp_path):
    path = tmp_path / "bad.toml"
    path.write_text("name = 3", encoding="utf-8")
    with qtbot.waitSignal(context.current.failed) as signal:
        panel.lines.add_list(str(path))
    assert "bad.toml" in signal.args[0] and context.settings.settings.line_lists == ()
    assert "helium" in panel.lines.boxes
    path = tmp_path / "mine.toml"
    path.write_text(LIST, encoding="utf-8")
    panel.lines.add_list(str(path))
    qtbot.waitUntil(lambda: "mine" in panel.lines.boxes)
    assert context.settings.settings.line_lists == (str(path),)
    assert "mine" in context.view.options.line_sets
    assert panel.lines.boxes["mine"].text() == "My lines"
