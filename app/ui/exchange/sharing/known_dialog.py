"""The dialog that hides known answers in the list, to measure how well people judge."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QLayout, QWidget

from agent.errors import WorkbenchError
from app.core.reviewer_name import MAX_NAME, is_reviewer_name
from app.core.session.session import Session
from app.core.session.spectra_folders import open_with_spectra
from app.core.sharing.known.hide import HideReport, count_places, hide_known, rate_of
from app.core.sharing.known.labelled_list import count_labels, member_labels, read_labelled
from app.ui.exchange.sharing.dialog_parts import SharingDialog, form_of, names_in
from app.ui.session.session_context import SessionContext
from app.ui.widgets.file_dialogs import choose_folder, choose_labelled
from app.ui.widgets.file_field import FileField, is_folder, is_there
from app.ui.widgets.labels import button, check_box, cut, keep_current, one_line, wrapped_label
from app.ui.widgets.number_box import NumberBox

SIZE = 640, 620
SHARE = 0.05  # Proposed: so many of what is left to judge.
MAX_LABELS, MAX_SHOWN = 2000, 12


class KnownDialog(SharingDialog):
    """Asks for all; `wanted` gives the order to the window, which opens the session anew."""

    wanted = Signal(object)  # a `HideOrder`

    def __init__(self, context: SessionContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.places: int | None = None
        """How many candidates nobody has touched; None until that is known."""
        self.found: KnownSource | None = None
        self._reading: LabelledSource | None = None
        self.setWindowTitle(self.tr("Hide known answers"))
        listed = self.tr("List of spectra with a column of labels")
        self.path = FileField(listed, partial(choose_labelled, self), self)
        beside = self.tr("Folder of the spectra, if not beside the list")
        self.spectra = FileField(beside, partial(choose_folder, self), self)
        self.trust = check_box(self.tr("I trust this list: it may name spectra anywhere"))
        self.labels = wrapped_label("", "dim")
        self.members = self._line(MAX_LABELS, self._session.task.id)
        self.count = NumberBox(self.tr("How many"), low=1, high=20_000, decimals=0)
        self.share = wrapped_label("", "dim")
        self.seed = NumberBox(self.tr("Seed"), low=0, high=999_999, decimals=0)
        self.seed.show_value(0.0)
        self.lead = self._line(MAX_NAME, "")
        self.lead.setText(self._session.reviewer)
        self.hide_button = button(self.tr("Hide them"), "primary", self._order)
        self.close_button = button(self.tr("Close"), "", self.hide)
        self._lay_out(self._parts(), (), (self.close_button, self.hide_button), SIZE)
        for field in (self.path, self.spectra):
            field.changed.connect(self._read)
        self.trust.toggled.connect(self._read)
        for line in (self.members, self.lead):
            line.textChanged.connect(self._check)
        keep_current(self._check, self.count.entered)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.path.begin()
        work = partial(count_places, self._session)
        self._runner.run(work, self._show_places, self._fail, owner=self)

    @property
    def source(self) -> LabelledSource | None:
        """As the fields say; None while there is no such list."""
        path, spectra = self.path.path, self.spectra.path
        if path is None or not is_there(path) or is_folder(path):
            return None
        if spectra is not None and not is_folder(spectra):  # or half typed
            return None
        return LabelledSource(path=path, spectra=spectra, is_trusted=self.trust.isChecked())

    @property
    def member_names(self) -> tuple[str, ...]:
        return names_in(self.members.text())

    def _parts(self) -> tuple[QWidget | QLayout, ...]:
        about = self.tr(
            "Spectra whose class is known take places in the list that nobody has judged, and look"
            " like any other until they are judged. They measure how many members each person"
            " misses and how many look-alikes they accept, and are in no catalogue. Nobody is told"
            " which they are, the lead neither."
        )
        after = self.tr(
            "The session is opened anew. Run the agent and ask the catalogues only afterwards: an"
            " object without their answers would give itself away."
        )
        form = form_of(
            (self.tr("Labels of the class"), self.members),
            (self.tr("How many"), self.count),
            (self.tr("Seed"), self.seed),
            (self.tr("Name of the lead"), self.lead),
        )
        named = self.path, self.spectra, self.trust, self.labels
        before, below = wrapped_label(about, "dim"), wrapped_label(after, "dim")
        return before, *named, form, self.share, below

    def _show_places(self, places: int) -> None:
        self.places = places
        if self.count.value is None and places:
            self.count.show_value(max(1.0, round(SHARE * places)))
        self._check()

    def _read(self) -> None:
        """Read the labels of the list as the fields name it now."""
        source = self.source
        self.problem.clear()
        if source is None or (self.found is not None and self.found.source == source):
            self._check()
        elif not self.is_busy:
            self._reading = source
            self._run(partial(read_source, source), self._show, self._cannot_read)

    def _show(self, found: KnownSource) -> None:
        self.found = found
        self._read()

    def _cannot_read(self, error: WorkbenchError) -> None:
        if self.source == self._reading:
            self._fail(error)
        else:  # the fields were changed meanwhile
            self._read()

    def _check(self) -> None:
        """Say what the fields come to, and offer to hide once they make sense."""
        source, found = self.source, self.found
        is_read = found is not None and found.source == source
        labels = found.labels if found is not None and is_read else {}
        self.labels.setText(cut(self._label_text(labels)))
        self.labels.setVisible(bool(labels) or self.is_busy)
        self.share.setText(self._share_text())
        is_busy = self.is_busy or self._session.is_read_only
        wanted = self._members_among(labels), self.places, self.count.value
        has_lead = is_reviewer_name(self.lead.text().strip())
        self.hide_button.setEnabled(all(wanted) and has_lead and not is_busy)

    def _members_among(self, labels: Mapping[str, int]) -> int:
        """How many spectra have a label of the class."""
        wanted = member_labels(self._session.task, self.member_names)
        return sum(count for label, count in labels.items() if label.casefold() in wanted)

    def _label_text(self, labels: Mapping[str, int]) -> str:
        if self.is_busy:
            return self.tr("Reading the list…")
        shown = [f"{one_line(name)} {count:,}" for name, count in [*labels.items()][:MAX_SHOWN]]
        more = " …" if len(labels) > MAX_SHOWN else ""
        members = self._members_among(labels)
        text = self.tr("Of the class: {n}. All labels: {labels}")
        if labels and not members:
            text = self.tr("None is of the class: name those that are, below. All labels: {labels}")
        return text.replace("{n}", f"{members:,}").replace("{labels}", ", ".join(shown) + more)

    def _share_text(self) -> str:
        if self._session.is_read_only:
            return self.tr("This session is read-only")
        if self.places is None:
            return ""
        if not self.places:
            return self.tr("Everything has been judged or seen: no place is left to hide one in.")
        text = self.tr("{n} in the list are untouched; then {percent} % of them are known.")
        percent = rate_of(round(self.count.value or 0.0), self.places)
        return text.replace("{n}", f"{self.places:,}").replace("{percent}", f"{percent:.0f}")

    def _order(self) -> None:
        source = self.source
        if source is None or not self.hide_button.isEnabled():
            return
        order = HideOrder(
            source=source,
            members=self.member_names,
            count=round(self.count.value or 0.0),
            seed=round(self.seed.value or 0.0),
            by=self.lead.text().strip(),
        )
        self.hide()
        self.wanted.emit(order)


# What is done outside the GUI thread to hide known answers in a list.
@dataclass(frozen=True, kw_only=True)
class LabelledSource:
    """Where known spectra are."""

    path: Path
    spectra: Path | None = None  # their folder, if it is not that of the list
    is_trusted: bool = False  # whether the list may name spectra outside that folder


@dataclass(frozen=True, kw_only=True)
class HideOrder:
    """What the dialog asks for."""

    source: LabelledSource
    members: tuple[str, ...]  # Labels of the class; without any, the name of the task's class.
    count: int
    seed: int
    by: str


@dataclass(frozen=True)
class KnownSource:
    """What a list of known spectra offers."""

    source: LabelledSource
    labels: Mapping[str, int]


@dataclass
class Hiding:
    """Hides known answers in a session that no view shows, and keeps what came of it.

    Nobody may look at the list meanwhile: another spectrum would be judged than the one on screen.
    """

    place: Path | str
    reviewer: str
    order: HideOrder
    report: HideReport | None = None
    error: WorkbenchError | None = None

    def open(self) -> Session:
        """Open the session with them in it; where they could not be hidden, as it was."""
        session = open_with_spectra(self.place, self.reviewer)
        try:
            self.report = _hide(session, self.order)
        except WorkbenchError as error:
            self.error = error
        except BaseException:
            session.close()
            raise
        return session


def read_source(source: LabelledSource) -> KnownSource:
    labels = count_labels(source.path, spectra=source.spectra, allow_absolute=source.is_trusted)
    return KnownSource(source, dict(labels.most_common()))


def _hide(session: Session, order: HideOrder) -> HideReport:
    source = order.source
    labelled = read_labelled(
        source.path,
        session.task,
        members=order.members,
        spectra=source.spectra,
        allow_absolute=source.is_trusted,
    )
    rate = rate_of(order.count, count_places(session))
    return hide_known(session, labelled, rate, order.seed, by=order.by)
