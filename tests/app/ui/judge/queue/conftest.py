"""A queue panel on the screen, and what it shows."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QAbstractItemModelTester
from sqlalchemy import func, insert, select

from agent.tasks.catalogue import find_task
from app.core.database.tables import candidates, lists
from app.core.session.records import Change
from app.core.session.session import new_session
from app.ui.judge.queue.queue_model import OBJECT
from app.ui.judge.queue.queue_panel import QueuePanel
from app.ui.widgets.candidate_table import CELL
from tests.app.ui.steps import show_painted, shown_in

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def panel(qtbot, context):
    show_painted(qtbot, context)
    made = shown_in(qtbot, QueuePanel(context), 320, 500)
    QAbstractItemModelTester(made.model, made)
    ready(qtbot, made)
    return made


def ready(qtbot, panel):
    """Wait until the queue is counted and the visible rows are loaded."""
    qtbot.waitUntil(lambda: not panel.loader.is_counting)
    qtbot.waitUntil(lambda: "…" not in [row[OBJECT] for row in on_screen(panel)])


def on_screen(panel):
    model, table = panel.model, panel.table
    first = max(table.rowAt(0), 0)
    last = table.rowAt(table.viewport().height() - 1)
    last = model.rowCount() - 1 if last < 0 else last
    return [
        [model.index(row, column).data() or "" for column in range(9)]
        for row in range(first, last + 1)
    ]


def names(panel):
    return [row[OBJECT] for row in on_screen(panel)]


def current_rows(panel):
    model = panel.model
    return [row for row in range(model.rowCount()) if model.index(row, 0).data(CELL).is_current]


def objects(session, numbers):
    return [session.candidate(number).object_id for number in numbers]


@pytest.fixture
def wide(qtbot, context):
    """Filled, with room for more columns than the usual ones."""
    made = shown_in(qtbot, QueuePanel(context), 700, 500)
    context.current.start()
    ready(qtbot, made)
    qtbot.waitUntil(lambda: bool(made.store.own))
    return made


def title_at(panel, column):
    header = panel.table.horizontalHeader()
    return QPoint(header.sectionViewportPosition(column) + header.sectionSize(column) // 2, 8)


def click_title(qtbot, panel, column):
    viewport = panel.table.horizontalHeader().viewport()
    qtbot.mouseClick(viewport, LEFT, pos=title_at(panel, column))


def click(qtbot, panel, row, column=OBJECT):
    position = panel.table.visualRect(panel.model.index(row, column)).center()
    qtbot.mouseClick(panel.table.viewport(), LEFT, pos=position)


def fill(session, count):
    """Add candidates without spectra, as an import would."""
    with session.database.writing() as connection:
        values = {"name": "l", "path": "/l", "sha256": "", "format": "csv", "rows_read": 0}
        more = {"rows_used": 0, "roles": "{}", "columns": "[]", "imported_at": ""}
        there = connection.execute(select(func.count()).select_from(lists)).scalar_one()
        connection.execute(insert(lists).values(values | more | {"id": there + 1}))
        blank = {"list_id": there + 1, "path": "", "row": 0, "label": "", "own": "{}"}
        rows = [
            {"line": n, "object_id": f"J{n:06d}", "snr": float(n % 97), **blank}
            for n in range(1, count + 1)
        ]
        connection.execute(insert(candidates), rows)
    session.changed.emit(Change(aspect="list"))


@pytest.fixture
def long_session(tmp_path):
    with new_session(tmp_path / "long", find_task("CV"), "Ada") as session:
        fill(session, 30_000)
        yield session


def type_filter(qtbot, panel, context, text):
    context.commands.run("filter")
    qtbot.waitUntil(panel.filters.edit.hasFocus)
    panel.filters.edit.clear()
    qtbot.keyClicks(panel.filters.edit, text)
    qtbot.keyClick(panel.filters.edit, Qt.Key.Key_Return)
