"""The child process: its main thread inspects, a second thread reads requests and steers.

Inspections that run side by side, most of whose time is spent waiting for a server, have a thread
each.

Only the standard library is imported at the start; heavy imports wait for the first request.
"""

from __future__ import annotations

import faulthandler
import gc
import logging
import os
import queue
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, BinaryIO, NoReturn

from agent.child_process.die_with_parent import die_with_parent
from agent.child_process.turn_taking import computing
from agent.errors import WorkbenchError
from agent.inspection.control import Control, Interjection
from app.worker.errors import WireError
from app.worker.wire import WIRE_VERSION, Message, encode, read_message

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

    from agent.inspection.inspector import Inspector
    from agent.spectra.spectrum import Spectrum

# Time for the main thread to stop between two tokens and free the model.
QUIT_GRACE_S = 0.5
MAX_THREADS = 4096
# Imported before threads need them: two that import the same at once may see half a module.
NEEDED_BESIDE = (
    "agent.inspection.inspector",
    "agent.rendering.published",
    "agent.spectra.readers",
    "agent.tasks.catalogue",
    "agent.trajectory.trajectory_file",
    "app.worker.request",
)
MAX_TEXT = 2_000
MAX_DETAIL = 20_000

NO_MEMORY = "there is not enough memory for it: close other programs or use fewer workers"

MakeInspector = Callable[..., "Inspector"]
"""Called with a model name or None, and options as keyword arguments."""


def main(make: MakeInspector) -> NoReturn:
    """Serve the parent until it sends "quit", closes the pipe or dies."""
    die_with_parent()
    source, sink = claim_pipes()
    faulthandler.enable()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C
    status = 0
    try:
        Worker(make, source, sink).serve()
    except SystemExit:
        pass
    except BaseException:
        traceback.print_exc()
        status = 1
    sys.stderr.flush()
    # Native libraries tend to crash or hang during interpreter shutdown.
    os._exit(status)


