"""The settings dialog. It is not modal, and changes apply at once."""

from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QDoubleSpinBox,
    QFrame,
    QLineEdit,
    QListWidget,
    QPlainTextEdit,
    QSpinBox,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from agent.errors import WorkbenchError
from agent.models.card import is_server
from agent.models.registry import ModelLocation, list_models
from app.core.database.locations import shown_location
from app.core.evidence.choice import MAX_TEXT, choice_from, is_change
from app.core.reviewer_name import MAX_NAME
from app.services.catalogues.service import Service, all_services
from app.ui.base.background.runner import Runner
from app.ui.base.keys.keymap import Keymap
from app.ui.base.settings.settings import Settings
from app.ui.base.settings.settings_check import (
    MAX_COMMENT_LENGTH,
    MAX_COMMENTS,
    MAX_FONT_PT,
    MAX_NEIGHBOUR_ARCSEC,
    MAX_PATH,
    MAX_SUBCLASS_SECONDS,
    MAX_WORKERS,
    MIN_FONT_PT,
    MIN_SUBCLASS_SECONDS,
)
from app.ui.base.settings.settings_store import SettingsStore
from app.ui.base.translation.data_texts import key_in_address, service_text
from app.ui.base.translation.languages import LANGUAGES
from app.ui.base.translation.message_texts import translate_message
from app.ui.program.settings_dialog.keys_page import KeysPage
from app.ui.program.settings_dialog.settings_parts import (
    NARROW,
    FileList,
    SettingsPage,
    add_row,
    form,
    plain_label,
)
from app.ui.widgets.labels import add_parts, bring_forward, column, row, show_or_hide
from app.ui.widgets.text_width import DialogSize, ListWidth

SIZE = 780, 560
LIST_PX = 168


