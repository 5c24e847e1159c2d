"""Child process that reads a list and writes its entries to stdout.

Parsing a large list takes as long as storing it, so the two processes work in parallel.
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

# Run as a script: import the same packages as the parent, from the folder of this file.
sys.path.append(str(Path(__file__).resolve().parents[4]))

from app.core.errors import ImportFailed
from app.core.importing.child.wire import write_entries, write_message
from app.core.importing.entry_source import InProcessSource
from app.core.importing.formats.text_cells import CellMismatch
from app.core.importing.opening import open_for_import
from app.core.importing.spectrum_locator import SpectrumLocator

HEARTBEAT_S = 0.2


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C
    request = json.loads(sys.argv[1])
    sink = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # anything printed by libraries goes to stderr, not into the stream
    try:
        spectra = request["spectra"]
        locator = SpectrumLocator(
            Path(request["path"]),
            None if spectra is None else Path(spectra),
            allow_absolute=request["allow_absolute"],
            should_stop=Heartbeat(sink),
        )
        send_entries(
            InProcessSource(open_for_import(Path(request["path"]), request["roles"]), locator), sink
        )
    except ImportFailed as error:
        write_message(sink, {"type": "failed", "reason": str(error)})
    except BrokenPipeError:  # the parent has stopped reading
        os._exit(1)


class Heartbeat:
    """A `should_stop` that sends "busy" messages, so that the parent can look for a stop."""

    def __init__(self, sink: BinaryIO) -> None:
        self._sink = sink
        self._last = time.monotonic()

    def __call__(self) -> bool:
        if time.monotonic() - self._last > HEARTBEAT_S:
            write_message(self._sink, {"type": "busy"})
            self._last = time.monotonic()
        return False


def send_entries(source: InProcessSource, sink: BinaryIO) -> None:
    for is_second_try in (False, True):
        try:
            for entries in source.entries():
                write_entries(sink, entries)
        except CellMismatch:
            if is_second_try:
                raise ImportFailed("it was changed during the import: try again") from None
            source.recheck_types()
            write_message(sink, {"type": "again"})
        else:
            write_message(sink, {"type": "end", "outcome": asdict(source.summary())})
            return


if __name__ == "__main__":
    main()
