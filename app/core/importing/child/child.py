"""Reads a list for the program that started it: entries to stdout, as they are ready.

A large list takes as long to be cut up and understood as to be stored, so both are done at once.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import BinaryIO

# Started by its path: the rest must come from where this file lies, as it does in the parent.
sys.path.append(str(Path(__file__).resolve().parents[4]))

from app.core.importing.child.wire import write_entries, write_message
from app.core.importing.errors import ImportFailed
from app.core.importing.formats.text_cells import CellMismatch
from app.core.importing.opening import find_list
from app.core.importing.places import Places
from app.core.importing.reading import Reading

PULSE_S = 0.2


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    asked = json.loads(sys.argv[1])
    sink = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what else prints goes to stderr
    try:
        spectra = asked["spectra"]
        places = Places(
            Path(asked["path"]),
            None if spectra is None else Path(spectra),
            allow_absolute=asked["allow_absolute"],
            should_stop=Heartbeat(sink),
        )
        send(Reading(find_list(Path(asked["path"]), asked["roles"]), places), sink)
    except ImportFailed as error:
        write_message(sink, {"type": "failed", "reason": str(error)})
    except BrokenPipeError:  # the parent has lost interest
        os._exit(1)


class Heartbeat:
    """Asked whether to stop, it lets the parent look whether somebody wants to, and ends us."""

    def __init__(self, sink: BinaryIO) -> None:
        self._sink = sink
        self._last = time.monotonic()

    def __call__(self) -> bool:
        if time.monotonic() - self._last > PULSE_S:
            write_message(self._sink, {"type": "busy"})
            self._last = time.monotonic()
        return False


def send(reading: Reading, sink: BinaryIO) -> None:
    for is_settled in (False, True):
        try:
            for entries in reading.entries():
                write_entries(sink, entries)
        except CellMismatch:
            if is_settled:
                raise ImportFailed("it was changed while it was read: try again") from None
            reading.settle()
            write_message(sink, {"type": "again"})
        else:
            write_message(sink, {"type": "end", "outcome": asdict(reading.outcome())})
            return


if __name__ == "__main__":
    main()
