"""The user assigns columns to roles."""

from __future__ import annotations

import pytest

from app.core.session.session import open_session
from tests.app.ui.importing.page_user import pick_column, run_import, show


def test_a_wrong_guess_is_put_right(qtbot, page, sample_list):
    show(qtbot, page, sample_list)
    pick_column(page, "score", "mag_g")
    pick_column(page, "label", "none")
    qtbot.waitUntil(lambda: page.list.is_ready and page.list.preview.roles.number("label") is None)
    assert page.list.preview.roles.columns["score"] == "mag_g"
    run_import(qtbot, page)
    with open_session(sample_list.with_suffix(".speco3"), "Ada") as session:
        assert session.candidate(1).score == pytest.approx(session.candidate(1).score)
        assert session.candidate(1).score is not None
        assert session.candidate(1).label == ""


def test_half_a_position_is_none(qtbot, page, sample_list):
    show(qtbot, page, sample_list)
    pick_column(page, "ra", "none")
    qtbot.waitUntil(lambda: page.list.is_ready)
    assert page.list.roles.boxes["dec"].currentText() == "none"


def test_columns_that_nobody_knows_are_named_by_the_user(qtbot, page, tmp_path):
    strange = tmp_path / "strange.csv"
    strange.write_text("foo,bar\nstar 1,2\nstar 2,4\n")
    show(qtbot, page, strange)
    assert "no column was recognized" in page.list.problem.text
    assert "strange.csv" in page.hint.text()
    assert not page.import_button.isEnabled()
    pick_column(page, "object_id", "foo")
    qtbot.waitUntil(lambda: page.list.is_ready)
    assert not page.list.problem.isVisible()
    run_import(qtbot, page)
    assert page.report.values["without_file"].text() == "2"
