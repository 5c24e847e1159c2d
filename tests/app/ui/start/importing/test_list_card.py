"""A list whose spectra lie elsewhere: asked once, in its preview."""

import shutil
import sys

import pytest
from PySide6.QtCore import Qt

from app.core.importing.outside_paths import OutsidePaths
from app.core.session.session import open_session
from app.core.session.spectra_folders import outside_folders
from app.ui.start.importing.list_card import OutsideBox
from tests.app.ui.start.importing.conftest import run_import, show
from tests.app.ui.steps import click


@pytest.fixture
def elsewhere(tmp_path, sample_list, monkeypatch):
    """A list with absolute paths, and another place for its spectra."""
    monkeypatch.setenv("SPEC_O3_CONFIG", str(tmp_path / "settings" / "settings.toml"))
    place = tmp_path / "labelled"
    shutil.move(sample_list.parent / "spectra", place)
    text = sample_list.read_text().replace("spectra/", f"{place}/")
    sample_list.write_text(text)
    return sample_list, place


def press(qtbot, box):
    box.setFocus()
    qtbot.keyClick(box, Qt.Key.Key_Space)


def test_asked_once_then_all_rows_come_in(qtbot, page, elsewhere):
    listed, place = elsewhere
    show(qtbot, page, listed)
    box = page.list.outside.box
    assert box.isVisible() and "(60 rows)" in box.text()
    assert str(place) in box.text() + page.list.outside.about.text() and not box.isChecked()
    press(qtbot, box)
    run_import(qtbot, page)
    assert page.report.values["rows_used"].text() == "60"
    assert page.report.values["missing_files"].text() == "0"
    path = listed.with_suffix(".speco3")
    with open_session(path, "Ada") as session:
        assert outside_folders(session) == ()
    page.show_lists([listed])  # the answer is remembered
    qtbot.waitUntil(lambda: page.list.preview is not None)
    assert page.list.outside.box.isChecked()


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_links_to_outside_are_asked_about_too_and_the_headline_counts_what_can_be_used(
    qtbot, page, elsewhere
):
    listed, place = elsewhere
    (listed.parent / "spectra").symlink_to(place)
    text = listed.read_text().replace(f"{place}/", "spectra/")
    listed.write_text(f"{text}only,two,cells\n")
    show(qtbot, page, listed)
    assert page.list.facts.text().startswith("CSV · 60 rows · 1 more cannot be used")
    press(qtbot, page.list.outside.box)
    run_import(qtbot, page)
    assert page.report.values["rows_used"].text() == "60"


def test_without_the_yes_nothing_is_left_and_a_yes_taken_back_is_none(qtbot, page, elsewhere):
    show(qtbot, page, elsewhere[0])
    box = page.list.outside.box
    press(qtbot, box)
    assert page.list.orders[0].allowed
    press(qtbot, box)
    assert page.list.orders[0].allowed == ()
    listed, place = elsewhere
    show(qtbot, page, listed)
    qtbot.waitUntil(page.import_button.isEnabled)
    click(qtbot, page.import_button)
    qtbot.waitUntil(page.problem.isVisible)
    assert "60 rows name spectra outside the folder of the list" in page.problem.text
    assert str(place) in page.problem.text and not list(listed.parent.glob("*speco3*"))
    assert not list(listed.parent.glob(".*speco3*"))


def test_back_from_a_report_with_refused_folders_leaves_no_orphan(qtbot, page, elsewhere):
    listed, _ = elsewhere
    with listed.open("a") as file:
        head = listed.read_text().splitlines()[0].split(",")
        file.write(",".join("lonely" if name == "object_id" else "" for name in head) + "\n")
    show(qtbot, page, listed)
    run_import(qtbot, page)
    assert "60 rows name spectra in folders you have not allowed" in page.report.notes.text()
    assert page.report.title.text() == "1 candidate is ready"
    click(qtbot, page.back_button)
    assert page.session.path == listed.with_suffix(".speco3")
    assert not list(listed.parent.glob("*speco3*"))
    press(qtbot, page.list.outside.box)
    run_import(qtbot, page)
    assert page.report.values["rows_used"].text() == "61"


def test_a_list_beside_its_spectra_is_not_asked_about(qtbot, page, sample_list):
    show(qtbot, page, sample_list)
    assert not page.list.outside.isVisible()


def test_words(qtbot):
    for folders, rows, text in [
        (("/data/a",), 1, "Allow /data/a (1 row)"),
        (("s3://bucket/prefix",), 60, "Allow s3://bucket/prefix (60 rows)"),
        (("/data/a&b",), 2, "Allow /data/a&&b (2 rows)"),
        (("/a", "/b"), 1234, "Allow these (1,234 rows)"),
        (("/" + "x" * 99,), 2, "Allow these (2 rows)"),
        (("/data/a",), 7, "Allow /data/a (at least 7 rows)"),
    ]:
        box = OutsideBox()
        qtbot.addWidget(box)
        is_complete = "at least" not in text
        box.show_outside(OutsidePaths(folders=folders, rows=rows, is_complete=is_complete), False)
        assert box.box.text() == text
        said = box.box.text().replace("&&", "&") + box.about.text()
        assert all(each in said for each in folders)
