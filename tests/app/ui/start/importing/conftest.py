"""The import page."""

import pytest

from app.ui.start.importing.import_page import ImportPage
from tests.app.ui.steps import click, shown_in
from tests.app.ui.tools import one_spectrum, sample_list, tools

__all__ = ["one_spectrum", "sample_list", "tools"]


@pytest.fixture
def page(qtbot, tools):
    page = shown_in(qtbot, ImportPage(*tools.all, None), 1280, 720)
    yield page
    page.stop()


def show(qtbot, page, *paths, task="CV"):
    page.show_lists(list(paths))
    qtbot.waitUntil(lambda: page.task.box.count() > 0 and page.list.preview is not None)
    pick(page.task.box, next(i for i in range(page.task.box.count()) if task in id_at(page, i)))


def id_at(page, number):
    return page.task.box.itemText(number).rpartition(" · ")[2]


def pick(box, number):
    """Choose an entry of a combo box as a click does."""
    box.setCurrentIndex(number)
    box.activated.emit(number)


def pick_column(page, role, column):
    box = page.list.roles.boxes[role]
    pick(box, box.findText(column))


def run_import(qtbot, page):
    qtbot.waitUntil(page.import_button.isEnabled)
    click(qtbot, page.import_button)
    qtbot.waitUntil(lambda: page._made is not None)


def cell(page, row, column):
    return page.list.table.model().index(row, column).data()
