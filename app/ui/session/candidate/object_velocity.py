"""The velocity of the object on screen: each object has its own, kept with the opinion of it."""

from dataclasses import replace

from PySide6.QtCore import QCoreApplication, QObject

from agent.spectra.pixel_grid import LIGHT_KMS
from app.core.queue import QueueRow
from app.core.session.records import Opinion
from app.core.session.velocity import Velocity
from app.ui.session.candidate.current import CurrentCandidate
from app.ui.session.candidate.view_options import RV_LIMIT_KMS, View

translate = QCoreApplication.translate


class ObjectVelocity(QObject):
    """Moves lines and windows to the velocity of each object, and keeps what the person sets.

    A velocity that is carried over from the object before, if the view options say so, is only
    shown: it is not a measurement of this object.
    """

    def __init__(self, current: CurrentCandidate, view: View, parent: QObject) -> None:
        super().__init__(parent)
        self._current, self._view = current, view
        self.is_carried = False
        current.candidate_changed.connect(self._on_candidate_changed)
        current.opinion_changed.connect(self._show)

    @property
    def kept(self) -> Velocity | None:
        """What the opinion on screen says, saved or not."""
        return self._current.opinion.velocity

    def z_of(self, row: QueueRow) -> float:
        """At which redshift this object will be shown, if it is the next one."""
        if (kept := row.opinion.velocity) is not None:
            return kept.kms / LIGHT_KMS
        return self._view.options.z if self._view.options.keep_velocity else 0.0

    def set(self, velocity: Velocity | None, *, save: bool = True) -> None:
        """Give the object this velocity; an unsaved one is saved when the candidate changes."""
        self.is_carried = False
        current = self._current
        if current.candidate is None or current.session.is_read_only:
            self._view.change(z=0.0 if velocity is None else velocity.kms / LIGHT_KMS)
            return
        current.change(replace(current.opinion, velocity=velocity), save=save)
        self._show(current.opinion)

    def set_by_hand(self, kms: float, *, save: bool = True) -> None:
        """At zero nothing is said about the object."""
        self.set(Velocity(kms=kms) if kms else None, save=save)

    def shift(self, kms: float) -> None:
        """By a key, which may be held: saved when the candidate changes."""
        self.set_by_hand(max(self._view.options.velocity_kms + kms, -RV_LIMIT_KMS), save=False)

    def set_quality(self, quality: int | None) -> None:
        velocity = self.kept or Velocity(kms=self._view.options.velocity_kms)
        self.set(replace(velocity, quality=quality))

    def _on_candidate_changed(self, _: object) -> None:
        options = self._view.options
        self.is_carried = options.keep_velocity and options.z != 0.0
        if not self.is_carried:
            self._view.change(z=0.0)
        self._show(self._current.opinion)

    def _show(self, opinion: Opinion) -> None:
        if opinion.velocity is not None:
            self.is_carried = False
            self._view.change(z=opinion.velocity.kms / LIGHT_KMS)
        elif not self.is_carried and not self._current.session.is_read_only:
            self._view.change(z=0.0)


def velocity_translated(velocity: Velocity) -> str:
    """As '−172 ± 9 km/s · from a template · quality 3'."""
    sources = {
        "hand": translate("velocity", "by hand"),
        "template": translate("velocity", "from a template"),
        "lines": translate("velocity", "from lines"),
        "header": translate("velocity", "of the header"),
        "list": translate("velocity", "of the list"),
    }
    parts = [velocity.shown, sources[velocity.source]]
    if velocity.quality is not None:
        quality = translate("velocity", "quality {number}")
        parts.append(quality.replace("{number}", str(velocity.quality)))
    return " · ".join(parts)
