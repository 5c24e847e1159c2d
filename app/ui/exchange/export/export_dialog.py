"""The export dialog: catalogue, report, agent records and a packed copy of the session."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QShowEvent
from PySide6.QtWidgets import QDialog, QListWidget, QProgressBar, QStackedWidget, QWidget

from agent.errors import WorkbenchError
from agent.trajectory.trajectory import ModelRef
from app.core.exporting.export import all_formats
from app.core.inspections.store import models_of
from app.core.progress import StoppedError
from app.core.session.records import Change
from app.ui.base.background.runner import LongWork
from app.ui.base.translation.message_texts import translate_message
from app.ui.exchange.export.export_catalogue import CataloguePanel
from app.ui.exchange.export.export_work import (
    ExportKind,
    ExportOrder,
    WrittenFile,
    suffixes_of,
    write,
)
from app.ui.session.session_context import SessionContext
from app.ui.start.importing.ready_made_sessions import data_folder
from app.ui.start.importing.session_card import free_path
from app.ui.widgets.file_dialogs import choose_new_file
from app.ui.widgets.file_field import FileField, is_folder, is_there
from app.ui.widgets.labels import (
    bring_forward,
    card,
    column,
    dialog_button,
    narrow,
    row,
    wrapped_label,
)
from app.ui.widgets.page_parts import ProblemLine
from app.ui.widgets.text_width import DialogSize, ListWidth

translate = QCoreApplication.translate
SHOWN_NOTES = 3


def page_title(kind: ExportKind) -> str:
    return {
        ExportKind.CATALOGUE: translate("export", "Catalogue"),
        ExportKind.REPORT: translate("export", "Report"),
        ExportKind.RECORDS: translate("export", "Agent records"),
        ExportKind.PACKED: translate("export", "For a colleague"),
    }[kind]


def page_description(kind: ExportKind) -> str:
    return {
        ExportKind.CATALOGUE: "",
        ExportKind.REPORT: translate(
            "export",
            "A single HTML page: the verdicts, how well people and agents agree, how well "
            "calibrated the agent's probabilities are, and pictures of the evidence. It needs no "
            "other files and contains no scripts. Print it from the browser to get a PDF.",
        ),
        ExportKind.RECORDS: translate(
            "export",
            "Every agent inspection, step by step, as JSON lines: one line per "
            "inspection, with what the agent looked at, what it said and what was "
            "measured there. Models are trained and compared on these records.",
        ),
        ExportKind.PACKED: translate(
            "export",
            "A copy of this session in one file, with all verdicts and spectra. A colleague can "
            "open it without access to your disks, judge, and send it back to be merged.",
        ),
    }[kind]


def written_text(written: WrittenFile) -> str:
    is_one = written.rows == 1
    match written.kind:
        case ExportKind.CATALOGUE:
            one = translate("export", "Written: {count} row, {name}")
            text = one if is_one else translate("export", "Written: {count} rows, {name}")
        case ExportKind.REPORT:
            text = translate("export", "Written: {name}")
        case ExportKind.RECORDS:
            one = translate("export", "Written: {count} record, {name}")
            text = one if is_one else translate("export", "Written: {count} records, {name}")
        case ExportKind.PACKED:
            one = translate("export", "Written: {count} spectrum in {name}")
            text = one if is_one else translate("export", "Written: {count} spectra in {name}")
    text = text.replace("{count}", f"{written.rows:,}").replace("{name}", written.path.name)
    notes = "; ".join(map(translate_message, written.notes[:SHOWN_NOTES]))
    if written.kind is ExportKind.PACKED and written.notes:
        left_out = translate("export", "left out: {count}, starting with {notes}")
        notes = left_out.replace("{count}", f"{len(written.notes):,}").replace("{notes}", notes)
    return f"{text} ({notes})" if notes else text


KINDS = tuple(ExportKind)
SIZE = 920, 600
LEFT_WIDTH = 176


class ExportDialog(QDialog):
    """Writes a catalogue, a report or a packed session; its contents are loaded when shown."""

    def __init__(self, context: SessionContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._paths: dict[ExportKind, Path] = {}
        self._written: WrittenFile | None = None
        self.is_writing = False
        self.work = LongWork(self)
        self.work.progressed.connect(self._show_progress)
        self.setWindowTitle(self.tr("Export"))
        self.setModal(False)
        self.kinds = QListWidget()
        self.kinds.setAccessibleName(self.tr("What to write"))
        self.kinds.setProperty("role", "pages")
        for kind in KINDS:
            self.kinds.addItem(page_title(kind))
        ListWidth(self.kinds, LEFT_WIDTH)
        self.catalogue = CataloguePanel(context)
        self.catalogue.changed.connect(self._change_suffix)
        self.pages = QStackedWidget()
        self.pages.addWidget(self.catalogue)
        self.records = RecordsPanel(context, page_description(ExportKind.RECORDS))
        for kind in KINDS[1:]:
            own = self.records if kind is ExportKind.RECORDS else None
            self.pages.addWidget(own or description_page(page_description(kind)))
        self.file = FileField(self.tr("File"), self._ask_for_file)
        for signal in (self.catalogue.counted, self.records.counted, self.file.changed):
            signal.connect(self._check)
        self.problem = ProblemLine()
        text = self.tr("Blind mode is on, but exported files include the agent's verdicts")
        self.blind = wrapped_label(text, "warning")
        self._lay_out()
        DialogSize(self, *SIZE)
        self.kinds.currentRowChanged.connect(self._show_page)

    @property
    def kind(self) -> ExportKind:
        return KINDS[max(self.kinds.currentRow(), 0)]

    def show_catalogue(self) -> None:
        self._open(ExportKind.CATALOGUE)

    def show_selected(self, candidate_ids: Sequence[int]) -> None:
        """Offer to write a catalogue of these candidates."""
        self._open(ExportKind.CATALOGUE, candidate_ids)

    def show_report(self) -> None:
        self._open(ExportKind.REPORT)

    def show_packing(self) -> None:
        self._open(ExportKind.PACKED)

    def write(self) -> None:
        path = self._output_path()
        if path is None or self.is_writing or self._refusal(path):
            return
        order = ExportOrder(
            kind=self.kind,
            out=path,
            queue=self._context.current.queue,
            choice=self.catalogue.choice,
            selected=self.catalogue.selected,
        )
        self.problem.clear()
        self._written = None
        self.work.begin()
        self._show_writing(True)
        session = self._context.current.session
        make = partial(write, session, order, self.work.report, self.work.should_stop)
        self._context.runner.run(make, self._finish, self._fail, owner=self)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.kinds.doItemsLayout()  # the style sheet only sets the row height of a shown list
        self.blind.setVisible(self._context.current.blind_mode.is_on)
        if self.kind is ExportKind.CATALOGUE:
            self.catalogue.refresh()

    def _lay_out(self) -> None:
        self.bar = QProgressBar(textVisible=False)
        self.bar.setFixedWidth(160)
        self.outcome = narrow(wrapped_label(""))
        self.open_button = dialog_button(self.tr("Open"), self._open_written, "quiet")
        self.folder_button = dialog_button(self.tr("Open the folder"), self._open_folder, "quiet")
        # No partial file is left.
        self.cancel_button = dialog_button(self.tr("Cancel"), self.work.stop)
        self.close_button = dialog_button(self.tr("Close"), self.hide)
        self.write_button = dialog_button(self.tr("Write"), self.write, "primary")
        self.write_button.setDefault(True)
        written = self.open_button, self.folder_button
        ends = self.cancel_button, self.close_button, self.write_button
        bottom = row(self.bar, (self.outcome, 1), *written, *ends)
        right = column((self.pages, 1), self.blind, self.file, self.problem, spacing=12)
        top = row(self.kinds, (right, 1), spacing=16)
        column((top, 1), bottom, spacing=12, margins=16, parent=self)

    def _open(self, kind: ExportKind, selected: Sequence[int] = ()) -> None:
        self.catalogue.offer_selected(selected)
        if self.isVisible() and self.kind is kind:
            self.catalogue.refresh()
        self.kinds.setCurrentRow(KINDS.index(kind))
        bring_forward(self)
        self.file.begin()

    def _show_page(self, row: int) -> None:
        self.pages.setCurrentIndex(row)
        self._written = None
        self.problem.clear()
        self.file.set_path(self._paths.get(self.kind, self._default_path()))
        if self.kind is ExportKind.CATALOGUE and self.isVisible():
            self.catalogue.refresh()
        if self.kind is ExportKind.RECORDS:
            self.records.refresh()
        self._show_writing(self.is_writing)

    def _default_path(self) -> Path:
        """The default path: next to the session, under its name; at home for the sample.

        A catalogue has a name of its own: the list that the session was made from often has that of
        the session, and must not be proposed for replacement.
        """
        session = self._context.current.session
        location = session.location
        folder = location.absolute().parent if isinstance(location, Path) else Path.home()
        if folder.is_relative_to(data_folder()):
            folder = Path.home()
        match self.kind:
            case ExportKind.CATALOGUE:
                return folder / f"{session.name}-vetted{self.catalogue.suffix}"
            case ExportKind.PACKED:
                return free_path(folder / f"{session.name}-packed{suffixes_of(self.kind)[0]}")
            case kind:
                return folder / f"{session.name}{suffixes_of(kind)[0]}"

    def _output_path(self) -> Path | None:
        """The chosen path, with a suffix of its format."""
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
            text = self.tr("{name} already exists: choose another name")
            return text.replace("{name}", path.name)
        return ""

    def _check(self) -> None:
        path = self._output_path()
        refusal = "" if path is None else self._refusal(path)
        is_new = self._written is None or path != self._written.path
        note = refusal
        if path is not None and not refusal and is_there(path):
            text = self.tr("{name} already exists and will be replaced")
            note = text.replace("{name}", path.name)
        self.file.show_problem(note if is_new else "")
        known = None if path is None else all_formats().get(path.suffix.casefold())
        if self.kind is ExportKind.CATALOGUE and known is not None:
            self.catalogue.set_format(known)
        has_rows = {
            ExportKind.CATALOGUE: self.catalogue.has_rows,
            ExportKind.RECORDS: self.records.has_rows,
        }.get(self.kind, True)
        can_write = path is not None and not refusal and not self.is_writing
        self.write_button.setEnabled(can_write and has_rows)

    def _change_suffix(self) -> None:
        path = self.file.path
        if path is None or not path.name or self.kind is not ExportKind.CATALOGUE:
            return
        formats = all_formats()
        if formats.get(path.suffix.casefold()) != self.catalogue.format.currentData():
            is_known = path.suffix.casefold() in formats
            stem = path.stem if is_known else path.name
            self.file.set_path(path.with_name(stem + self.catalogue.suffix))

    def _ask_for_file(self, path: Path | None) -> Path | None:
        kinds = " ".join(f"*{suffix}" for suffix in suffixes_of(self.kind))
        title = f"{page_title(self.kind)} ({kinds})"
        return choose_new_file(self, path or self._default_path(), title)

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
        written = self._written
        self.open_button.setVisible(written is not None and written.kind is ExportKind.REPORT)
        self.outcome.setText("" if written is None else written_text(written))
        self._check()

    def _show_progress(self, done: int, total: object) -> None:
        if self.is_writing and isinstance(total, int) and total:
            self.bar.setRange(0, total)
            self.bar.setValue(min(done, total))

    def _finish(self, written: WrittenFile) -> None:
        self._written = written
        self._paths[written.kind] = written.path
        self._show_writing(False)
        self._context.current.message.emit(written_text(written))

    def _fail(self, error: WorkbenchError) -> None:
        self._show_writing(False)
        if isinstance(error, StoppedError):
            self.outcome.setText(self.tr("Stopped: nothing was written"))
        else:
            self.problem.show_error(error)

    def _open_written(self) -> None:
        if self._written is not None:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._written.path)))

    def _open_folder(self) -> None:
        if self._written is not None:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._written.path.absolute().parent)))


# The page of the export dialog about agent records: what they are, and whether there are any.
def description_page(text: str, *more: QWidget) -> QWidget:
    """A page with a card that describes a file, and what stands below."""
    page = QWidget()
    about = card(wrapped_label(text), margins=(16, 14, 16, 14))
    column(about, *more, 1, parent=page)
    return page


class RecordsPanel(QWidget):
    counted = Signal()  # whether there are records is known anew

    def __init__(self, context: SessionContext, description: str) -> None:
        super().__init__()
        self._context, self._answer = context, context.runner.latest(self)
        self.has_rows = False
        self.note = wrapped_label("", "dim")
        column(description_page(description, self.note), parent=self)
        context.bridge.changed.connect(self._follow)

    def refresh(self) -> None:
        session = self._context.current.session
        self._answer.ask(lambda: models_of(session), self._show, self._fail)

    def _follow(self, change: Change) -> None:
        if self.isVisible() and change.aspect == "inspection" and not self.has_rows:
            self.refresh()

    def _show(self, models: list[ModelRef]) -> None:
        self.has_rows = bool(models)
        names = ", ".join(dict.fromkeys(model.name for model in models))
        text = translate("export", "No inspections yet: nothing to write")
        if models:
            text = translate("export", "Inspections of {names}")
        self.note.setText(text.replace("{names}", names))
        self.counted.emit()

    def _fail(self, error: WorkbenchError) -> None:
        self.has_rows = True  # writing says what is wrong
        self.note.setText(translate_message(str(error)))
        self.counted.emit()
