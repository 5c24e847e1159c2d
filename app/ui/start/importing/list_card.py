"""Previews of the lists to import, with the role of each column."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QCheckBox, QFrame, QTabBar, QWidget

from agent.checked_toml import printable
from agent.errors import WorkbenchError
from app.core.importing.outside_paths import OutsidePaths
from app.ui.base.background.runner import LongWork, Runner
from app.ui.base.theme.theme import CurrentTheme
from app.ui.base.translation.message_texts import translate_message
from app.ui.start.importing.import_work import ListOrder, ListPreview, preview_list
from app.ui.start.importing.preview_table import PreviewTable, RoleBoxes
from app.ui.widgets.labels import (
    Space,
    column,
    escape_mnemonics,
    flow,
    narrow,
    short_label,
    show_or_hide,
    wrapped_label,
)
from app.ui.widgets.page_parts import ProblemLine

MAX_WARNINGS = 3
translate = QCoreApplication.translate

MAX_LENGTH = 200
MAX_IN_BOX = 48
"""Characters of a folder that fit into the check box; a longer one stands above it in full."""


class ListCard(QFrame):
    changed = Signal()  # whether the lists can be imported, or the selected list, has changed

    def __init__(self, current_theme: CurrentTheme, runner: Runner, parent: QWidget) -> None:
        super().__init__(parent)
        self._runner = runner
        self._paths: tuple[Path, ...] = ()
        self._previews: dict[Path, ListPreview] = {}
        self._chosen: dict[Path, dict[str, str]] = {}
        self._allowed: set[str] = set()
        self._generation = 0
        self.work = LongWork(self)
        self.work.progressed.connect(self._show_count)
        self.setProperty("role", "card")
        self.tabs = QTabBar(expanding=False, usesScrollButtons=True)
        self.tabs.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.tabs.currentChanged.connect(self._show)
        self.name = narrow(short_label("", "title"))
        self.facts, self.shown = narrow(short_label("", "dim")), narrow(short_label("", "dim"))
        self.problem = ProblemLine()
        self.problem.close_button.hide()
        self.notes = narrow(short_label("", "dim"))
        self.notes.setWordWrap(True)
        self.outside = OutsideBox()
        self.outside.chosen.connect(self.allow)
        self.roles = RoleBoxes(self)
        self.roles.chosen.connect(self.choose)
        self.table = PreviewTable(current_theme, self)
        top = flow(self.name, self.facts, self.shown, spacing=12)
        middle = self.problem, self.outside, self.roles, self.notes, Space(4)
        column(self.tabs, top, *middle, (self.table, 1), margins=(16, 14, 16, 16), parent=self)

    @property
    def orders(self) -> tuple[ListOrder, ...]:
        return tuple(map(self._order, self._paths))

    def _order(self, path: Path) -> ListOrder:
        allowed = tuple(each for each in self._outside(path).folders if each in self._allowed)
        return ListOrder(path=path, roles=dict(self._chosen.get(path, {})), allowed=allowed)

    @property
    def is_ready(self) -> bool:
        """Whether all lists have been read and can be imported."""
        previews = [self._previews.get(path) for path in self._paths]
        return bool(previews) and all(each is not None and not each.problem for each in previews)

    @property
    def faulty(self) -> Path | None:
        previews = (self._previews.get(path) for path in self._paths)
        faulty = (each.path for each in previews if each is not None and each.problem)
        return next(faulty, None)

    @property
    def preview(self) -> ListPreview | None:
        """Preview of the selected list; None while it is being read."""
        path = self._selected_path()
        return None if path is None else self._previews.get(path)

    def show_lists(self, paths: Sequence[Path], roles: Mapping[Path, Mapping[str, str]]) -> None:
        """Read these lists; `roles` are columns chosen before, by list and role."""
        self.work.stop()
        self._paths = tuple(dict.fromkeys(paths))
        self._previews, self._allowed = {}, set()
        self._chosen = {path: dict(each) for path, each in roles.items() if each}
        with QSignalBlocker(self.tabs):
            while self.tabs.count():
                self.tabs.removeTab(0)
            for path in self._paths:
                self.tabs.addTab(path.name)
        self.tabs.setVisible(len(self._paths) > 1)
        self._generation += 1
        self.work.begin()
        for path in self._paths:
            self._read(path)
        self._show(0)

    def choose(self, role: str, column: str) -> None:
        """Choose a column for a role of the selected list; "" means none."""
        path = self._selected_path()
        if path is None:
            return
        chosen = {**self._chosen.get(path, {}), role: column}
        if role in ("ra", "dec") and not column:
            chosen |= {"ra": "", "dec": ""}
        self._chosen[path] = chosen
        self._previews.pop(path, None)
        self.changed.emit()
        self._read(path)

    def allow(self, is_allowed: bool) -> None:
        """Answer whether the folders outside that of the selected list may be read."""
        path = self._selected_path()
        folders = () if path is None else self._outside(path).folders
        if is_allowed:
            self._allowed.update(folders)
        else:
            self._allowed.difference_update(folders)
        self.changed.emit()

    def _read(self, path: Path) -> None:
        chosen = dict(self._chosen.get(path, {}))
        read = partial(preview_list, path, chosen, self.work.should_stop, self.work.report)
        done = partial(self._keep, self._generation, path, chosen)
        self._runner.run(read, done, partial(self._fail, self._generation, path), owner=self)

    def _keep(
        self, generation: int, path: Path, chosen: dict[str, str], preview: ListPreview
    ) -> None:
        if generation != self._generation or chosen != self._chosen.get(path, {}):
            return
        self._previews[path] = preview
        if preview.is_allowed:
            self._allowed.update(preview.outside.folders)
        if path == self._selected_path():
            self._show(self.tabs.currentIndex())
        self.changed.emit()

    def _fail(self, generation: int, path: Path, error: WorkbenchError) -> None:
        preview = ListPreview(path=path, problem=str(error))
        self._keep(generation, path, self._chosen.get(path, {}), preview)

    def _outside(self, path: Path) -> OutsidePaths:
        preview = self._previews.get(path)
        return OutsidePaths() if preview is None else preview.outside

    def _selected_path(self) -> Path | None:
        number = max(self.tabs.currentIndex(), 0)
        return self._paths[number] if number < len(self._paths) else None

    def _show_count(self, done: int, _: object) -> None:
        if self.preview is None:
            one, many = self.tr("{count} spectrum so far"), self.tr("{count} spectra so far")
            self.facts.setText((one if done == 1 else many).replace("{count}", f"{done:,}"))

    def _show(self, _: int) -> None:
        path, preview = self._selected_path(), self.preview
        if path is None:
            return
        self.name.setText(path.name)
        if preview is None:
            self.facts.setText(self.tr("reading …"))
            preview = ListPreview(path=path)
        else:
            self.facts.setText(_facts(preview))
        show_or_hide(self.shown, _shown(preview))
        self.problem.show_problem(translate_message(preview.problem))
        show_or_hide(self.notes, "\n".join(_notes(preview)))
        self.outside.show_outside(preview.outside, {*preview.outside.folders} <= self._allowed)
        self.roles.show_preview(preview, self._chosen.get(path, {}))
        self.table.show_preview(preview)
        self.changed.emit()


def _facts(preview: ListPreview) -> str:
    kinds = {
        "folder": translate("ListCard", "folder"),
        "spectrum": translate("ListCard", "spectrum"),
        "text table": translate("ListCard", "text table"),
    }
    known = [kinds.get(preview.format, preview.format)]
    if preview.estimate is not None:
        count = max(preview.estimate - len(preview.refused), 0)
        is_exact = preview.is_exact or preview.format in ("FITS", "Parquet")
        about = "" if is_exact else "~"
        one, many = translate("ListCard", "{count} row"), translate("ListCard", "{count} rows")
        text = one if count == 1 else many
        known.append(text.replace("{count}", f"{about}{count:,}"))
    if refused := len(preview.refused):
        text = translate("ListCard", "{count} more cannot be used")
        known.append(text.replace("{count}", f"{refused:,}"))
    if count := len(preview.columns):
        one = translate("ListCard", "{count} column")
        text = one if count == 1 else translate("ListCard", "{count} columns")
        known.append(text.replace("{count}", f"{count:,}"))
    return " · ".join(part for part in known if part)


def _shown(preview: ListPreview) -> str:
    """How many rows are shown, where there are more."""
    shown = len(preview.rows)
    if preview.estimate is None or not 0 < shown < preview.estimate:
        return ""
    return translate("ListCard", "the first {count} shown").replace("{count}", f"{shown:,}")


def _notes(preview: ListPreview) -> list[str]:
    """Assumptions made by the reader of the list, and the first refused row."""
    notes = list(map(translate_message, preview.warnings[:MAX_WARNINGS]))
    if preview.refused:
        first = preview.refused[0]
        row = translate("ListCard", "row {n}: {why}").replace("{n}", f"{first.line:,}")
        notes.append(row.replace("{why}", translate_message(first.reason)))
    return notes


class OutsideBox(QWidget):
    """Hidden where a list names no such folder. Nothing is read from them before the yes."""

    chosen = Signal(bool)

    def __init__(self) -> None:
        super().__init__()
        self.about = narrow(wrapped_label("", "warning"))
        self.box = QCheckBox()
        self.box.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.box.clicked.connect(self.chosen)
        column(self.about, self.box, spacing=4, parent=self)
        self.hide()

    def show_outside(self, outside: OutsidePaths, is_allowed: bool) -> None:
        self.setVisible(bool(outside.folders))
        folders = [printable(each, MAX_LENGTH) for each in outside.folders]
        is_short = len(folders) == 1 and len(folders[0]) <= MAX_IN_BOX
        about = self.tr(
            "This list names spectra outside its own folder by absolute paths or links:"
        )
        if is_short:
            about = self.tr(
                "This list names spectra outside its own folder by absolute paths or links."
            )
        self.about.setText("\n".join([about, *([] if is_short else folders)]))
        text = self.tr("Allow {folder} ({rows})") if is_short else self.tr("Allow these ({rows})")
        one, many = self.tr("{count} row"), self.tr("{count} rows")
        if not outside.is_complete:
            one, many = self.tr("at least {count} row"), self.tr("at least {count} rows")
        rows = (one if outside.rows == 1 else many).replace("{count}", f"{outside.rows:,}")
        text = text.replace("{rows}", rows)
        # In a check box, & marks the letter that presses it.
        text = text.replace("{folder}", escape_mnemonics(folders[0])) if is_short else text
        self.box.setText(text)
        self.box.setAccessibleName(self.box.text())
        self.box.setChecked(is_allowed)
