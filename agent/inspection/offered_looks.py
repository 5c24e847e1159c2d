"""The looks that are offered to our own small model: windows of the guideline with data in them."""

from collections.abc import Iterator
from dataclasses import dataclass

from agent.protocol.reply import call_reply
from agent.protocol.tool import call_text
from agent.protocol.turn_form import LOOK, THINK
from agent.spectra.spectrum import Spectrum, Window, covers, frame_z
from agent.tasks.task import Task

MOST_LOOKS = 4
NARROWEST = 400
"""Angstrom; a narrower window of the guideline is widened, for what stands beside it."""
STEP = 10
OVERLAP = 0.6  # share of a window seen before from which it is not looked at


@dataclass(frozen=True)
class OfferedLook:
    """A window of the guideline as the agent asks for it."""

    range: tuple[int, int]
    label: str

    @property
    def arguments(self) -> dict[str, object]:
        return {"wavelength_range": list(self.range), "label": self.label}

    @property
    def call(self) -> str:
        return call_text(self.arguments)

    @property
    def text(self) -> str:
        """How a turn ends that asks for it."""
        return call_reply(f"{LOOK}{self.label}.", self.arguments).removeprefix(THINK)


def offered_looks(spectrum: Spectrum, task: Task) -> Iterator[OfferedLook]:
    """The first windows of the guideline that hold data and show something new."""
    shift = 1.0 + (frame_z(spectrum) or 0.0)
    seen: list[Window] = []
    for look in guideline_looks(task):
        low, high = look.range
        if not covers(spectrum, low * shift, high * shift):
            continue
        if any(min(high, b) - max(low, a) > OVERLAP * (high - low) for a, b in seen):
            continue
        seen.append((low, high))
        yield look
        if len(seen) == MOST_LOOKS:
            return


def shows_part(spectrum: Spectrum, task: Task) -> bool:
    """Whether a third or more of the guideline's windows hold no data."""
    shift = 1.0 + (frame_z(spectrum) or 0.0)
    looks = guideline_looks(task)
    missing = sum(not covers(spectrum, *(end * shift for end in look.range)) for look in looks)
    return missing >= len(looks) / 3


def guideline_looks(task: Task) -> list[OfferedLook]:
    looks = []
    for window in task.windows:
        low, high = window.range
        missing = max(0.0, NARROWEST - (high - low)) / 2
        ends = STEP * round((low - missing) / STEP), STEP * round((high + missing) / STEP)
        looks.append(OfferedLook(ends, window.label))
    return looks
