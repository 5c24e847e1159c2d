"""Commands judge as the buttons do."""

from __future__ import annotations

import pytest

from tests.app.ui.steps import show_painted


@pytest.mark.parametrize(
    "name, verdict, stays",
    [
        ("accept", "ACCEPT", False),
        ("reject", "REJECT", False),
        ("unsure", "UNSURE", False),
        ("accept_stay", "ACCEPT", True),
        ("reject_stay", "REJECT", True),
        ("unsure_stay", "UNSURE", True),
    ],
)
def test_every_verdict_has_an_action(qtbot, bar, context, session, name, verdict, stays):
    show_painted(qtbot, context)
    context.commands.run(name)
    assert session.judgement(1).opinion.verdict == verdict
    assert context.current.candidate.id == (1 if stays else 2)
