"""The dialog that gets spectra from an archive and then opens them."""

from functools import partial
from pathlib import Path

from PySide6.QtCore import QCoreApplication, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QFormLayout,
    QLineEdit,
    QPlainTextEdit,
    QProgressBar,
    QWidget,
)

from agent.errors import WorkbenchError
from app.core.fetching.fetch_run import RADIUS_ARCSEC
from app.services.archives.choice import ARCHIVES
from app.ui.base.background.runner import LongWork, Runner
from app.ui.base.translation.message_texts import translate_message
from app.ui.start.fetching.archive_texts import archive_name, example_text, sends_text
from app.ui.start.fetching.fetch_work import Fetched, fetch_typed
from app.ui.widgets.file_dialogs import choose_folder, documents_folder
from app.ui.widgets.file_field import FileField
from app.ui.widgets.labels import (
    bring_forward,
    column,
    dialog_button,
    narrow,
    one_line,
    row,
    short_label,
    wrapped_label,
)
from app.ui.widgets.number_box import NumberBox
from app.ui.widgets.page_parts import ProblemLine
from app.ui.widgets.text_width import DialogSize

SIZE = 640, 560
SHOWN_REASONS = 3
# An example for each archive, shown while the field is empty.
RELEASES = {"sparcl": "DESI-DR1", "sdss": "dr17", "lamost": "dr11/v2.0", "ssap": ""}


