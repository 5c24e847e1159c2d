"""A list is previewed before it is imported, even if it cannot be imported yet."""

from __future__ import annotations

import pytest

from app.core.errors import ImportStopped
from app.ui.importing.list_preview import preview_list


def test_a_list_with_its_roles_and_first_rows(sample_list):
    preview = preview_list(sample_list, {})
    assert (preview.format, preview.problem) == ("CSV", "")
    assert preview.roles.columns["path"] == "file"
    assert len(preview.rows[0]) == len(preview.columns)


def test_columns_without_roles_are_shown_all_the_same(tmp_path):
    path = tmp_path / "strange.csv"
    path.write_text("foo,bar\nstar 1,2\nstar 2,4\n")
    preview = preview_list(path, {})
    assert "no column was recognized" in preview.problem
    assert [column.name for column in preview.columns] == ["foo", "bar"]
    assert [row[0] for row in preview.rows] == ["star 1", "star 2"]
    assert preview_list(path, {"object_id": "foo"}).problem == ""


def test_what_is_no_list_has_only_a_problem(tmp_path):
    preview = preview_list(tmp_path / "gone.csv", {})
    assert preview.problem
    assert (preview.columns, preview.rows) == ((), ())


def test_a_folder_can_be_stopped(sample_list):
    with pytest.raises(ImportStopped):
        preview_list(sample_list.parent / "spectra", {}, should_stop=lambda: True)
