"""An assistant's proposal of a verdict, kept as an inspection of the model `mcp: NAME`.

The window shows it among the inspections, and the queue and the catalogue in columns of its own. It
is never a verdict: statistics, exports and agreement between people count only what people gave.
"""

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from agent.evidence.measurements import window_table
from agent.protocol.reply import Verdict
from agent.protocol.tool import MAX_LABEL, MAX_WAVELENGTH
from agent.rendering.window import single_line
from agent.spectra.spectrum import Spectrum
from agent.trajectory.trajectory import ModelRef, SpectrumRef, Step, Trajectory
from app.core.inspections.seen import SeenResult, record_seen, seen_of
from app.core.inspections.store import add_inspection
from app.core.session.proposals import ASSISTANT
from app.core.session.session import Session, open_session, require_class
from app.mcp.sources import SourceError, Sources

ENGINE = "mcp"
MAX_NAME = 60
MAX_REASONS = 4000
MAX_WINDOWS = 8

Proposed = Literal["ACCEPT", "REJECT", "UNSURE"]
NOT_BLIND = "Proposed with an agent's answer known, or not denied."
ANSWERS: dict[Proposed, Verdict | None] = {"ACCEPT": "YES", "REJECT": "NO", "UNSURE": None}


Wavelength = Annotated[float, Field(ge=0, le=MAX_WAVELENGTH, allow_inf_nan=False)]


class ProposedWindow(BaseModel):
    """A window of the spectrum that is evidence for a proposal."""

    model_config = ConfigDict(extra="forbid")
    low: Wavelength
    high: Wavelength
    label: Annotated[str, Field(max_length=MAX_LABEL)] = ""


def assistant(name: str) -> ModelRef:
    """The model under which the proposals of an assistant of that name are kept."""
    name = single_line(name, MAX_NAME)
    if not name:
        raise SourceError("give the assistant a name with --name")
    return ModelRef(name=f"{ASSISTANT}{name}", engine=ENGINE)


class Proposals:
    """Adds an assistant's proposals to a session. Any thread.

    The session is opened for writing only meanwhile: a file has one writer, and the window may be
    that at other times.
    """

    def __init__(
        self, location: Path | str, reviewer: str, sources: Sources, model: ModelRef
    ) -> None:
        self._location, self._reviewer = location, reviewer
        self._sources, self._model = sources, model
        self._writing = threading.Lock()

    def add(
        self,
        candidate_id: int,
        verdict: Proposed,
        reasons: str,
        windows: Sequence[ProposedWindow],
        agent_seen: bool = True,
    ) -> dict[str, Any]:
        """Keep a proposal; a later one of the same assistant replaces it.

        The record says so if it was not made blind. Raises WorkbenchError, as where another program
        writes to the session, or where `agent_seen` is denied and the assistant was told.
        """
        candidate = self._sources.needed_session().candidate(candidate_id)
        spectrum = self._sources.read("", candidate_id, 0) if windows else None
        answer, said = ANSWERS[verdict], reasons.strip()
        if answer is None:  # an agent says YES or NO, or nothing
            said = f"{verdict}: {said}"
        seen = SpectrumRef(
            object_id=candidate.object_id,
            path=candidate.path,
            row=0 if spectrum is None else spectrum.row,
            simulated=spectrum is not None and spectrum.simulated,
        )
        with self._writing, open_session(self._location, self._reviewer) as session:
            require_class(session.task)
            self._note_told(session)
            if not agent_seen and seen_of(session, [candidate_id], self._model.name):
                raise SourceError(
                    f"you were told what an agent says of candidate {candidate_id}: "
                    "leave `agent_seen` as it is"
                )
            steps = [_look(spectrum, window, turn) for turn, window in enumerate(windows)]
            if agent_seen:
                steps.append(Step(kind="text", turn=len(steps), text=NOT_BLIND))
            steps.append(Step(kind="answer", turn=len(steps), text=said, verdict=answer))
            record = Trajectory(
                task=session.task.id,
                spectrum=seen,
                model=self._model,
                steps=tuple(steps),
                replies=(said,),
                stopped_by="answer",
                verdict=answer,
                well_formed=True,
            )
            stored = add_inspection(session, candidate_id, record)
        return {
            "candidate": candidate_id,
            "proposed": verdict,
            "agent_seen": agent_seen,
            "kept_as": self._model.name,
            "at": stored.at,
            "note": "a proposal, not a verdict: a person decides",
        }

    def _note_told(self, session: Session) -> None:
        """Keep what this assistant knows of agents, also for when it is started again."""
        told, name = sorted(self._sources.told), self._model.name
        before = seen_of(session, told, name)
        record_seen(session, {each: SeenResult() for each in told if each not in before}, name)


def _look(spectrum: Spectrum | None, window: ProposedWindow, turn: int) -> Step:
    if spectrum is None:
        raise SourceError("this candidate has no spectrum in which windows could be seen")
    if not window.low < window.high:
        raise SourceError("a window starts below its end")
    return Step(
        kind="zoom",
        turn=turn,
        range=(window.low, window.high),
        label=single_line(window.label, 200),
        # What we measure there is kept beside it, so that a line that is not there is seen.
        measured=window_table(spectrum, window.low, window.high),
    )