class SettingsDialog(QDialog):
    def __init__(
        self, settings: SettingsStore, keymap: Keymap, runner: Runner, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Settings"))
        self.setModal(False)
        self.reviewer = ReviewerPage(settings)
        self.appearance = AppearancePage(settings)
        self.keys = KeysPage(settings, keymap)
        self.agent = AgentPage(settings, runner)
        self.files = FilesPage(settings)
        self.services = ServicesPage(settings)
        self.programs = ProgramsPage(settings)
        own = (self.reviewer, self.appearance, self.keys)
        self.pages = (*own, self.agent, self.services, self.files, self.programs)
        self.list = QListWidget()
        self.stack = QStackedWidget()
        self._lay_out()
        self._show_settings(settings.settings)
        settings.changed.connect(self._show_settings)

    def open_page(self, page: QWidget | None = None) -> None:
        """Show the dialog at `page`, or at the page that was shown last."""
        if page is not None:
            self.list.setCurrentRow(self.stack.indexOf(page))
        bring_forward(self)

    def _lay_out(self) -> None:
        self.list.setProperty("role", "pages")
        self.list.setAccessibleName(self.tr("Pages"))
        self.list.addItems([page.heading.text() for page in self.pages])
        for page in self.pages:
            self.stack.addWidget(page)
        self.list.currentRowChanged.connect(self.stack.setCurrentIndex)
        ListWidth(self.list, LIST_PX)
        self.list.setCurrentRow(0)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        shown = QFrame()
        shown.setProperty("role", "card")
        QVBoxLayout(shown).addWidget(self.stack)
        middle = row(self.list, (shown, 1), spacing=12)
        column((middle, 1), buttons, spacing=12, margins=12, parent=self)
        self.setWindowFlag(Qt.WindowType.WindowContextHelpButtonHint, False)
        DialogSize(self, *SIZE)

    def _show_settings(self, settings: Settings) -> None:
        for page in self.pages:
            page.show_settings(settings)


# The settings pages of the reviewer, appearance, and comments and files.
SIZES = range(MIN_FONT_PT, MAX_FONT_PT + 1)


class ReviewerPage(SettingsPage):
    def __init__(self, settings: SettingsStore) -> None:
        super().__init__(settings)
        self.heading.setText(self.tr("Reviewer"))
        self.name = QLineEdit(maxLength=MAX_NAME)
        self.name.editingFinished.connect(self._save_name)
        self.blind = self._switch("blind", self.tr("Start new sessions in blind mode"))
        self.radius = QDoubleSpinBox(minimum=0.1, maximum=MAX_NEIGHBOUR_ARCSEC, decimals=1)
        self.radius.setSuffix(self.tr(" arcsec"))
        self.radius.setFixedWidth(NARROW)
        self.radius.valueChanged.connect(partial(self._save, "neighbour_arcsec"))
        self.seconds = QDoubleSpinBox(maximum=MAX_SUBCLASS_SECONDS, decimals=1, singleStep=0.5)
        self.seconds.setSuffix(self.tr(" s"))
        self.seconds.setSpecialValueText(self.tr("off"))
        self.seconds.setFixedWidth(NARROW)
        self.seconds.valueChanged.connect(self._save_seconds)
        self.sticky = self._switch("subclass_sticky", self.tr("Until the next verdict"))
        rows = form()
        note = self.tr("Saved with each of your verdicts, starting with the next session you open")
        add_row(rows, self.tr("Your name"), self.name, note)
        note = self.tr(
            "Hides the agent's verdict until you have given yours. For the open "
            "session, use the button at the top of the window."
        )
        add_row(rows, self.tr("Blind mode"), self.blind, note)
        add_row(rows, self.tr("Radius for nearby objects"), self.radius)
        note = self.tr(
            "Off: a key opens the sub-classes of the object accepted last. On: after an accept, "
            "letters name its sub-class for this long instead of what they do otherwise."
        )
        add_row(rows, self.tr("Quick sub-classes"), self.seconds, note)
        add_row(rows, "", self.sticky)
        add_parts(self.body, rows, 1)

    def show_settings(self, settings: Settings) -> None:
        super().show_settings(settings)
        if not self.name.hasFocus():
            self.name.setText(settings.reviewer)
        self.radius.setValue(settings.neighbour_arcsec)
        self.seconds.setValue(settings.subclass_seconds)
        self.seconds.setEnabled(not settings.subclass_sticky)

    def _save_name(self) -> None:
        name = " ".join(self.name.text().split())
        if name.isprintable():
            self._settings.change(reviewer=name)

    def _save_seconds(self, seconds: float) -> None:
        """From off, the first step up is the shortest time that anybody can use."""
        least = MIN_SUBCLASS_SECONDS if seconds else 0.0
        self._settings.change(subclass_seconds=max(seconds, least))


class AppearancePage(SettingsPage):
    def __init__(self, settings: SettingsStore) -> None:
        super().__init__(settings)
        self.heading.setText(self.tr("Appearance"))
        themes = {
            "system": self.tr("System default"),
            "light": self.tr("Light"),
            "dark": self.tr("Dark"),
            "lamost": self.tr("LAMOST white"),
        }
        self.theme = self._choice("theme", themes)
        points = {size: self.tr("{size} pt").replace("{size}", str(size)) for size in SIZES}
        self.font_size = self._choice("font_pt", {0: self.tr("System default"), **points})
        self.language = self._choice("language", {"system": self.tr("System default"), **LANGUAGES})
        rows = form()
        note = self.tr(
            "Colours also differ in lightness, so they can be told apart with any kind of "
            "colour vision"
        )
        add_row(rows, self.tr("Theme"), self.theme, note)
        add_row(rows, self.tr("Text size"), self.font_size)
        note = self.tr("Takes effect at the next start")
        add_row(rows, self.tr("Language"), self.language, note)
        add_parts(self.body, rows, 1)


class FilesPage(SettingsPage):
    def __init__(self, settings: SettingsStore) -> None:
        super().__init__(settings)
        self.heading.setText(self.tr("Comments and files"))
        self.comments = QPlainTextEdit(tabChangesFocus=True)
        self.comments.setAccessibleName(self.tr("Standard comments"))
        self.comments.setFixedHeight(96)
        self.comments.textChanged.connect(lambda: settings.change(comments=self._comments()))
        line_lists = self.tr("Line lists (*.toml *.csv);;All files (*)")
        self.line_lists = FileList(self.tr("Line lists"), line_lists)
        self.line_lists.changed.connect(partial(self._save, "line_lists"))
        spectra = self.tr("Spectra (*.fits *.fits.gz *.fit *.txt *.csv *.ecsv);;All files (*)")
        self.templates = FileList(self.tr("Templates"), spectra)
        self.templates.changed.connect(partial(self._save, "templates"))
        for title, part in (
            (self.tr("Standard comments, one per line"), self.comments),
            (self.tr("Your line lists"), self.line_lists),
            (self.tr("Your templates"), self.templates),
        ):
            add_parts(self.body, plain_label(title, "title"), part)
        self.body.addStretch(1)

    def show_settings(self, settings: Settings) -> None:
        if self._comments() != settings.comments:
            self.comments.setPlainText("\n".join(settings.comments))
        self.line_lists.show_paths(settings.line_lists)
        self.templates.show_paths(settings.templates)

    def _comments(self) -> tuple[str, ...]:
        lines = (" ".join(line.split()) for line in self.comments.toPlainText().splitlines())
        kept = dict.fromkeys(line[:MAX_COMMENT_LENGTH] for line in lines if line)
        return tuple(line for line in kept if line.isprintable())[:MAX_COMMENTS]


# The settings page of services: each is turned on by itself, and says what leaves the machine.
INDENT_PX = 22


class ServicesPage(SettingsPage):
    def __init__(self, settings: SettingsStore) -> None:
        super().__init__(settings)
        self.heading.setText(self.tr("Services"))
        self.boxes: dict[str, ServiceBox] = {}
        about = self.tr(
            "What others know of an object, in the Evidence panel. Nothing is asked of a "
            "service that is not turned on here. What is sent is what each one says, and "
            "as with every web page the service sees the address of this computer."
        )
        self.body.addWidget(plain_label(about, "dim"))
        for service in all_services().values():
            box = self.boxes[service.id] = ServiceBox(service, self)
            box.on.toggled.connect(partial(self._save_on, service.id))
            box.url.editingFinished.connect(partial(self._save_change, service.id, "url"))
            box.release.editingFinished.connect(partial(self._save_change, service.id, "release"))
            self.body.addWidget(box)
        self.body.addStretch(1)

    def show_settings(self, settings: Settings) -> None:
        choice = choice_from(settings.services, settings.service_changes)
        for name, box in self.boxes.items():
            box.show_choice(name in choice.on, dict(choice.changes.get(name, {})))

    def _save_on(self, name: str, on: bool) -> None:
        before = [each for each in self._settings.settings.services if each != name]
        chosen = {*before, name} if on else set(before)
        self._settings.change(services=tuple(each for each in all_services() if each in chosen))

    def _save_change(self, name: str, what: str) -> None:
        box, service = self.boxes[name], all_services()[name]
        field = box.url if what == "url" else box.release
        text, key = field.text().strip(), f"{name}.{what}"
        changes = dict(self._settings.settings.service_changes)
        changes.pop(key, None)
        if text and text != getattr(service, what):
            if not is_change(service, what, text):
                problem = self.tr("Not saved: an address starts with https://")
                show_or_hide(box.problem, problem)
                return
            changes[key] = text
        show_or_hide(box.problem, "")
        self._settings.change(service_changes=changes)


class ServiceBox(QFrame):
    """One service: whether it is asked, what it is sent, its address and its release."""

    def __init__(self, service: Service, parent: QWidget) -> None:
        super().__init__(parent)
        self._service = service
        name = service_text(service.name)
        self.on = QCheckBox(name)
        self.on.setAccessibleDescription(service_text(service.sends))
        sends = self.tr("Sends: {what}").replace("{what}", service_text(service.sends))
        self.sends = plain_label(sends, "dim")
        self.url = QLineEdit(maxLength=MAX_TEXT, placeholderText=service.url)
        self.url.setToolTip(service.url)  # a long address does not fit in large text
        self.release = QLineEdit(maxLength=40, placeholderText=service.release)
        self.release.setMaximumWidth(NARROW)
        self.problem = plain_label("", "warning")
        self.problem.hide()
        rows = form()
        rows.setVerticalSpacing(6)
        add_row(rows, self.tr("Address"), self.url)
        self.url.setAccessibleName(f"{name}: {self.tr('Address')}")
        if service.release:
            add_row(rows, self.tr("Release"), self.release)
            self.release.setAccessibleName(f"{name}: {self.tr('Release')}")
        inside = column(self.sends, rows, self.problem, spacing=4, margins=(INDENT_PX, 0, 0, 0))
        column(self.on, inside, spacing=2, margins=(0, 0, 0, 6), parent=self)

    def show_choice(self, is_on: bool, changes: dict[str, str]) -> None:
        self.on.setChecked(is_on)
        for what, field in (("url", self.url), ("release", self.release)):
            if not field.hasFocus():
                field.setText(changes.get(what, ""))


class ProgramsPage(SettingsPage):
    """The settings page about other programs of this machine."""

    def __init__(self, settings: SettingsStore) -> None:
        super().__init__(settings)
        self.heading.setText(self.tr("Other programs"))
        self.samp = self._switch("samp", self.tr("Connect to TOPCAT and others (SAMP)"))
        rows = form()
        leaves = self.tr(
            "Nothing leaves this machine: TOPCAT, Aladin and other programs on it see the list, "
            "the spectrum and the position that you send."
        )
        comes = self.tr(
            "They can open a candidate here and send a table or a spectrum, which never closes an "
            "open session by itself."
        )
        add_row(rows, self.tr("SAMP"), self.samp, leaves, comes)
        add_parts(self.body, rows, 1)


# The settings page of the agent: its model, what runs it and how many inspections at once.
class AgentPage(SettingsPage):
    def __init__(self, settings: SettingsStore, runner: Runner) -> None:
        super().__init__(settings)
        self.heading.setText(self.tr("Agent"))
        self._runner = runner
        self._models: tuple[ModelLocation, ...] = ()
        self._has_listed = False
        self.model = QComboBox(editable=True, insertPolicy=QComboBox.InsertPolicy.NoInsert)
        field = QLineEdit(maxLength=MAX_PATH, placeholderText=self.tr("Best bundled model"))
        field.editingFinished.connect(self._save_model)
        self.model.setLineEdit(field)
        self.model.activated.connect(self._save_model)
        devices = {
            "auto": self.tr("Automatic"),
            "cpu": self.tr("Processor"),
            "cuda": self.tr("Graphics card (CUDA or ROCm)"),
            "mps": self.tr("Graphics of an Apple computer"),
        }
        self.device = self._choice("device", devices)
        self.workers = QSpinBox(minimum=1, maximum=MAX_WORKERS)
        self.workers.setFixedWidth(NARROW)
        self.workers.valueChanged.connect(partial(self._save, "workers"))
        self._lay_out()

    def show_settings(self, settings: Settings) -> None:
        super().show_settings(settings)
        if not self.model.hasFocus():
            self.model.setEditText(settings.model)
        self.workers.setValue(settings.workers)
        self._show_state()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self._has_listed:
            self._has_listed = True
            known_models = partial(list_models, on_fault=lambda error: None)
            self._runner.run(known_models, self._show_models, self._show_fault, owner=self)

    def _lay_out(self) -> None:
        rows = form()
        note = self.tr("A model from the list, a folder, a GGUF file or a server address")
        _, self.state = add_row(rows, self.tr("Model"), self.model, note, "")
        note = self.tr("Automatic: a graphics card if the model can use one")
        add_row(rows, self.tr("Runs on"), self.device, note)
        note = self.tr("Each inspection needs memory for its own copy of the model")
        add_row(rows, self.tr("Parallel inspections"), self.workers, note)
        keys = self.tr(
            "Server keys are read from SPEC_O3_API_KEY or the system keyring. They are "
            "never saved here, in sessions or in exports"
        )
        title = plain_label(self.tr("Server keys"), "title")
        add_parts(self.body, rows, title, plain_label(keys, "dim"), 1)

    def _show_models(self, models: tuple[ModelLocation, ...]) -> None:
        self._models = models
        text = self.model.currentText()
        self.model.clear()
        self.model.addItems([location.card.name for location in models])
        self.model.setEditText(text)
        self._show_state()

    def _show_fault(self, error: WorkbenchError) -> None:
        self.state.setText(translate_message(str(error)))

    def _save_model(self) -> None:
        text = self.model.currentText().strip()
        if text.isprintable() and shown_location(text) == text:
            self._settings.change(model=text)
        self._show_state()

    def _show_state(self) -> None:
        self.state.setText(self._state_text(self.model.currentText().strip()))

    def _state_text(self, name: str) -> str:
        if shown_location(name) != name:
            return key_in_address()
        if not name or is_server(name):
            return ""
        location = next((each for each in self._models if each.card.name == name), None)
        if location is None:
            return ""
        if location.is_ready:
            return self.tr("Ready: {where}").replace("{where}", str(location.folder or ""))
        if location.missing:
            missing = ", ".join(location.missing[:3])
            return self.tr("Incomplete: {files} missing").replace("{files}", missing)
        return self.tr("Not downloaded yet. Run: spec-o3 models get {name}").replace("{name}", name)
