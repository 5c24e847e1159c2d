"""A worker whose inspector does what the model's or the object's name says: run by its path."""

from __future__ import annotations

import ctypes
import faulthandler
import logging
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Generator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from agent.child_process.turn_taking import waiting
from app.worker.child import main

ZOOM = '<think>Look at Hα.</think><tool_call>{"name": "spectral_visualization_tool", "arguments": \
{"wavelength_range": [6500, 6600], "label": "Hα"}}</tool_call>'
ANSWER = r"<think>Broad emission.</think><answer>\boxed{YES} broad Hα</answer>"
NEVER = threading.Event()
LOCK = threading.Lock()
BARRIERS: dict[str, threading.Barrier] = {}


def make(model: str | None, **options: Any) -> Any:
    act, _, argument = (model or "good").partition(":")
    if act == "die":
        sys.stderr.write("the weights are \x1b[31mbroken\x1b[0m\n")
        sys.stderr.flush()
        os.kill(os.getpid(), signal.SIGKILL)
    if act == "die-unless-there" and not Path(argument).exists():
        Path(argument).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    if act == "stop":
        os.kill(os.getpid(), signal.SIGSTOP)
    if act == "slow":
        NEVER.wait()
    if act == "refuse":
        from agent.errors import WorkbenchError

        raise WorkbenchError("there is no model of that name")
    if act == "fault":
        raise KeyError("weights")
    return Scripted(model or "good", options)


class Scripted:
    """An Inspector with a script, or mischief, by the object's name."""

    def __init__(self, name: str, options: dict[str, Any]) -> None:
        from agent.trajectory.trajectory import ModelRef

        name = f"{options['sharing']} share" if name == "sharing" else name
        self.model = ModelRef(name=name, engine="scripted", sha256=str(options.get("threads")))

    def inspect(self, spectrum: Any, task: Any, **rest: Any) -> Generator[Any, None, Any]:
        act, _, argument = spectrum.object_id.partition(":")
        if act == "plain":
            return (yield from self._inspector().inspect(spectrum, task, **rest))
        mischief = getattr(self, f"_{act.replace('-', '_')}", None)
        with waiting():  # as for a server
            if mischief is not None:
                mischief(argument)
            while act == "quiet" and not rest["control"].should_stop():
                NEVER.wait(0.01)
        if act == "steered":
            yield from _wait_for_the_person(rest["control"], rest["on_text"])
        if act in ENDLESS:
            _speak(rest["on_text"], NEVER.is_set if act == "deaf" else rest["control"].should_stop)
        return self._record(
            spectrum, task, cancelled=act in (*ENDLESS, "quiet"), long=act == "huge"
        )

    def close(self) -> None:
        if self.model.name.startswith("note-close:"):
            Path(self.model.name.partition(":")[2]).touch()

    def _inspector(self) -> Any:
        from agent.inspection.model_inspector import ModelInspector
        from tests.scripted_engine import ScriptedEngine

        choices = {"YES": -0.25, "NO": -1.5}
        return ModelInspector(ScriptedEngine([ZOOM, ANSWER], choices=choices), self.model)

    def _record(self, spectrum: Any, task: Any, *, cancelled: bool, long: bool) -> Any:
        from agent.trajectory.trajectory import SpectrumRef, Trajectory

        return Trajectory(
            task=task.id,
            spectrum=SpectrumRef(
                object_id=spectrum.object_id, path=spectrum.path, row=spectrum.row
            ),
            model=self.model,
            stopped_by="cancelled" if cancelled else "answer",
            verdict=None if cancelled else "YES",
            replies=("x" * 17_000_000,) if long else (),
        )

    def _kill(self, argument: str) -> None:
        sys.stderr.write("ggml: out of \x1b[31mluck\x1b[0m\n")
        sys.stderr.flush()
        os.kill(os.getpid(), signal.SIGKILL)

    def _kill_unless_there(self, path: str) -> None:
        if not Path(path).exists():
            Path(path).touch()
            self._kill("")

    def _stop_unless_there(self, path: str) -> None:
        if not Path(path).exists():
            Path(path).touch()
            os.kill(os.getpid(), signal.SIGSTOP)

    def _stop(self, argument: str) -> None:
        os.kill(os.getpid(), signal.SIGSTOP)

    def _spin(self, argument: str) -> None:
        """In C, with Python's lock."""
        re.match(r"(a+)+$", "a" * 60 + "b")

    def _memory(self, argument: str) -> None:
        raise MemoryError

    def _kill_actor(self, argument: str) -> None:
        """The process that started this one, as where memory runs out."""
        os.kill(os.getppid(), signal.SIGKILL)
        NEVER.wait()

    def _segv(self, argument: str) -> None:
        faulthandler._sigsegv()  # type: ignore[attr-defined]

    def _exit(self, argument: str) -> None:
        os._exit(3)

    def _together(self, argument: str) -> None:
        """Wait until so many inspections do."""
        with LOCK:
            barrier = BARRIERS.setdefault(argument, threading.Barrier(int(argument)))
        barrier.wait(60)

    def _fault(self, argument: str) -> None:
        raise KeyError("picture")

    def _noisy(self, argument: str) -> None:
        sys.stdout.write("printed Å " + "x" * 100_000)
        sys.__stdout__.write("printed")  # type: ignore[union-attr]
        os.write(1, b'{"type": "done"}\n')
        if sys.platform != "win32":
            ctypes.CDLL(None).puts(b"from native code")
            ctypes.CDLL(None).fflush(None)
        subprocess.run([sys.executable, "-c", "print('from a child of its own')"], check=True)
        assert sys.stdin.read() == ""

    def _log(self, argument: str) -> None:
        logging.getLogger("some.library").warning("the \x1b[31mred\x1b[0m warning")
        logging.getLogger("some.library").info("not worth telling")


ENDLESS = ("endless", "deaf")


def _wait_for_the_person(control: Any, on_text: Any) -> Generator[Any, None, None]:
    from agent.trajectory.trajectory import Step

    control.wait_while_paused()
    while (inserted := control.next_interjection()) is not None:
        yield Step(kind="text", by="person", text=inserted.text)
        control.wait_while_paused()
    on_text("going on")


def _speak(on_text: Any, is_enough: Any) -> None:
    while not is_enough():
        on_text("Well. ")


if __name__ == "__main__":
    main(make)
