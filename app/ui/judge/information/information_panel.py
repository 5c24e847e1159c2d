"""The information panel: everything the survey and the list say about the current object."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QCoreApplication, QEvent, QModelIndex, QObject, QPoint, Qt, QTimer
from PySide6.QtGui import QAction, QColor, QFont, QGuiApplication
from PySide6.QtWidgets import QAbstractItemView, QMenu, QTableView, QWidget

from agent.spectra.spectrum import Spectrum
from app.core.importing.role_names import LABEL, normalized_name
from app.core.queue.column_values import gives_class_away
from app.core.session.own_fields import OwnField, own_fields
from app.core.session.own_fields import value_text as own_value_text
from app.core.session.records import Candidate, Change, Opinion
from app.core.session.session import list_roles
from app.core.session.subclass_and_fields import subclass_levels
from app.ui.base.theme.theme import CurrentTheme
from app.ui.session.candidate.object_velocity import velocity_translated
from app.ui.session.session_context import SessionContext
from app.ui.widgets.labels import column, keep_current, short_label
from app.ui.widgets.page_parts import OPEN, SHUT, FoldingCard
from app.ui.widgets.pair_table import Index, PairModel, Role, fit_rows, show_as_pairs
from app.ui.widgets.text_width import OnEvent

UPDATE_DELAY_MS = 30  # delay of updates, so that the spectrum is painted first
WIDEST, ROOM_PX = "designation", 22


class InformationPanel(QWidget):
    def __init__(self, context: SessionContext) -> None:
        super().__init__()
        self._current, self._current_theme = context.current, context.current_theme
        self._roles = list_roles(context.bridge.session)
        self._shut = {"header"}
        self._headings: dict[int, str] = {}
        self.card = FoldingCard(self.tr("Information"), self)
        self.model = InformationModel(context.current_theme, self)
        self.view = QTableView(self.card)
        self.empty = short_label(self.tr("No object selected"), "dim")
        self.card.inside.addWidget(self.empty)
        self.card.inside.addWidget(self.view, 1)
        column(self.card, parent=self)
        self._delay = QTimer(self, singleShot=True, interval=UPDATE_DELAY_MS)
        self._set_up_view()
        now, theme = context.current, context.current_theme
        now.candidate_changed.connect(self._start)
        for each in (now.row_changed, now.spectrum_changed, now.blind_mode.changed, theme.changed):
            each.connect(self._schedule)
        context.bridge.changed.connect(self._session_changed)
        keep_current(self._show, self._delay.timeout)

    def _set_up_view(self) -> None:
        view = self.view
        view.setModel(self.model)
        show_as_pairs(view, self.tr("Information"))
        view.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        view.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        view.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        view.customContextMenuRequested.connect(self._open_menu)
        view.clicked.connect(self._click)
        self.menu = QMenu(self)
        self.menu.triggered.connect(self._copy)
        OnEvent(view, self._fit_font, QEvent.Type.FontChange)
        self._fit_font()

    def _fit_font(self) -> None:
        metrics = self.view.fontMetrics()
        self.view.horizontalHeader().resizeSection(0, metrics.horizontalAdvance(WIDEST) + ROOM_PX)
        fit_rows(self.view)

    def _start(self, _: object) -> None:
        """What belongs to the object before goes in the turn in which another one comes."""
        self._headings = {}
        self.model.show_rows(())
        self._schedule(None)

    def _schedule(self, _: object) -> None:
        # A running timer is not restarted, so that the panel follows while a key is held.
        if not self._delay.isActive():
            self._delay.start()

    def _session_changed(self, change: Change) -> None:
        if change.aspect == "list":
            self._roles = list_roles(self._current.session)

    def _show(self) -> None:
        row = self._current.row
        self.empty.setVisible(row is None)
        self.view.setVisible(row is not None)
        if row is None:
            self.model.show_rows(())
            return
        facts = CandidateFacts(
            candidate=row.candidate,
            spectrum=self._current.spectrum,
            label_column=self._roles.get(row.candidate.list_id, {}).get("label", ""),
            # In a study the answer is for nobody to see, with the agent's or without.
            hides=self._current.blind_mode.in_study or self._current.blind_mode.hides(row),
            opinion=self._current.saved_opinion,
            fields=own_fields(self._current.session),
        )
        self._show_sections(sections(facts))

    def _show_sections(self, parts: Mapping[str, Sequence[InformationRow]]) -> None:
        rows: list[InformationRow] = []
        self._headings = {}
        for name, inside in parts.items():
            if name != "catalogue":
                self._headings[len(rows)] = name
                is_shut = name in self._shut
                count = f" ({len(inside)})" if is_shut else ""
                heading = f"{SHUT if is_shut else OPEN} {self._title(name)}{count}"
                rows.append(InformationRow(heading, is_heading=True))
            if name not in self._shut:
                rows.extend(inside)
        self.model.show_rows(rows)
        self.view.clearSpans()
        for row in self._headings:
            self.view.setSpan(row, 0, 1, 2)

    def _title(self, name: str) -> str:
        return {
            "opinion": self.tr("Your opinion"),
            "list": self.tr("From your list"),
            "file": self.tr("From the file"),
            "header": self.tr("Other header keywords"),
        }[name]

    def _click(self, index: QModelIndex) -> None:
        if (name := self._headings.get(index.row())) is not None:
            self._shut ^= {name}
            self._show()

    def _open_menu(self, at: QPoint) -> None:
        index = self.view.indexAt(at)
        self.menu.clear()
        if index.isValid() and index.row() not in self._headings:
            self.menu.addAction(self.tr("Copy value")).setData(self.model.value_of(index.row()))
        chosen = [each.row() for each in self.view.selectionModel().selectedRows()]
        if len(chosen) > 1:
            self.menu.addAction(self.tr("Copy selection")).setData(self.model.text_of(chosen))
        every = range(len(self.model.rows))
        self.menu.addAction(self.tr("Copy all")).setData(self.model.text_of(every))
        self.menu.popup(self.view.viewport().mapToGlobal(at))

    def _copy(self, action: QAction) -> None:
        QGuiApplication.clipboard().setText(str(action.data()))
        self._current.message.emit(self.tr("Copied"))


class InformationModel(PairModel):
    rows: Sequence[InformationRow]

    def __init__(self, current_theme: CurrentTheme, parent: QObject | None = None) -> None:
        super().__init__(current_theme, parent)
        self._bold = QFont()
        self._bold.setBold(True)

    def cell(self, row: InformationRow, is_name: bool, role: int) -> Any:
        if role == Role.DisplayRole:
            return row.name if is_name else self._value(row)
        if role == Role.ToolTipRole:
            return None if row.is_heading else f"{row.name}\n{self._value(row)}"
        if role == Role.ForegroundRole:
            theme = self._current_theme.theme
            return QColor(theme.dim if is_name or row.is_hidden else theme.text)
        if role == Role.FontRole and row.is_heading:
            return self._bold
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        if not index.isValid() or self.rows[index.row()].is_heading:
            return Qt.ItemFlag.ItemIsEnabled
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable

    def text_of(self, rows: Sequence[int]) -> str:
        """Names and values to copy, separated by tabs."""
        chosen = (self.rows[row] for row in sorted(rows) if 0 <= row < len(self.rows))
        return "\n".join(f"{row.name}\t{self._value(row)}" for row in chosen if not row.is_heading)

    def value_of(self, row: int) -> str:
        return self._value(self.rows[row])

    def _value(self, row: InformationRow) -> str:
        return self.tr("hidden: blind mode") if row.is_hidden else row.value


# What is known about an object, as rows of names and values. No widgets.
translate = QCoreApplication.translate
MAX_TEXT = 2000  # characters shown of one value; the headers come from untrusted files
MAX_ROWS = 600
CLASSES = frozenset(LABEL)  # columns that may name the class of an object
NO_OPINION = Opinion()

Columns = tuple[tuple[str, tuple[str, ...]], ...]
"""Catalogue column names, each with the header keys that may hold it; the first found counts."""


def _columns(words: str) -> Columns:
    """From words like `name=KEY,KEY`; the key of a name alone is the name in capitals."""
    pairs = (word.partition("=")[::2] for word in words.split())
    return tuple((name, tuple((keys or name.upper()).split(","))) for name, keys in pairs)


LAMOST = _columns(
    """
    obsid designation=DESIG obsdate=DATE-OBS lmjd mjd planid spid fiberid ra dec
    snru=SNRU,SN_U snrg=SNRG,SN_G snrr=SNRR,SN_R snri=SNRI,SN_I snrz=SNRZ,SN_Z snrb=SNR_B
    class subclass z z_err objtype magtype mag1 mag2 mag3 mag4 mag5
    mag_ps_g mag_ps_r mag_ps_i mag_ps_z mag_ps_y tsource=TSOURCE,OBJSOURC
    fibertype=FIB_TYPE,FIBERTYP tfrom tcomment offsets=OFFSET offsets_v=OFFSET_V ra_obs dec_obs
    """
)
# Not RA and DEC: in these headers they are where the telescope pointed.
SDSS = _columns(
    """
    specobjid=SPECOBJID,SPEC_ID plate=PLATEID,PLATE,FIELD mjd fiberid=FIBERID,FIBER catalogid
    ra=PLUG_RA,RAOBJ dec=PLUG_DEC,DECOBJ snmedian=SN_MEDIAN_ALL,SN_MEDIAN class subclass
    z zerr=Z_ERR zwarning sourcetype=SOURCETYPE,OBJTYPE programname run2d=RUN2D,VERS2D
    """
)
DESI = _columns(
    """
    targetid survey program healpix=HEALPIX,HPXPIXEL tileid night=NIGHT,LAST_NIGHT
    petal=PETAL,PETAL_LOC fiber target_ra target_dec spectype subtype z zerr zwarn
    deltachi2 objtype flux_g flux_r flux_z
    """
)
BY_SURVEY: Mapping[str, Columns] = {"LAMOST": LAMOST, "SDSS": SDSS, "BOSS": SDSS, "DESI": DESI}


@dataclass(frozen=True)
class InformationRow:
    name: str
    value: str = ""
    is_heading: bool = False
    is_hidden: bool = False  # the value is left out, because of blind mode


@dataclass(frozen=True, kw_only=True)
class CandidateFacts:
    """What the rows are made from. `label_column` is the list's name for its label; `hides` is
    whether blind mode hides the label."""

    candidate: Candidate
    spectrum: Spectrum | None = None
    label_column: str = ""
    hides: bool = False
    opinion: Opinion = NO_OPINION
    fields: tuple[OwnField, ...] = ()


def sections(facts: CandidateFacts) -> dict[str, tuple[InformationRow, ...]]:
    """Catalogue values, the list's other columns, the file, and the remaining header keywords.

    They are by the key of their heading, not by the text shown.
    """
    shown: set[str] = set()
    used_keys: set[str] = set()
    meta: Mapping[str, Any] = {} if facts.spectrum is None else facts.spectrum.meta
    parts = {
        "catalogue": tuple(_catalogue_rows(facts, shown, used_keys)),
        "opinion": tuple(_opinion_rows(facts)),
        "list": tuple(_list_rows(facts, shown)),
        "file": tuple(_file_rows(facts)),
    }
    left = [(key, value) for key, value in meta.items() if key not in used_keys]
    parts["header"] = tuple(_row(facts, key, value) for key, value in left[:MAX_ROWS])
    return {name: rows for name, rows in parts.items() if rows}


def value_text(value: object) -> str:
    if isinstance(value, float):
        return "" if math.isnan(value) else f"{value:.8g}"
    text = "" if value is None else str(value)[:MAX_TEXT]
    return " ".join(text.split())


def _catalogue_rows(
    facts: CandidateFacts, shown: set[str], used_keys: set[str]
) -> Iterator[InformationRow]:
    spectrum = facts.spectrum
    survey = "" if spectrum is None else spectrum.survey.upper()
    columns = next((each for name, each in BY_SURVEY.items() if survey.startswith(name)), ())
    if spectrum is None or not columns:
        yield from _default_rows(facts, shown)
        return
    reader_values = _reader_values(spectrum)
    for name, keys in columns:
        key = next((each for each in keys if value_text(spectrum.meta.get(each))), None)
        own = facts.candidate.own.get(name)
        value = own if value_text(own) else reader_values.get(name)
        if key is not None:
            value = spectrum.meta[key]
            used_keys.add(key)
        if value_text(value):
            shown.add(name)
            yield _row(facts, name, value)


def _default_rows(facts: CandidateFacts, shown: set[str]) -> Iterator[InformationRow]:
    """Rows for when the file is not read yet, or its survey has no known catalogue."""
    candidate = facts.candidate
    reader_values = {} if facts.spectrum is None else _reader_values(facts.spectrum)
    listed = {name: getattr(candidate, name) for name in ("object_id", "ra", "dec", "snr")}
    values = reader_values | {name: each for name, each in listed.items() if value_text(each)}
    for name in ("object_id", "ra", "dec", "snr", "class", "subclass", "z"):
        value = candidate.own.get(name, values.get(name))
        if value_text(value):
            shown.add(name)
            yield _row(facts, name, value)


def _list_rows(facts: CandidateFacts, shown: set[str]) -> Iterator[InformationRow]:
    candidate = facts.candidate
    if "object_id" not in shown and candidate.object_id:
        yield InformationRow("object", value_text(candidate.object_id))
    if candidate.score is not None:
        yield InformationRow("score", value_text(candidate.score))
    if candidate.snr is not None and "snr" not in shown:
        yield InformationRow("snr", value_text(candidate.snr))
    if candidate.label:
        name = facts.label_column or "label"
        value = "" if facts.hides else value_text(candidate.label)
        yield InformationRow(name, value, is_hidden=facts.hides)
    for name, value in candidate.own.items():
        if name not in shown and value_text(value):
            yield _row(facts, name, value)


def _opinion_rows(facts: CandidateFacts) -> Iterator[InformationRow]:
    """Sub-class, velocity and own fields, as far as the person has given them."""
    if facts.opinion.subclass:
        levels = " › ".join(subclass_levels(facts.opinion.subclass))
        yield InformationRow(translate("information", "sub-class"), levels)
    if facts.opinion.velocity is not None:
        yield InformationRow(
            translate("information", "velocity"), velocity_translated(facts.opinion.velocity)
        )
    titles = {each.name: each.shown for each in facts.fields}
    for name, value in facts.opinion.fields:
        yield InformationRow(titles.get(name, name), own_value_text(value))


def _file_rows(facts: CandidateFacts) -> Iterator[InformationRow]:
    candidate, spectrum = facts.candidate, facts.spectrum
    if spectrum is not None:
        survey = " ".join(filter(None, (spectrum.survey, spectrum.release)))
        yield InformationRow(translate("information", "survey"), survey)
        low, high = spectrum.range
        extent = translate("information", "{low} to {high} Å, {count} px")
        extent = extent.replace("{low}", f"{low:.0f}").replace("{high}", f"{high:.0f}")
        extent = extent.replace("{count}", f"{len(spectrum):,}")
        yield InformationRow(translate("information", "range"), extent)
        if spectrum.n_bad:
            yield InformationRow(translate("information", "bad pixels"), f"{spectrum.n_bad:,}")
        if spectrum.simulated:
            yes = translate("information", "yes")
            yield InformationRow(translate("information", "simulated"), yes)
    if candidate.path:
        yield InformationRow(translate("information", "path"), value_text(candidate.path))
    if candidate.row:
        yield InformationRow(translate("information", "row"), value_text(candidate.row))


def _row(facts: CandidateFacts, name: str, value: object) -> InformationRow:
    if _reveals_label(facts, name, value):
        return InformationRow(name, is_hidden=True)
    return InformationRow(name, value_text(value))


def _reveals_label(facts: CandidateFacts, name: str, value: object) -> bool:
    """Whether a value gives the hidden label away: the same column, a class equal to it, or what
    was known when it was chosen from a survey."""
    if not facts.hides:
        return False
    if gives_class_away(name):
        return True
    plain, label = normalized_name(name), facts.candidate.label
    if facts.label_column and plain == normalized_name(facts.label_column):
        return True
    is_same = value_text(value).casefold() == value_text(label).casefold()
    return bool(label) and plain in CLASSES and is_same


def _reader_values(spectrum: Spectrum) -> dict[str, object]:
    names = ("subclass", "z", "ra", "dec", "snr")
    return {"class": spectrum.class_name, **{name: getattr(spectrum, name) for name in names}}
