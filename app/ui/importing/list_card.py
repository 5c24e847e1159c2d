"""One list after another: what it holds, and what its columns are taken for."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QTabBar, QVBoxLayout, QWidget

from agent.errors import WorkbenchError
from app.ui.background.long_work import LongWork
from app.ui.background.runner import Runner
from app.ui.importing.import_work import ListOrder
from app.ui.importing.list_preview import ListPreview, look_at
from app.ui.importing.preview_table import PreviewTable
from app.ui.importing.role_boxes import RoleBoxes
from app.ui.theme.theme import CurrentTheme
from app.ui.widgets.problem_line import ProblemLine

MAX_WARNINGS = 3
translate = QCoreApplication.translate


class ListCard(QFrame):
    changed = Signal()
    """Whether the lists can be imported, or which of them is seen."""

    def __init__(
        self, current_theme: CurrentTheme, runner: Runner, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._runner = runner
        self._paths: tuple[Path, ...] = ()
        self._previews: dict[Path, ListPreview] = {}
        self._chosen: dict[Path, dict[str, str]] = {}
        self._turn = 0
        self.work = LongWork(self)
        self.work.progressed.connect(self._count)
        self.setProperty("role", "card")
        self.tabs = QTabBar()
        self.tabs.setExpanding(False)
        self.tabs.setUsesScrollButtons(True)
        self.tabs.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.tabs.currentChanged.connect(self._show)
        self.name = _label("title")
        self.facts = _label("dim")
        self.problem = ProblemLine()
        self.problem.close_button.hide()
        self.notes = _label("dim")
        self.notes.setWordWrap(True)
        self.roles = RoleBoxes()
        self.roles.chosen.connect(self.choose)
        self.table = PreviewTable(current_theme)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 14, 16, 16)
        layout.setSpacing(8)
        layout.addWidget(self.tabs)
        row = QHBoxLayout()
        row.setSpacing(12)
        row.addWidget(self.name)
        row.addWidget(self.facts)
        row.addStretch(1)
        layout.addLayout(row)
        layout.addWidget(self.problem)
        layout.addWidget(self.roles)
        layout.addWidget(self.notes)
        layout.addSpacing(4)
        layout.addWidget(self.table, 1)

    @property
    def orders(self) -> tuple[ListOrder, ...]:
        return tuple(
            ListOrder(path=path, roles=dict(self._chosen.get(path, {}))) for path in self._paths
        )

    @property
    def is_ready(self) -> bool:
        """Whether all of them were looked at, and can be imported."""
        previews = [self._previews.get(path) for path in self._paths]
        return bool(previews) and all(look is not None and not look.problem for look in previews)

    @property
    def faulty(self) -> Path | None:
        """The first that cannot be imported as it stands."""
        previews = (self._previews.get(path) for path in self._paths)
        return next((look.path for look in previews if look is not None and look.problem), None)

    @property
    def look(self) -> ListPreview | None:
        """Of the list on screen; None while it is read."""
        path = self._path()
        return None if path is None else self._previews.get(path)

    def show_lists(self, paths: Sequence[Path]) -> None:
        self.work.stop()
        self._paths = tuple(dict.fromkeys(paths))
        self._previews, self._chosen = {}, {}
        self.tabs.blockSignals(True)
        while self.tabs.count():
            self.tabs.removeTab(0)
        for path in self._paths:
            self.tabs.addTab(path.name)
        self.tabs.blockSignals(False)
        self.tabs.setVisible(len(self._paths) > 1)
        self._turn += 1
        self.work.begin()
        for path in self._paths:
            self._ask(path)
        self._show(0)

    def choose(self, role: str, column: str) -> None:
        """Another column for a role of the list on screen; empty: none."""
        path = self._path()
        if path is None:
            return
        chosen = {**self._chosen.get(path, {}), role: column}
        if role in ("ra", "dec") and not column:
            chosen |= {"ra": "", "dec": ""}
        self._chosen[path] = chosen
        self._previews.pop(path, None)
        self.changed.emit()
        self._ask(path)

    def stop(self) -> None:
        """What is read for the preview is wanted no more."""
        self.work.stop()

    def _ask(self, path: Path) -> None:
        chosen = dict(self._chosen.get(path, {}))
        look = partial(look_at, path, chosen, self.work.should_stop, self.work.tell)
        taken = partial(self._take, self._turn, path, chosen)
        self._runner.run(look, taken, partial(self._lose, self._turn, path), owner=self)

    def _take(self, turn: int, path: Path, chosen: dict[str, str], look: ListPreview) -> None:
        if turn != self._turn or chosen != self._chosen.get(path, {}):
            return
        self._previews[path] = look
        if path == self._path():
            self._show(self.tabs.currentIndex())
        self.changed.emit()

    def _lose(self, turn: int, path: Path, error: WorkbenchError) -> None:
        self._take(
            turn, path, self._chosen.get(path, {}), ListPreview(path=path, problem=str(error))
        )

    def _path(self) -> Path | None:
        number = max(self.tabs.currentIndex(), 0)
        return self._paths[number] if number < len(self._paths) else None

    def _count(self, done: int, _: object) -> None:
        if self.look is None:
            text = self.tr("{count} spectra so far")
            self.facts.setText(text.replace("{count}", f"{done:,}"))

    def _show(self, _: int) -> None:
        path, look = self._path(), self.look
        if path is None:
            return
        self.name.setText(path.name)
        if look is None:
            self.facts.setText(self.tr("being read"))
            look = ListPreview(path=path)
        else:
            self.facts.setText(_facts(look))
        self.problem.say(look.problem)
        self.notes.setText("\n".join(_notes(look)))
        self.notes.setVisible(bool(self.notes.text()))
        self.roles.show_look(look, self._chosen.get(path, {}))
        self.table.show_look(look)
        self.changed.emit()


def _facts(look: ListPreview) -> str:
    kinds = {
        "folder": translate("ListCard", "folder"),
        "spectrum": translate("ListCard", "spectrum"),
    }
    known = [kinds.get(look.format, look.format)]
    if look.estimate is not None:
        about = "" if look.format in ("folder", "spectrum", "FITS", "Parquet") else "~"
        rows = translate("ListCard", "{count} rows")
        if look.estimate == 1:
            rows = translate("ListCard", "{count} row")
        known.append(rows.replace("{count}", f"{about}{look.estimate:,}"))
    if look.columns:
        columns = translate("ListCard", "{count} columns")
        if len(look.columns) == 1:
            columns = translate("ListCard", "{count} column")
        known.append(columns.replace("{count}", f"{len(look.columns):,}"))
    return " · ".join(part for part in known if part)


def _notes(look: ListPreview) -> list[str]:
    """What the reader of the list had to assume, and the first row it refused."""
    notes = list(look.warnings[:MAX_WARNINGS])
    if look.refused:
        first = look.refused[0]
        row = translate("ListCard", "row {n}: {why}").replace("{n}", f"{first.line:,}")
        notes.append(row.replace("{why}", first.reason))
    return notes


def _label(role: str) -> QLabel:
    label = QLabel()
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setProperty("role", role)
    return label
