"""The inspection loop: generate a turn, parse it, answer it, repeat.

A model's mistake is recorded and shown to the model; nothing that it writes raises.
"""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from PIL import Image

from agent.engines.base import Conversation, Generated, OnText, SamplingSettings
from agent.errors import ToolError
from agent.hashing import picture_hash
from agent.inspection.control import Control, Interjection
from agent.inspection.offered_looks import OfferedLook
from agent.inspection.pictures import PictureMaker
from agent.protocol.protocol import CUT_SHORT, MAX_TOOL_TURNS, Turn
from agent.protocol.reply import NO_SUCH_TOOL, Reply, parse_published, parse_reply
from agent.protocol.rules import Rules
from agent.protocol.tool import TOOL_NAME, ToolResult, checked_arguments
from agent.protocol.turn_form import TurnForm
from agent.trajectory.trajectory import Step, StepKind, StoppedBy, Trajectory
from agent.trajectory.turns import feedback, person_turn, said_in

MAX_IDLE_TURNS = 8  # turns without a usable call or answer before we give up
MAX_PERSON_TURNS = 100
NO_CALLS_LEFT = f"All {MAX_TOOL_TURNS} calls are used up."
NOTHING_MORE = "a turn without a call and without a verdict ends the conversation"

Acted = tuple[Step, Image.Image | None]  # a step and the picture that was drawn for it, if any


