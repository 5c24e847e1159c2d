"""Everything that can be taken out of a session, beside the judging: nothing waits for it."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QUrl
from PySide6.QtGui import QDesktopServices, QShowEvent
from PySide6.QtWidgets import (
    QDialog,
    QFrame,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QProgressBar,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from agent.errors import WorkbenchError
from app.core.exporting.export import FORMATS
from app.core.progress import StoppedError
from app.ui.background.long_work import LongWork
from app.ui.export.export_catalogue import CataloguePanel
from app.ui.export.export_work import ExportKind, ExportOrder, Written, suffixes_of, write
from app.ui.importing.session_place import free_place
from app.ui.session_context import SessionContext
from app.ui.widgets.file_dialogs import choose_new_file
from app.ui.widgets.file_field import FileField
from app.ui.widgets.problem_line import ProblemLine
from app.ui.widgets.typed_paths import is_folder, is_there

SHOWN_NOTES = 3


def page_words(kind: ExportKind) -> str:
    return {
        ExportKind.CATALOGUE: QCoreApplication.translate("export", "Catalogue"),
        ExportKind.REPORT: QCoreApplication.translate("export", "Report"),
        ExportKind.RECORDS: QCoreApplication.translate("export", "Agents' records"),
        ExportKind.PACKED: QCoreApplication.translate("export", "For a colleague"),
    }[kind]


def about_pages(kind: ExportKind) -> str:
    return {
        ExportKind.CATALOGUE: "",
        ExportKind.REPORT: QCoreApplication.translate(
            "export",
            "One page for a browser: what was decided, how far people and agents agree, how well "
            "the agent's probabilities hold, and pictures of the evidence. It needs no other file "
            "and runs nothing. Print it from the browser for a PDF.",
        ),
        ExportKind.RECORDS: QCoreApplication.translate(
            "export",
            "Every inspection of every agent, step by step, as JSON lines: one line each, with "
            "what it looked at, what it said, and what was measured there. This is what models "
            "are trained and compared on.",
        ),
        ExportKind.PACKED: QCoreApplication.translate(
            "export",
            "A copy of this session with all verdicts and the spectra inside, in one file. A "
            "colleague opens it without your disks, judges, and sends it back to be merged.",
        ),
    }[kind]


def written_words(written: Written) -> str:
    """One line, and a few notes behind it."""
    text = {
        ExportKind.CATALOGUE: QCoreApplication.translate("export", "Written: {count} rows, {name}"),
        ExportKind.REPORT: QCoreApplication.translate("export", "Written: {name}"),
        ExportKind.RECORDS: QCoreApplication.translate(
            "export", "Written: {count} records, {name}"
        ),
        ExportKind.PACKED: QCoreApplication.translate(
            "export", "Written: {count} spectra in {name}"
        ),
    }[written.kind]
    text = text.replace("{count}", f"{written.rows:,}").replace("{name}", written.path.name)
    notes = "; ".join(written.notes[:SHOWN_NOTES])
    if written.kind is ExportKind.PACKED and written.notes:
        left_out = QCoreApplication.translate("export", "left out: {count}, the first {notes}")
        notes = left_out.replace("{count}", f"{len(written.notes):,}").replace("{notes}", notes)
    return f"{text} ({notes})" if notes else text


KINDS = tuple(ExportKind)
LEFT_WIDTH = 176


class ExportDialog(QDialog):
    """Answers to the actions `export`, `report` and `pack`. Made at once, filled when shown."""

    def __init__(self, context: SessionContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._place = context
        self._paths: dict[ExportKind, Path] = {}
        self._written: Written | None = None
        self.is_writing = False
        self.work = LongWork(self)
        self.work.progressed.connect(self._show_progress)
        self.setWindowTitle(self.tr("Export"))
        self.setModal(False)
        self.resize(920, 600)
        self.kinds = QListWidget()
        self.kinds.setProperty("role", "pages")
        self.kinds.setFixedWidth(LEFT_WIDTH)
        self.kinds.setAccessibleName(self.tr("What to write"))
        for kind in KINDS:
            self.kinds.addItem(page_words(kind))
        self.catalogue = CataloguePanel(context)
        self.catalogue.changed.connect(self._follow_format)
        self.pages = QStackedWidget()
        self.pages.addWidget(self.catalogue)
        for kind in KINDS[1:]:
            self.pages.addWidget(_about(about_pages(kind)))
        self.file = FileField(self.tr("File"), self._ask_for_file)
        self.file.changed.connect(self._check)
        self.problem = ProblemLine()
        self.blind = QLabel(self.tr("Blind mode is on: files hold the agent's opinions, too"))
        self.blind.setProperty("role", "warning")
        self._lay_out()
        self.kinds.currentRowChanged.connect(self._show_page)
        context.commands.add("export", self.show_catalogue)
        context.commands.add("report", self.show_report)
        context.commands.add("pack", self.show_packing)

    @property
    def kind(self) -> ExportKind:
        return KINDS[max(self.kinds.currentRow(), 0)]

    def show_catalogue(self) -> None:
        self._open(ExportKind.CATALOGUE)

    def show_report(self) -> None:
        self._open(ExportKind.REPORT)

    def show_packing(self) -> None:
        self._open(ExportKind.PACKED)

    def write(self) -> None:
        path = self._target()
        if path is None or self.is_writing or self._refusal(path):
            return
        order = ExportOrder(
            kind=self.kind,
            out=path,
            queue=self._place.current.queue,
            asked=self.catalogue.asked,
        )
        self.problem.clear()
        self._written = None
        self.work.begin()
        self._show_writing(True)
        session = self._place.current.session
        make = partial(write, session, order, self.work.tell, self.work.should_stop)
        self._place.runner.run(make, self._finish, self._fail, owner=self)

    def stop(self) -> None:
        """What is written is wanted no more; nothing of it stays."""
        self.work.stop()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.kinds.doItemsLayout()  # before it was shown the style had no say in their height
        self.blind.setVisible(self._place.current.blind_mode.is_on)
        if self.kind is ExportKind.CATALOGUE:
            self.catalogue.refresh()

    def _lay_out(self) -> None:
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setFixedWidth(160)
        self.outcome = QLabel()
        self.outcome.setWordWrap(True)
        self.open_button = _button(self.tr("Open"), "quiet", self._open_written)
        self.folder_button = _button(self.tr("Open the folder"), "quiet", self._open_folder)
        self.cancel_button = _button(self.tr("Cancel"), "", self.stop)
        self.close_button = _button(self.tr("Close"), "", self.hide)
        self.write_button = _button(self.tr("Write"), "primary", self.write)
        self.write_button.setDefault(True)
        bottom = QHBoxLayout()
        bottom.setSpacing(8)
        bottom.addWidget(self.bar)
        bottom.addWidget(self.outcome, 1)
        for button in (
            self.open_button,
            self.folder_button,
            self.cancel_button,
            self.close_button,
            self.write_button,
        ):
            bottom.addWidget(button)
        right = QVBoxLayout()
        right.setSpacing(12)
        right.addWidget(self.pages, 1)
        right.addWidget(self.blind)
        right.addWidget(self.file)
        right.addWidget(self.problem)
        top = QHBoxLayout()
        top.setSpacing(16)
        top.addWidget(self.kinds)
        top.addLayout(right, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 16, 16, 16)
        layout.setSpacing(12)
        layout.addLayout(top, 1)
        layout.addLayout(bottom)

    def _open(self, kind: ExportKind) -> None:
        self.kinds.setCurrentRow(KINDS.index(kind))
        self.show()
        self.raise_()
        self.activateWindow()
        self.file.begin()

    def _show_page(self, row: int) -> None:
        self.pages.setCurrentIndex(row)
        self._written = None
        self.problem.clear()
        self.file.set_path(self._paths.get(self.kind, self._wanted()))
        if self.kind is ExportKind.CATALOGUE and self.isVisible():
            self.catalogue.refresh()
        self._show_writing(self.is_writing)

    def _wanted(self) -> Path:
        """Beside the session, under its name."""
        session = self._place.current.session
        place = session.location
        folder = place.absolute().parent if isinstance(place, Path) else Path.home()
        match self.kind:
            case ExportKind.CATALOGUE:
                return folder / f"{session.name}{self.catalogue.suffix}"
            case ExportKind.PACKED:
                return free_place(folder / f"{session.name}-packed{suffixes_of(self.kind)[0]}")
            case kind:
                return folder / f"{session.name}{suffixes_of(kind)[0]}"

    def _target(self) -> Path | None:
        """The file, with a suffix that says what it is."""
        path = self.file.path
        if path is None or not path.name:
            return None
        if path.suffix.casefold() in suffixes_of(self.kind):
            return path
        is_catalogue = self.kind is ExportKind.CATALOGUE
        suffix = self.catalogue.suffix if is_catalogue else suffixes_of(self.kind)[0]
        return path.with_name(path.name + suffix)

    def _refusal(self, path: Path) -> str:
        if not is_folder(path.absolute().parent):
            return self.tr("{folder} is not a folder").replace("{folder}", str(path.parent))
        if self.kind is ExportKind.PACKED and is_there(path):
            return self.tr("{name} is there already: choose another name").replace(
                "{name}", path.name
            )
        return ""

    def _check(self) -> None:
        path = self._target()
        refusal = "" if path is None else self._refusal(path)
        is_new = self._written is None or path != self._written.path
        note = refusal
        if path is not None and not refusal and is_there(path):
            text = self.tr("{name} is there already and will be replaced")
            note = text.replace("{name}", path.name)
        self.file.say(note if is_new else "")
        if self.kind is ExportKind.CATALOGUE and path is not None:
            known = FORMATS.get(path.suffix.casefold())
            if known is not None:
                self.catalogue.set_format(known)
        self.write_button.setEnabled(path is not None and not refusal and not self.is_writing)

    def _follow_format(self) -> None:
        path = self.file.path
        if path is None or not path.name or self.kind is not ExportKind.CATALOGUE:
            return
        if FORMATS.get(path.suffix.casefold()) != self.catalogue.format.currentData():
            is_known = path.suffix.casefold() in FORMATS
            stem = path.stem if is_known else path.name
            self.file.set_path(path.with_name(stem + self.catalogue.suffix))

    def _ask_for_file(self, path: Path | None) -> Path | None:
        kinds = " ".join(f"*{suffix}" for suffix in suffixes_of(self.kind))
        return choose_new_file(self, path or self._wanted(), f"{page_words(self.kind)} ({kinds})")

    def _show_writing(self, on: bool) -> None:
        self.is_writing = on
        self.kinds.setEnabled(not on)
        self.pages.setEnabled(not on)
        self.file.setEnabled(not on)
        self.bar.setRange(0, 0)
        self.bar.setVisible(on)
        self.cancel_button.setVisible(on and self.kind is not ExportKind.REPORT)
        self.close_button.setVisible(not on)
        self.folder_button.setVisible(self._written is not None)
        is_page = self._written is not None and self._written.kind is ExportKind.REPORT
        self.open_button.setVisible(is_page)
        self.outcome.setText("" if self._written is None else written_words(self._written))
        self._check()

    def _show_progress(self, done: int, total: object) -> None:
        if self.is_writing and isinstance(total, int) and total:
            self.bar.setRange(0, total)
            self.bar.setValue(min(done, total))

    def _finish(self, written: Written) -> None:
        self._written = written
        self._paths[written.kind] = written.path
        self._show_writing(False)
        self._place.current.said.emit(written_words(written))

    def _fail(self, error: WorkbenchError) -> None:
        self._show_writing(False)
        if isinstance(error, StoppedError):
            self.outcome.setText(self.tr("Stopped: nothing was written"))
        else:
            self.problem.say(str(error))

    def _open_written(self) -> None:
        if self._written is not None:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._written.path)))

    def _open_folder(self) -> None:
        if self._written is not None:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._written.path.absolute().parent)))


def _about(words: str) -> QWidget:
    page = QWidget()
    card = QFrame()
    card.setProperty("role", "card")
    label = QLabel(words)
    label.setWordWrap(True)
    inner = QVBoxLayout(card)
    inner.setContentsMargins(16, 14, 16, 14)
    inner.addWidget(label)
    layout = QVBoxLayout(page)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.addWidget(card)
    layout.addStretch(1)
    return page


def _button(words: str, role: str, call: object) -> QPushButton:
    button = QPushButton(words)
    button.setAutoDefault(False)
    button.clicked.connect(call)
    if role:
        button.setProperty("role", role)
    return button