class FetchDialog(QDialog):
    """Nothing is sent before Fetch is pressed. Closing it stops the work."""

    fetched = Signal(object)  # the path of the only spectrum, or of the list of several

    def __init__(self, runner: Runner, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._runner = runner
        self._opens: Path | None = None
        self.is_fetching = False
        self.url = ""  # Of the archive, where it is another than its own; for SSAP it is typed.
        self.work = LongWork(self)
        self.work.progressed.connect(self._show_progress)
        self.setWindowTitle(self.tr("Open from an archive"))
        self.setModal(False)
        self.archive = QComboBox()
        self.archive.setAccessibleName(self.tr("Archive"))
        for each in ARCHIVES:
            self.archive.addItem(archive_name(each), each)
        self.address = QLineEdit(placeholderText="https://…/ssap.xml")
        self.address.setAccessibleName(self.tr("Address of the service"))
        self.release = QLineEdit()
        self.release.setAccessibleName(self.tr("Release"))
        self.wanted = QPlainTextEdit(tabChangesFocus=True)
        self.wanted.setAccessibleName(self.tr("Spectra"))
        self.radius = NumberBox(self.tr("Radius in arcsec"), low=0.1, high=600.0, decimals=1)
        self.radius.show_value(RADIUS_ARCSEC)
        self.take_all = QCheckBox(self.tr("All that are found, not only the best"))
        self.folder = FileField(self.tr("Folder for the files"), partial(choose_folder, self))
        self.folder.set_path(documents_folder() / "spectra")
        self.sends = narrow(wrapped_label("", "dim"))
        self.problem = ProblemLine()
        self._lay_out()
        DialogSize(self, *SIZE)
        self.archive.currentIndexChanged.connect(self._show_archive)
        for signal in (self.wanted.textChanged, self.folder.changed, self.address.textChanged):
            signal.connect(self._check)
        self._show_archive()
        self._show_fetching(False)

    @property
    def kind(self) -> str:
        return str(self.archive.currentData())

    def open_page(self) -> None:
        bring_forward(self)
        self.wanted.setFocus()

    def fetch(self) -> None:
        folder = self.folder.path
        if folder is None or not self.fetch_button.isEnabled():
            return
        make = partial(
            fetch_typed,
            self.wanted.toPlainText(),
            self.kind,
            folder.absolute(),
            release=self.release.text().strip(),
            url=self.address.text().strip() if self.kind == "ssap" else self.url,
            radius_arcsec=self.radius.value or RADIUS_ARCSEC,
            take_all=self.take_all.isChecked(),
            progress=self.work.report,
            should_stop=self.work.should_stop,
        )
        self.problem.clear()
        self._opens = None
        self.work.begin()
        self._show_fetching(True)
        self._runner.run(make, self._finish, self._fail, owner=self)

    def reject(self) -> None:
        self.work.stop()
        super().reject()

    def _lay_out(self) -> None:
        self.form = QFormLayout(horizontalSpacing=12, verticalSpacing=8)
        unit = short_label(self.tr("arcsec"), "dim")
        radius = row(self.radius, unit, self.take_all, 1, spacing=12)
        for title, field in (
            (self.tr("Archive"), self.archive),
            (self.tr("Address of the service"), self.address),
            (self.tr("Release"), self.release),
        ):
            self.form.addRow(short_label(title, "dim"), field)
        self.form.addRow(short_label(self.tr("Radius"), "dim"), radius)
        self.bar = QProgressBar(textVisible=False)
        self.bar.setAccessibleName(self.tr("Progress"))
        self.bar.setFixedWidth(160)
        self.outcome = narrow(wrapped_label(""))
        self.open_button = dialog_button(self.tr("Open what was fetched"), self._open)
        # What was fetched stays in the folder.
        self.cancel_button = dialog_button(self.tr("Cancel"), self.work.stop)
        self.close_button = dialog_button(self.tr("Close"), self.reject)
        self.fetch_button = dialog_button(self.tr("Fetch"), self.fetch, "primary")
        ends = self.cancel_button, self.close_button, self.fetch_button
        bottom = row(self.bar, (self.outcome, 1), self.open_button, *ends)
        below = self.folder, self.sends, self.problem, bottom
        column(self.form, (self.wanted, 1), *below, spacing=12, margins=16, parent=self)

    def _show_archive(self) -> None:
        kind = self.kind
        self.form.setRowVisible(self.address, kind == "ssap")
        self.form.setRowVisible(self.release, kind != "ssap")
        self.release.clear()
        text = self.tr("the newest, or for example {name}")
        self.release.setPlaceholderText(text.replace("{name}", RELEASES[kind]))
        self.wanted.setPlaceholderText(example_text(kind))
        self.sends.setText(sends_text(kind))
        self._check()

    def _check(self) -> None:
        has_address = self.kind != "ssap" or bool(self.address.text().strip())
        is_ready = bool(self.wanted.toPlainText().strip()) and self.folder.path is not None
        self.fetch_button.setEnabled(is_ready and has_address and not self.is_fetching)

    def _show_fetching(self, on: bool) -> None:
        self.is_fetching = on
        for part in (self.archive, self.address, self.release, self.radius, self.take_all):
            part.setEnabled(not on)
        self.wanted.setReadOnly(on)
        self.folder.setEnabled(not on)
        self.bar.setRange(0, 0)
        self.bar.setVisible(on)
        self.cancel_button.setVisible(on)
        self.close_button.setVisible(not on)
        self.open_button.setVisible(self._opens is not None)
        self.outcome.setText(self.tr("Fetching…") if on else "")
        self._check()

    def _show_progress(self, done: int, total: object) -> None:
        if self.is_fetching and isinstance(total, int) and total > 1:
            self.bar.setRange(0, total)
            self.bar.setValue(min(done, total))
            self.outcome.setText(f"{done:,} / {total:,}")

    def _finish(self, made: Fetched) -> None:
        self._opens = made.opens
        self._show_fetching(False)
        report = made.report
        count = len(report.fetched)
        one = QCoreApplication.translate("fetching", "{n} spectrum fetched")
        many = QCoreApplication.translate("fetching", "{n} spectra fetched")
        self.outcome.setText((one if count == 1 else many).replace("{n}", f"{count:,}"))
        self.problem.show_problem(failed_text(made))
        if made.opens is not None and not (report.failed or report.left) and self.isVisible():
            self._open()

    def _fail(self, error: WorkbenchError) -> None:
        self._show_fetching(False)
        self.problem.show_error(error)

    def _open(self) -> None:
        if self._opens is not None:
            self.hide()
            self.fetched.emit(self._opens)


def failed_text(made: Fetched) -> str:
    """What was not fetched, with the first reasons; empty if everything was."""
    report = made.report
    count = len(report.failed) + report.left
    if not count:
        return ""
    text = QCoreApplication.translate("fetching", "Not fetched: {n}").replace("{n}", f"{count:,}")
    reasons = [
        f"{one_line(each.row.wanted.object_id)}: {one_line(translate_message(each.reason))}"
        for each in report.failed[:SHOWN_REASONS]
    ]
    return "\n".join([text, *reasons])
