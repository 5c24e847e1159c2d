"""What is done outside the GUI thread to hide known answers in a list."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from agent.errors import WorkbenchError
from app.core.session.session import Session
from app.core.session.spectra_folders import open_with_spectra
from app.core.sharing.known.hide import HideReport, count_places, hide_known, rate_of
from app.core.sharing.known.labelled_list import count_labels, read_labelled


@dataclass(frozen=True, kw_only=True)
class LabelledSource:
    """Where known spectra are."""

    path: Path
    spectra: Path | None = None
    """Their folder, if it is not that of the list."""
    is_trusted: bool = False
    """Whether the list may name spectra outside that folder."""


@dataclass(frozen=True, kw_only=True)
class HideOrder:
    """What the dialog asks for."""

    source: LabelledSource
    members: tuple[str, ...]
    """Labels of the class; without any, the name of the task's class."""
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


def read_places(session: Session) -> int:
    return count_places(session)


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