def claim_pipes() -> tuple[BinaryIO, BinaryIO]:
    """Reserve stdin and stdout for messages: prints go to stderr, other readers find no input."""
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
        self._write_lock = threading.Lock()
        self._inspector: Inspector | None = None
        self._requests: queue.SimpleQueue[Message | None] = queue.SimpleQueue()
        self._controls_lock = threading.Lock()
        self._controls: dict[int, Control] = {}
        self._side_by_side = False
        self._beside: ThreadPoolExecutor | None = None
        self._reading = threading.Lock()
        self._busy = 0
        self._is_quitting = False
        self._finished = threading.Event()

    def serve(self) -> None:
        """Return when the parent has sent "quit" or closed the pipe."""
        self._emit({"type": "hello", "wire": WIRE_VERSION})
        logging.getLogger().addHandler(_LogHandler(self._emit))
        threading.Thread(target=self._read, name="requests", daemon=True).start()
        try:
            while (request := self._requests.get()) is not None and not self._is_quitting:
                if self._side_by_side and request["type"] == "inspect":
                    self._serve_beside(request)
                else:
                    self._serve_request(request)
        finally:
            self._close_inspector()
            self._finished.set()

    # The reading thread

    def _read(self) -> None:
        try:
            while self._read_request():
                pass
        finally:
            self._quit()

    def _read_request(self) -> bool:
        """Read and dispatch one message; False at the end."""
        try:
            message = read_message(self._source)
            if message is None or message["type"] == "quit":
                return False
            self._dispatch(message)
        except OSError:
            return False
        except (WireError, KeyError, TypeError, ValueError) as error:
            self._emit(_failed(f"the worker received an unreadable message: {error}"))
        return True

    def _dispatch(self, message: Message) -> None:
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
            with self._controls_lock:
                self._controls[number] = control
            self._requests.put(message)
        elif kind in _STEERING:
            with self._controls_lock:
                running = self._controls.get(number)
            if running is not None:  # otherwise the inspection has just ended
                _STEERING[kind](running, message)
        else:
            raise WireError(f"unknown request {kind[:40]!r}")

    def _quit(self) -> None:
        self._is_quitting = True
        with self._controls_lock:
            running = list(self._controls.values())
        for control in running:
            control.cancel()
        self._requests.put(None)
        if not self._finished.wait(QUIT_GRACE_S):
            os._exit(0)

    # The main thread

    def _serve_beside(self, request: Message) -> None:
        from concurrent.futures import ThreadPoolExecutor

        if self._beside is None:
            # threads are made as they are needed; the parent limits how many
            self._beside = ThreadPoolExecutor(MAX_THREADS, "inspection")
        try:
            self._beside.submit(self._serve_request, request)
        except RuntimeError as error:  # no more threads
            self._emit({**_failed(f"{NO_MEMORY} ({error})"), "id": request["id"]})

    # The main thread, or the inspection's own

    def _serve_request(self, request: Message) -> None:
        number = request["id"]
        try:
            self._emit({**self._execute(request), "id": number})
        except WorkbenchError as error:
            self._emit({**_failed(str(error)), "id": number})
        except MemoryError:
            self._emit({**_failed(NO_MEMORY), "detail": _trace(), "id": number})
        except Exception as error:
            # A bug of ours or of a library fails this request only; report the traceback.
            text = f"the inspector failed with {type(error).__name__}: {error}"
            self._emit({**_failed(text), "detail": _trace(), "id": number})
        finally:
            with self._controls_lock:
                self._controls.pop(number, None)

    def _execute(self, request: Message) -> Message:
        if request["type"] == "inspect":
            return self._inspect(request)
        self._close_inspector()
        if request["type"] == "unload":
            return {"type": "unloaded"}
        options = request["options"]
        self._inspector = self._make(request["model"], **options)
        self._side_by_side = options.get("side_by_side", False)
        if self._side_by_side:
            for module in NEEDED_BESIDE:
                import_module(module)
        # What is loaded now stays: it need not be looked through again and again for garbage.
        gc.freeze()
        return {"type": "loaded", "model": asdict(self._inspector.model)}

    def _inspect(self, request: Message) -> Message:
        from agent.inspection.inspector import run
        from agent.tasks.catalogue import find_task
        from agent.trajectory.trajectory_file import from_json, step_to_json, to_json

        if self._inspector is None:
            raise WireError("no model is loaded")
        number, so_far = request["id"], request.get("so_far")
        quiet = self._side_by_side

        def tell(kind: str, value: object) -> None:
            self._emit({"type": kind, "id": number, kind: value})

        spectrum = self._read_alone(request) if quiet else _spectrum(request)
        inspection = self._inspector.inspect(
            spectrum,
            find_task(request["task"]),
            seed=int(request["seed"]),
            control=self._controls[number],
            on_text=None if quiet else partial(tell, "text"),
            so_far=None if so_far is None else from_json(so_far),
        )
        if quiet:
            with computing():
                trajectory = to_json(run(inspection))
        else:
            trajectory = to_json(run(inspection, lambda step: tell("step", step_to_json(step))))
        return {"type": "done", "trajectory": trajectory, "busy": self._newly_busy()}

    def _newly_busy(self) -> int:
        """How often the model's server said since the last call that it has too much to do."""
        with self._controls_lock:
            told, self._busy = self._busy, getattr(self._inspector, "busy", 0)
            return max(0, self._busy - told)

    def _read_alone(self, request: Message) -> Spectrum:
        """Read while no other inspection does, so that the parent knows which file kills us."""
        with self._reading:
            self._emit({"type": "reading", "id": request["id"]})
            try:
                return _spectrum(request)
            finally:
                self._emit({"type": "read", "id": request["id"]})

    def _close_inspector(self) -> None:
        beside, self._beside = self._beside, None
        if beside is not None and not self._is_quitting:
            beside.shutdown()
        inspector, self._inspector = self._inspector, None
        gc.unfreeze()
        if inspector is not None:
            inspector.close()

    # Either thread

    def _emit(self, message: Message) -> None:
        line = encode(message)
        try:
            with self._write_lock:
                self._sink.write(line)
                self._sink.flush()
        except OSError as error:
            raise SystemExit from error  # the parent is gone: unwind and free the model


def _interjection(message: Message) -> Interjection:
    wavelengths = message.get("range")
    low_high = None if wavelengths is None else (float(wavelengths[0]), float(wavelengths[1]))
    return Interjection(text=str(message["text"]), range=low_high, label=str(message["label"]))


_STEERING: dict[str, Callable[[Control, Message], None]] = {
    "cancel": lambda control, message: control.cancel(),
    "hold": lambda control, message: control.pause(),
    "go_on": lambda control, message: control.resume(),
    "pace": lambda control, message: control.set_pace(float(message["look_s"])),
    "insert": lambda control, message: control.insert(_interjection(message)),
}


def _spectrum(request: Message) -> Spectrum:
    if "spectrum" in request:
        from app.worker.request import spectrum_from_json

        return spectrum_from_json(request["spectrum"])
    from agent.spectra.readers import read_numbered

    return read_numbered(request["path"], request["row"])


def _trace() -> str:
    return traceback.format_exc()[-MAX_DETAIL:]


def _failed(message: str) -> Message:
    return {"type": "failed", "id": None, "message": message[:MAX_TEXT]}


class _LogHandler(logging.Handler):
    """Sends warnings and errors to the parent's log."""

    def __init__(self, emit: Callable[[Message], None]) -> None:
        super().__init__(logging.WARNING)
        self._emit = emit

    def emit(self, record: logging.LogRecord) -> None:
        try:
            text = f"{record.name}: {record.getMessage()}"[:MAX_TEXT]
            self._emit({"type": "log", "level": record.levelno, "text": text})
        except Exception:
            self.handleError(record)
