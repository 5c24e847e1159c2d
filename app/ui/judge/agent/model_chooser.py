"""Popup to choose the agent's model: a known one, a folder or file, or a server."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial

from PySide6.QtCore import QCoreApplication, QPoint, Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QShowEvent
from PySide6.QtWidgets import (
    QFileDialog,
    QFrame,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QWidget,
)

from agent.engines.registry import engine_kind
from agent.errors import ResourceError, TrajectoryError
from agent.inspection.built_in import INSPECTORS, BuiltIn
from agent.inspection.inspector_factory import default_model
from agent.models.card import Card
from agent.models.folders import models_folder
from agent.models.registry import ModelLocation, find_model, is_partly_downloaded, list_models
from agent.models.wordings import missing_wording
from agent.trajectory.trajectory import ModelRef
from app.core.database.locations import shown_location
from app.core.inspections.store import measured_rate
from app.core.session.session import Session
from app.core.statistics.agents import TrackRecord, track_records
from app.core.statistics.number_format import rough_percent
from app.ui.base.background.runner import Runner
from app.ui.base.translation.data_texts import key_in_address
from app.ui.base.translation.message_texts import translate_message
from app.ui.widgets.labels import column, row, short_label, wrapped_label

translate = QCoreApplication.translate
WIDTH, LIST_HEIGHT, MIN_LIST_HEIGHT = 460, 320, 80
KEY = Qt.ItemDataRole.UserRole
NEED = Qt.ItemDataRole.UserRole + 1
TIMED = 10  # inspections of a model whose mean time is told
REAL = "library:"  # how the set of a card's figure begins that is of labelled real spectra
INTERVAL = re.compile(r"95 % ([\d.]{1,6}) to ([\d.]{1,6})")
BYTES_PER_PARAMETER = 2  # in the precision in which models are published


class ModelChooser(QFrame):
    """Closes when a model is chosen or the person clicks elsewhere."""

    chosen = Signal(str)  # a name, a path or an address; empty: the measured inspector

    def __init__(self, runner: Runner, session: Session, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setProperty("role", "card")
        self._answer, self._session = runner.latest(self), session
        self._position = QPoint()
        self._current = ""
        self.list = QListWidget()
        self.list.setWordWrap(True)
        self.list.setAccessibleName(self.tr("Models"))
        self.list.setProperty("role", "plain")
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.address = QLineEdit(placeholderText=self.tr("http://host:port/v1#model"))
        self.address.setAccessibleName(self.tr("Server address"))
        self.use = QPushButton(self.tr("Use server"))
        self.folder = QPushButton(self.tr("Model folder"))
        self.file = QPushButton(self.tr("GGUF file"))
        self.note = wrapped_label("", "warning")
        self.note.hide()
        title = short_label(self.tr("Agent model"), "title")
        server, files = row((self.address, 1), self.use), row(self.folder, self.file, 1)
        column(title, self.list, self.note, server, files, margins=12, parent=self)
        self.list.itemClicked.connect(self._choose_item)
        self.list.itemActivated.connect(self._choose_item)
        self.address.returnPressed.connect(self._choose_address)
        self.use.clicked.connect(self._choose_address)
        self.folder.clicked.connect(self._ask_folder)
        self.file.clicked.connect(self._ask_file)

    def open_at(self, position: QPoint, current: str) -> None:
        """Open at a global position; `current` is the model in use."""
        self._current = current
        self.note.hide()
        self._position = position
        self._answer.ask(partial(model_rows, current, self._session), self._show_rows)
        self._place()
        self.show()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._place()  # only now has it the fonts and margins of the style sheet

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.close()
        else:
            super().keyPressEvent(event)

    def _place(self) -> None:
        """Fit on the screen of the position, as near to it as possible."""
        screen = QGuiApplication.screenAt(self._position) or self.screen()
        area = screen.availableGeometry()
        self.setFixedWidth(min(WIDTH, area.width()))
        self.list.setFixedHeight(LIST_HEIGHT)
        self.adjustSize()
        over = self.sizeHint().height() - area.height()
        if over > 0:
            self.list.setFixedHeight(max(LIST_HEIGHT - over, MIN_LIST_HEIGHT))
            self.adjustSize()
        x = min(self._position.x(), area.right() + 1 - self.width())
        y = min(self._position.y(), area.bottom() + 1 - self.height())
        self.move(max(x, area.left()), max(y, area.top()))

    def _show_rows(self, found: tuple[list[ModelRow], str]) -> None:
        rows, faults = found
        self.list.clear()
        needs = translate("agent", "Needs {what}")
        for each in rows:
            needed = needs.replace("{what}", each.needs) if each.needs else ""
            lines = (each.head, each.about, each.quality, needed, each.record)
            item = QListWidgetItem("\n".join(line for line in lines if line))
            item.setData(KEY, each.key)
            item.setData(NEED, each.need)
            item.setToolTip(each.need or each.about)
            self.list.addItem(item)
            if each.key == self._current:
                self.list.setCurrentItem(item)
        if faults:
            self._show_note(self.tr("Skipped: {what}").replace("{what}", faults))

    def _choose_item(self, item: QListWidgetItem) -> None:
        if need := item.data(NEED):
            self._show_note(need)
        else:
            self._choose(item.data(KEY))

    def _choose_address(self) -> None:
        address = self.address.text().strip()
        if not address.lower().startswith(("http://", "https://")):
            self._show_note(self.tr("A server address begins with http:// or https://"))
        elif shown_location(address) != address:
            self._show_note(key_in_address())
        else:
            self._choose(address)

    def _ask_folder(self) -> None:
        self.close()
        title = self.tr("Choose a model folder")
        if path := QFileDialog.getExistingDirectory(self.parentWidget(), title):
            self._choose(path)

    def _ask_file(self) -> None:
        self.close()
        title, kinds = self.tr("Choose a GGUF file"), "GGUF (*.gguf)"
        path, _ = QFileDialog.getOpenFileName(self.parentWidget(), title, "", kinds)
        if path:
            self._choose(path)

    def _choose(self, key: str) -> None:
        self.close()
        self.chosen.emit(key)

    def _show_note(self, text: str) -> None:
        self.note.setText(text)
        self.note.show()
        self._place()


# Lists the models to choose from, whether each is ready, and how to get what is missing.
@dataclass(frozen=True, kw_only=True)
class ModelRow:
    """One model; `key` is stored in the settings: a name, a path or an address."""

    key: str
    title: str
    about: str
    state: str
    reads: str = ""  # pictures, numbers, or both
    quality: str = ""  # how quick it is here, and how good on real spectra
    is_default: bool = False
    needs: str = ""  # what it needs to run: memory, a program, a server
    record: str = ""  # how often it agreed with the person's own verdicts
    ref: tuple[str, str] = ("", "")  # name and hash under which its records are stored
    need: str = ""  # what is missing and how to get it; empty: ready

    @property
    def head(self) -> str:
        default = translate("agent", "default here") if self.is_default else ""
        return " · ".join(filter(None, (self.title, default, self.state, self.reads)))


def model_rows(chosen: str, session: Session) -> tuple[list[ModelRow], str]:
    """Return rows of all known models and the chosen one, and the errors of skipped ones.

    It reads the disk and the session, so do not call it on the GUI thread.
    """
    faults: list[ResourceError] = []
    models = []
    for location in list_models(on_fault=faults.append):
        try:
            models.append(_row(location))
        except ResourceError as fault:  # its wording is damaged
            faults.append(fault)
    rows = [*map(_own_row, INSPECTORS), *models]
    if chosen and chosen not in {row.key for row in rows}:
        rows.append(_chosen(chosen))
    records = track_records(session, session.reviewer)
    default = default_model(session.task.id)
    rows = [
        replace(
            row,
            record=_record_text(records.get(row.ref)),
            is_default=row.key == default,
            quality=" · ".join((_speed(session, row.ref), row.quality or _quality(None))),
        )
        for row in rows
    ]
    return rows, "\n".join(str(fault) for fault in faults)


def _own_row(own: BuiltIn) -> ModelRow:
    eye, ref, need = own.location(), own.ref(), own.obstacle()
    state, needs = translate("agent", "ready"), "" if eye is None else _needs(eye)
    if not own.eye:
        state, needs = translate("agent", "always available"), translate("agent", "nothing")
    elif eye is None:
        state = translate("agent", "not on this machine")
    elif need:
        state = translate("agent", "its engine is not installed")
    return ModelRow(
        key=own.name,
        title=own.name,
        about=" · ".join(map(translate_message, own.about)),
        state=state,
        reads=_reads(pictures=bool(own.eye), numbers=own.reads_numbers),
        quality=_quality(own.f1_on_real),
        needs=needs,
        ref=("", "") if ref is None else (ref.name, ref.sha256),
        need=translate_message(need),
    )


def _chosen(name: str) -> ModelRow:
    """Return the row of a path or address that the user gave."""
    try:
        location = find_model(name)
    except ResourceError as error:
        state, need = translate("agent", "not found"), translate_message(str(error))
        return ModelRow(key=name, title=shown_location(name), about="", state=state, need=need)
    return replace(_row(location), key=name, about=shown_location(name))


def _row(location: ModelLocation) -> ModelRow:
    card = location.card
    parts = [card.title or card.family, _size(location), card.engine]
    if card.simulated_only:
        parts.append(translate("agent", "trained on simulations only"))
    if location.origin != "hub" and missing_wording(card):
        parts.append(translate("agent", "asked in our words, not in those it was trained on"))
    return ModelRow(
        key=card.name,
        title=card.name,
        about=" · ".join(part for part in parts if part),
        state=_state(location),
        reads=_reads(pictures=True, numbers=card.style.numbers),
        quality=_card_quality(card),
        needs=_needs(location),
        ref=(location.ref.name, location.ref.sha256),
        need=_need(location),
    )


def _reads(*, pictures: bool, numbers: bool) -> str:
    if pictures and numbers:
        return translate("agent", "reads pictures and numbers")
    return translate("agent", "reads pictures") if pictures else translate("agent", "reads numbers")


def _speed(session: Session, ref: tuple[str, str]) -> str:
    """The mean time of some inspections of this session."""
    name, sha256 = ref
    seconds = 0.0
    if name:
        with suppress(TrajectoryError):  # a damaged record is told where it is shown
            seconds = measured_rate(session, ModelRef(name=name, sha256=sha256), TIMED).seconds
    if not seconds:
        return translate("agent", "not yet timed here")
    return translate("agent", "{n} s each here").replace("{n}", f"{seconds:.2g}")


def _card_quality(card: Card) -> str:
    """What its card says of labelled real spectra."""
    for each in card.figures:
        if each.figure == "mean F1" and each.on.startswith(REAL):
            interval = INTERVAL.search(each.on)
            return _quality(
                each.value, "" if interval is None else f" ({interval[1]}–{interval[2]})"
            )
    return ""


def _quality(f1: float | None, interval: str = "") -> str:
    if f1 is None:
        return translate("agent", "no figure on real spectra")
    return translate("agent", "F1 {n} % on real spectra").replace("{n}", f"{f1:.1f}") + interval


def _state(location: ModelLocation) -> str:
    if location.origin == "hub" and is_partly_downloaded(location):
        return translate("agent", "partly downloaded")
    if location.origin == "hub":
        return translate("agent", "not on this machine")
    if location.missing:
        return translate("agent", "incomplete")
    if engine_kind(location.card.engine).obstacle():
        return translate("agent", "its engine is not installed")
    if location.origin == "server":
        return translate("agent", "server")
    return translate("agent", "ready")


def _need(location: ModelLocation) -> str:
    card = location.card
    if location.origin == "hub":
        text = translate(
            "agent",
            "{name} is not on this machine yet. Run in a terminal: spec-o3 models get {name}\n"
            "Or put its files into {folder}",
        )
        if is_partly_downloaded(location):
            text = translate(
                "agent",
                "{name} is partly downloaded. To finish, run in a terminal: "
                "spec-o3 models get {name}",
            )
        return text.replace("{name}", card.name).replace("{folder}", str(models_folder()))
    if location.missing:
        text = translate("agent", "Incomplete: {files} is missing from {folder}")
        files = ", ".join(location.missing[:3])
        return text.replace("{files}", files).replace("{folder}", str(location.folder))
    return translate_message(engine_kind(card.engine).obstacle())


def _size(location: ModelLocation) -> str:
    if location.card.bytes:
        return size_text(location.card.bytes)
    parameters = location.card.parameters
    if parameters >= 1e9:
        text = translate("agent", "{n} billion parameters")
        return text.replace("{n}", f"{parameters / 1e9:.1f}")
    text = translate("agent", "{n} million parameters")
    return text.replace("{n}", f"{max(parameters / 1e6, 1.0):.0f}") if parameters else ""


def size_text(size: int) -> str:
    """A size in the unit in which it is no zero."""
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{max(round(size / 1e6), 1)} MB"


def _needs(location: ModelLocation) -> str:
    card, engine = location.card, engine_kind(location.card.engine)
    if engine.is_server:
        return translate("agent", "a server that answers at its address")
    size = card.bytes or card.parameters * BYTES_PER_PARAMETER
    if not size:
        return engine.program
    memory = translate("agent", "{program} and about {size} of memory")
    if engine.wants_gpu:
        memory = translate("agent", "{program}, and a GPU with about {size} of memory")
    return memory.replace("{program}", engine.program).replace("{size}", size_text(size))


def _record_text(record: TrackRecord | None) -> str:
    if record is None:
        return translate("agent", "not yet compared with your own verdicts")
    text = translate("agent", "agreed with you on {k} of {n} you judged ({share})")
    text = text.replace("{k}", f"{record.agreed:,}").replace("{n}", f"{record.n:,}")
    return text.replace("{share}", rough_percent(record.agreed / record.n))
