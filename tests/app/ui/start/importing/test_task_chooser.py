"""The class is chosen from the bundled tasks or from a task file."""

import re
from dataclasses import replace

from agent.tasks.catalogue import find_task, task_source
from app.core.session.session import open_session
from app.ui.base.theme.theme import LIGHT
from app.ui.start.importing import task_chooser
from app.ui.start.importing.task_chooser import guideline_html, task_from_name
from tests.app.ui.start.importing.conftest import run_import, show
from tests.app.ui.steps import click


def test_nothing_is_chosen_for_the_user_but_what_the_name_tells(qtbot, page, sample_list):
    page.show_lists([sample_list])
    qtbot.waitUntil(lambda: page.task.box.count() > 0 and page.list.is_ready)
    assert page.task.task is None and not page.import_button.isEnabled()
    assert page.hint.text() == "Choose the class to look for"
    named = sample_list.with_name("lamost_wd-2.csv")
    named.write_text(sample_list.read_text())
    page.show_lists([named])
    qtbot.waitUntil(lambda: page.task.task is not None)
    assert page.task.task.id == "WD"


def test_what_a_name_tells_and_a_guideline_is_no_markup():
    told = {"cv_list.csv": "CV", "cs-or-cv.csv": "", "scv.csv": "", "b.csv": "", "MG.fits": "MG"}
    assert {name: task_from_name(name, ["CV", "CS", "MG", "B"]) for name in told} == told
    strange = replace(find_task("CV"), question="<img src='http://x/y.png'> & <b>")
    html = guideline_html(strange, LIGHT)
    assert "<img" not in html and "&lt;img" in html


def test_a_task_file_of_the_users_own(qtbot, page, sample_list, tmp_path, monkeypatch):
    source = task_source(find_task("CV")).replace('"CV"', '"DN"', 1)
    own = tmp_path / "dn.toml"
    source = re.sub("^name = .*cataclysmic.*$", 'name = "dwarf nova"', source, flags=re.MULTILINE)
    own.write_text(source)
    monkeypatch.setattr(task_chooser, "choose_task_file", lambda parent: own)
    show(qtbot, page, sample_list)
    click(qtbot, page.task.file_button)
    qtbot.waitUntil(lambda: page.task.task is not None and page.task.task.id == "DN")
    run_import(qtbot, page)
    with open_session(sample_list.with_suffix(".speco3"), "Ada") as session:
        assert session.task.name == "dwarf nova"


def test_a_faulty_task_file_says_so_and_changes_nothing(
    qtbot, page, sample_list, tmp_path, monkeypatch
):
    own = tmp_path / "bad.toml"
    own.write_text("id = 7\n")
    monkeypatch.setattr(task_chooser, "choose_task_file", lambda parent: own)
    show(qtbot, page, sample_list)
    click(qtbot, page.task.file_button)
    qtbot.waitUntil(page.task.problem.isVisible)
    assert "bad.toml" in page.task.problem.text and page.task.task.id == "CV"
