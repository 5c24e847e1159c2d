"""The worker's side: the main thread inspects, another one reads requests and steers what runs.

Only the standard library is loaded at the start; the rest comes with the first request.
"""

from __future__ import annotations

import faulthandler
import logging
import os
import queue
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from dataclasses import asdict
from typing import TYPE_CHECKING, BinaryIO, NoReturn

from agent.errors import WorkbenchError
from agent.inspection.control import Control, Interjection
from app.worker.errors import WireError
from app.worker.wire import WIRE_VERSION, Message, encode, read_message

if TYPE_CHECKING:
    from agent.inspection.interface import Inspector
    from agent.spectra.spectrum import Spectrum

LEAVE_GRACE_S = 0.5
"""For the main thread to stop between two tokens and let go of the model."""
MAX_TEXT = 2_000
MAX_DETAIL = 20_000

MakeInspector = Callable[..., "Inspector"]
"""Called with the name of a model, or None, and options by name."""


def main(make: MakeInspector) -> NoReturn:
    """Serve the parent until it says quit or is gone."""
    source, sink = take_over_pipes()
    faulthandler.enable()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    status = 0
    try:
        Worker(make, source, sink).serve()
    except SystemExit:
        pass
    except BaseException:
        traceback.print_exc()
        status = 1
    sys.stderr.flush()
    # Native libraries like to crash or hang while the interpreter is taken down.
    os._exit(status)


def take_over_pipes() -> tuple[BinaryIO, BinaryIO]:
    """The pipes for us alone: what else prints goes to stderr, what else reads finds nothing."""
    source, sink = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return os.fdopen(source, "rb"), os.fdopen(sink, "wb")


class Worker:
    def __init__(self, make: MakeInspector, source: BinaryIO, sink: BinaryIO) -> None:
        self._make = make
        self._source = source
        self._sink = sink
        self._writing = threading.Lock()
        self._inspector: Inspector | None = None
        self._requests: queue.SimpleQueue[Message | None] = queue.SimpleQueue()
        self._steering = threading.Lock()
        self._controls: dict[int, Control] = {}
        self._leaving = False
        self._finished = threading.Event()

    def serve(self) -> None:
        """Returns when the parent has said quit, or is gone."""
        self._emit({"type": "hello", "wire": WIRE_VERSION})
        logging.getLogger().addHandler(_LogHandler(self._emit))
        threading.Thread(target=self._read, name="requests", daemon=True).start()
        try:
            while (request := self._requests.get()) is not None and not self._leaving:
                self._answer(request)
        finally:
            self._let_go()
            self._finished.set()

    # The thread that reads

    def _read(self) -> None:
        try:
            while self._take_in():
                pass
        finally:
            self._leave()

    def _take_in(self) -> bool:
        """Read one message and see to it; False at the end."""
        try:
            message = read_message(self._source)
            if message is None or message["type"] == "quit":
                return False
            self._sort(message)
        except OSError:
            return False
        except (WireError, KeyError, TypeError, ValueError) as error:
            self._emit(_failed(f"the worker was sent what it cannot read: {error}"))
        return True

    def _sort(self, message: Message) -> None:
        kind, number = message["type"], int(message["id"])
        if kind == "ping":
            self._emit({"type": "pong", "id": number})
        elif kind in ("load", "unload"):
            self._requests.put(message)
        elif kind == "inspect":
            deadline_s = message["deadline_s"]
            control = Control(None if deadline_s is None else float(deadline_s))
            for earlier in message.get("steering", ()):
                _STEERING[earlier["type"]](control, earlier)
            with self._steering:
                self._controls[number] = control
            self._requests.put(message)
        elif kind in _STEERING:
            with self._steering:
                steered = self._controls.get(number)
            if steered is not None:  # else it has ended just now
                _STEERING[kind](steered, message)
        else:
            raise WireError(f"there is no request {kind[:40]!r}")

    def _leave(self) -> None:
        self._leaving = True
        with self._steering:
            running = list(self._controls.values())
        for control in running:
            control.cancel()
        self._requests.put(None)
        if not self._finished.wait(LEAVE_GRACE_S):
            os._exit(0)

    # The main thread

    def _answer(self, request: Message) -> None:
        number = request["id"]
        try:
            self._emit({**self._do(request), "id": number})
        except WorkbenchError as error:
            self._emit({**_failed(str(error)), "id": number})
        except Exception as error:
            # A fault of ours or of a library's: it costs this request, and is told in full.
            said = f"the inspector failed with {type(error).__name__}: {error}"
            detail = traceback.format_exc()[-MAX_DETAIL:]
            self._emit({**_failed(said), "detail": detail, "id": number})
        finally:
            with self._steering:
                self._controls.pop(number, None)

    def _do(self, request: Message) -> Message:
        if request["type"] == "inspect":
            return self._inspect(request)
        self._let_go()
        if request["type"] == "unload":
            return {"type": "unloaded"}
        self._inspector = self._make(request["model"], **request["options"])
        return {"type": "loaded", "model": asdict(self._inspector.model)}

    def _inspect(self, request: Message) -> Message:
        from agent.inspection.interface import run
        from agent.tasks.catalogue import task
        from agent.trajectory.trajectory_file import from_json, step_to_json, to_json

        if self._inspector is None:
            raise WireError("no model is loaded")
        number, so_far = request["id"], request.get("so_far")
        inspection = self._inspector.inspect(
            _spectrum(request),
            task(request["task"]),
            seed=int(request["seed"]),
            control=self._controls[number],
            on_text=lambda text: self._emit({"type": "text", "id": number, "text": text}),
            so_far=None if so_far is None else from_json(so_far),
        )
        trajectory = run(
            inspection,
            lambda step: self._emit({"type": "step", "id": number, "step": step_to_json(step)}),
        )
        return {"type": "done", "trajectory": to_json(trajectory)}

    def _let_go(self) -> None:
        inspector, self._inspector = self._inspector, None
        if inspector is not None:
            inspector.close()

    # Either

    def _emit(self, message: Message) -> None:
        line = encode(message)
        try:
            with self._writing:
                self._sink.write(line)
                self._sink.flush()
        except OSError as error:
            raise SystemExit from error  # the parent is gone: unwind, and let go of the model


def _interjection(message: Message) -> Interjection:
    wavelengths = message.get("range")
    low_high = None if wavelengths is None else (float(wavelengths[0]), float(wavelengths[1]))
    return Interjection(text=str(message["text"]), range=low_high, label=str(message["label"]))


_STEERING: dict[str, Callable[[Control, Message], None]] = {
    "cancel": lambda control, message: control.cancel(),
    "hold": lambda control, message: control.hold(),
    "go_on": lambda control, message: control.go_on(),
    "insert": lambda control, message: control.insert(_interjection(message)),
}


def _spectrum(request: Message) -> Spectrum:
    if "spectrum" in request:
        from app.worker.records import spectrum_from_json

        return spectrum_from_json(request["spectrum"])
    from agent.spectra.readers import read_numbered

    return read_numbered(request["path"], request["row"])


def _failed(message: str) -> Message:
    return {"type": "failed", "id": None, "message": message[:MAX_TEXT]}


class _LogHandler(logging.Handler):
    """Warnings and worse go into the parent's log."""

    def __init__(self, emit: Callable[[Message], None]) -> None:
        super().__init__(logging.WARNING)
        self._emit = emit

    def emit(self, record: logging.LogRecord) -> None:
        try:
            text = f"{record.name}: {record.getMessage()}"[:MAX_TEXT]
            self._emit({"type": "log", "level": record.levelno, "text": text})
        except Exception:
            self.handleError(record)
