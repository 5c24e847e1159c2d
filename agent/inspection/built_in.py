"""The program's own inspectors, which are no models with a card of their own.

To add one, write its `BuiltIn` here and add it to INSPECTORS. Nothing is loaded before `make`.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable

from agent.engines.registry import engine_kind
from agent.errors import ResourceError, WorkbenchError
from agent.inspection.inspector import Inspector
from agent.models.registry import BUNDLED, ModelLocation, ready_model
from agent.trajectory.trajectory import ModelRef, Trajectory

MEASURED = "measured"
PANEL = "panel"
EYE = "nano-eye"  # the bundled model that looks

MEMBER = re.compile(
    r"(?P<name>\S{1,80}): (?P<said>(?P<verdict>YES|NO)(?:, p [<>]? ?[\d.]+)?)(?:\.|: (?P<why>.+))"
)
"""A line of a panel's answer: what one of its members said."""
SILENT = re.compile(r"(?P<name>[^\s]{1,80}): (?P<verdict>no verdict)\.")

Load = Callable[[ModelLocation], Inspector]


class BuiltIn(ABC):
    """An inspector of the program's own; its texts are English, and the window translates them."""

    name: str  # in commands, settings and records, there as the engine, too
    title: str  # what it is, in a table of models
    about: tuple[str, ...]  # what it is, where models are chosen
    made_of: str  # what it is, above the data that it learned from
    trained_on: str
    eye: str = ""
    """The name of the bundled model that looks for it; empty: it looks at no pictures."""
    starts_over: bool = False
    """Whether it always says the same, and begins again when a person adds a look."""
    reads_numbers: bool = False  # whether it judges by what is measured, too
    f1_on_real: float | None = None
    """Mean F1 over five classes on 135 labelled real spectra, in per cent: train/RESULTS.md."""
    quotes: bool = False  # whether its answer tells what others said, each with a record of its own

    def location(self) -> ModelLocation | None:
        """The bundled model that looks for it; None if it is not here, or not all of it."""
        return ready_model(BUNDLED / self.eye, "bundled") if self.eye else None

    def obstacle(self) -> str:
        """Why it cannot run here; empty if it can."""
        if not self.eye:
            return ""
        eye = self.location()
        if eye is None:
            return f"Needs the bundled model {self.eye}, which is not here"
        return engine_kind(eye.card.engine).obstacle()

    @property
    def needed_eye(self) -> ModelLocation:
        """The bundled model that looks for it. Raises ResourceError if it is not here."""
        eye = self.location()
        if eye is None:
            raise ResourceError(
                f"the {self.name} needs the bundled model {self.eye}, which is not here or not "
                "complete"
            )
        return eye

    @property
    def simulated_only(self) -> bool:
        """Whether it learned from simulated spectra only."""
        eye = self.location()
        return eye is not None and eye.card.simulated_only

    @abstractmethod
    def ref(self) -> ModelRef | None:
        """As its inspections are recorded, without loading it; None if its model is not here."""

    @abstractmethod
    def make(self, load: Load, *, draw: bool) -> Inspector:
        """Make it; `load` makes an inspector of a model."""


class BuiltInMeasured(BuiltIn):
    """The inspector without a model, which is always available."""

    name = MEASURED
    title = "Measurements only: always available, needs no model"
    about = ("Measurements only, needs no model", "weights fitted on simulations only")
    made_of = "measurements and rules, no model"
    trained_on = (
        "The rules are written by hand. Their weights were fitted to simulated spectra alone; "
        "the band strengths in those were taken from observed atlas stars."
    )
    starts_over = True
    reads_numbers = True
    f1_on_real = 98.6

    @property
    def simulated_only(self) -> bool:
        return True

    def ref(self) -> ModelRef:
        from agent.evidence.assessment import builtin_fingerprint

        return ModelRef(name=MEASURED, engine=MEASURED, sha256=builtin_fingerprint())

    def make(self, load: Load, *, draw: bool) -> Inspector:
        from agent.inspection.measured_inspector import MeasuredInspector

        return MeasuredInspector(draw=draw)


class BuiltInPanel(BuiltIn):
    """The bundled model that looks and the measured inspector, together."""

    name = PANEL
    title = f"{EYE} and measured together, each with its reasons"
    about = (title,)
    made_of = f"{EYE} and measured together"
    trained_on = "How much each counts was fitted to simulated spectra alone."
    eye = EYE
    reads_numbers = True
    f1_on_real = 98.3
    quotes = True

    def ref(self) -> ModelRef | None:
        from agent.inspection.panel_inspector import panel_ref

        eye = self.location()
        return None if eye is None else panel_ref(eye.ref)

    def make(self, load: Load, *, draw: bool) -> Inspector:
        from agent.inspection.panel_inspector import PanelInspector

        try:
            eye = self.needed_eye
        except ResourceError as error:
            raise WorkbenchError(f"{error}. Use `{MEASURED}`, which needs no model") from error
        return PanelInspector(load(eye))


INSPECTORS: list[BuiltIn] = [BuiltInMeasured(), BuiltInPanel()]
"""In the order in which they are listed, before all models."""


def built_in(name: str) -> BuiltIn | None:
    """The program's own inspector of that name; None if it is the name of a model."""
    return next((each for each in INSPECTORS if each.name == name.casefold()), None)


def opposed_members(record: Trajectory) -> str:
    """What a panel's members said if they contradict each other: "nano-eye NO, measured YES".

    Where one of them gave no answer, that is told, too: "nano-eye no verdict, measured YES".
    """
    own = built_in(record.model.engine)
    if own is None or not own.quotes:
        return ""
    lines = record.plain_reasons.splitlines()
    found = [each for line in lines if (each := MEMBER.fullmatch(line) or SILENT.fullmatch(line))]
    said = [each.group("name", "verdict") for each in found]
    is_opposed = len({verdict for _, verdict in said}) > 1
    return ", ".join(map(" ".join, said)) if is_opposed else ""