@dataclass(eq=False)
class Episode:
    """One run of the loop in an open conversation; `steps` and `replies` grow as it runs."""

    conversation: Conversation
    picture_maker: PictureMaker
    sampling: SamplingSettings
    seed: int
    control: Control
    on_text: OnText | None = None
    steps: tuple[Step, ...] = ()
    replies: tuple[str, ...] = ()
    stopped_by: StoppedBy | None = None
    stop_reason: str = ""
    answer: Generated | None = None  # the turn with the verdict
    engine_seconds: float = 0.0
    offered: tuple[OfferedLook, ...] | None = None  # the only looks that may be asked for

    def __post_init__(self) -> None:
        self._turns: list[Turn] = []
        self._pictures: list[Image.Image] = []
        self._looks = sum(step.is_look for step in self.steps)
        calls = {step.turn for step in self.steps if step.by == "agent" and step.kind == "zoom"}
        self._calls = len(calls)
        self._idle = 0
        self._cut_short = False

    def begin(self, turns: Sequence[Turn], pictures: Sequence[Image.Image]) -> Iterator[Step]:
        """Feed the turns so far, and interjections that are already queued, to the engine."""
        self._turns, self._pictures = list(turns), list(pictures)
        yield from self._read_interjections()
        if self.stopped_by is None:
            self._append()

    def run(self) -> Iterator[Step]:
        """Run to the end; `stopped_by` then has the reason."""
        while self.stopped_by is None:
            generated, looked = self._generate(), False
            for step in self._read_turn(generated):  # none, where the time was up before a word
                self.steps += (step,)
                looked = step.is_look
                yield step
            if looked:
                self.control.pace()
            if self.stopped_by in (None, "answer"):
                yield from self._read_interjections()
            if self.stopped_by is None:
                self._append()

    def recorded(self, record: Trajectory) -> Trajectory:
        """The record with the steps and replies so far, and why they ended if they did."""
        record = replace(record, steps=self.steps, replies=self.replies)
        if self.stopped_by is None:
            return record
        return replace(record, stopped_by=self.stopped_by, stop_reason=self.stop_reason)

    def _append(self) -> None:
        turns, pictures = self._turns, self._pictures
        self._turns, self._pictures = [], []
        with self._engine_clock():
            self.conversation.append(turns, pictures, self.control.should_stop)

    def _generate(self) -> Generated:
        sampling, how = self.sampling, dict[str, Any](stop=self.rules.stop)
        if (form := self._form()) is not None:  # engines of plug-ins need not know it
            sampling = replace(sampling, max_new_tokens=form.most_tokens)
            how = {"stop": (*self.rules.stop, *form.stop), "form": form}
        with self._engine_clock():
            return self.conversation.generate(
                sampling,
                self.seed + len(self.replies),
                on_text=self.on_text,
                should_stop=self.control.should_stop,
                **how,
            )

    def _form(self) -> TurnForm | None:
        """What the next turn must be: each offered look once, and an answer at last."""
        if self.offered is None:
            return None
        seen = {step.range for step in self.steps if step.is_look}
        left = self.offered if self._calls < MAX_TOOL_TURNS else ()
        return TurnForm(tuple(look.text for look in left if look.range not in seen))

    def _read_turn(self, generated: Generated) -> Iterator[Step]:
        """Yield the steps of one turn, and queue what the model is shown next or stop."""
        started = time.perf_counter()
        turn = len(self.replies)
        self.replies += (generated.text,)
        reply = self._parse(generated.text, turn)
        if reply.thought:
            yield Step(kind="think", turn=turn, text=reply.thought)
        if generated.finish == "cancelled":
            self._stop("cancelled", cancel_reason(self.control))
            if reply.kind == "text" and reply.text and not reply.thought:
                yield Step(kind="text", turn=turn, text=reply.text)
            return
        last, picture = self._act(reply, generated, turn)
        yield replace(last, seconds=time.perf_counter() - started)
        answer = feedback(last, None if picture is None else self._looks, self.rules)
        if answer is not None:
            self._turns.append(answer)
        if picture is not None:
            self._pictures.append(picture)

    @property
    def rules(self) -> Rules:
        return self.picture_maker.rules

    def _parse(self, text: str, turn: int) -> Reply:
        if not self.rules.is_published:
            return parse_reply(text)
        said_before = said_in(self.steps, self.replies[:turn])
        return parse_published(text, said_before, may_call=turn + 1 < self.rules.turns)

    def _act(self, reply: Reply, generated: Generated, turn: int) -> Acted:
        """Carry out the turn; returns its last step."""
        if self.rules.is_published:
            return self._act_as_published(reply, generated, turn)
        cut_short = generated.finish == "length" and reply.kind in ("text", "error")
        if cut_short:
            if self._cut_short:
                self._stop("length", f"cut off twice at {self.sampling.max_new_tokens} tokens")
            self._cut_short = True
            return Step(kind="text", turn=turn, text=reply.text, error=CUT_SHORT), None
        self._cut_short = False
        if reply.kind == "answer":
            self.answer = generated
            self._stop("answer")
            return Step(kind="answer", turn=turn, text=reply.answer, verdict=reply.verdict), None
        if reply.kind == "call" and self._calls >= MAX_TOOL_TURNS:
            self._stop("turn_limit", NO_CALLS_LEFT)
            return self._refused(reply, turn, NO_CALLS_LEFT), None
        if reply.kind == "call":
            self._idle = 0
            self._calls += 1
            return self._look(reply, turn)
        self._idle += 1
        if self._idle > MAX_IDLE_TURNS:
            self._stop("turn_limit", f"{self._idle} turns without a usable call or answer")
        if reply.kind == "text":
            text = "" if reply.thought else reply.text
            return Step(kind="text", turn=turn, text=text), None
        kind: StepKind = "answer" if reply.answer else "zoom"
        return Step(kind=kind, turn=turn, text=reply.answer, error=reply.error), None

    def _act_as_published(self, reply: Reply, generated: Generated, turn: int) -> Acted:
        """Carry out a call, or end with what was said."""
        is_cut = generated.finish == "length"  # by our limit: theirs is that of the conversation
        if reply.kind == "answer" and not (is_cut and "\\boxed{" not in generated.text):
            self.answer = generated
            self._stop("answer")
            return Step(kind="answer", turn=turn, text=reply.answer, verdict=reply.verdict), None
        if reply.kind != "call" and is_cut:
            self._stop("length", f"cut off at {generated.tokens} tokens")
        elif reply.kind == "text" and turn + 1 >= self.rules.turns:
            self._stop("turn_limit", f"all {self.rules.turns} turns are used up")
        elif reply.kind == "text":
            self._stop("turn_limit", NOTHING_MORE)
        elif reply.tool != TOOL_NAME:
            why = NO_SUCH_TOOL.format(name=repr(reply.tool[:60]))
            return Step(kind="zoom", turn=turn, error=why), None
        else:
            return self._look(reply, turn)
        return Step(kind="text", turn=turn, text="" if reply.thought else reply.text), None

    def _look(self, reply: Reply, turn: int) -> Acted:
        try:
            picture, result = self.picture_maker.look(reply.arguments)
        except ToolError as error:
            return self._refused(reply, turn, str(error)), None
        self._looks += 1
        return self._look_step(picture, result, turn), picture

    def _look_step(self, picture: Image.Image, result: ToolResult, turn: int) -> Step:
        return Step(
            kind="zoom",
            turn=turn,
            text=result.text,
            range=result.range,
            label=result.label or "",
            measured=self.picture_maker.measure(*result.range),
            picture=picture_hash(picture),
            whole=result.whole,
        )

    def _refused(self, reply: Reply, turn: int, why: str) -> Step:
        try:
            wavelengths, label = checked_arguments(reply.arguments)
        except ToolError:
            return Step(kind="zoom", turn=turn, error=why)
        return Step(kind="zoom", turn=turn, range=wavelengths, label=label or "", error=why)

    def _read_interjections(self) -> Iterator[Step]:
        """Wait while paused, then read interjections; one after the answer reopens the run."""
        for _ in range(MAX_PERSON_TURNS):
            self.control.wait_while_paused()
            interjection = self.control.next_interjection()
            if interjection is None:
                break
            step, picture = self._interjection_step(interjection)
            self.steps += (step,)
            yield step
            person = person_turn(step, None if picture is None else self._looks)
            if person is not None:
                self._turns.append(person)
                if self.stopped_by == "answer":
                    self.stopped_by, self._idle = None, 0
            if picture is not None:
                self._pictures.append(picture)
        if self.stopped_by is None and self.control.should_stop():
            self._stop("cancelled", cancel_reason(self.control))

    def _interjection_step(self, interjection: Interjection) -> Acted:
        turn, shown, text = len(self.replies) - 1, interjection.range, interjection.text
        if shown is None:
            return Step(kind="text", by="person", turn=turn, text=text), None
        arguments = {"wavelength_range": list(shown), "label": interjection.label or None}
        try:
            picture, result = self.picture_maker.look(arguments)
        except ToolError as error:
            step = Step(kind="zoom", by="person", turn=turn, text=text, range=shown)
            return replace(step, label=interjection.label, error=str(error)), None
        self._looks += 1
        return replace(self._look_step(picture, result, turn), by="person", text=text), picture

    def _stop(self, why: StoppedBy, reason: str = "") -> None:
        self.stopped_by, self.stop_reason = why, reason

    @contextmanager
    def _engine_clock(self) -> Iterator[None]:
        started = time.perf_counter()
        try:
            yield
        finally:
            self.engine_seconds += time.perf_counter() - started


def cancel_reason(control: Control) -> str:
    if control.is_cancelled:
        return "stopped by the user"
    return f"the deadline of {control.deadline_s:g} s has passed"
