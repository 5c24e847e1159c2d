"""A child process that looks at spectra for `spec-o3 find`."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import BinaryIO, NoReturn

# The parent starts this file by path, so make sure that we import the same code as the parent.
sys.path.append(str(Path(__file__).resolve().parents[3]))

from agent.child_process.die_with_parent import die_with_parent
from app.worker.child import claim_pipes
from app.worker.wire import Message, encode, read_message


def main() -> NoReturn:
    """Answer until the parent says "quit", closes the pipe or dies."""
    die_with_parent()
    for library in ("OMP", "OPENBLAS", "MKL"):  # as many processes as processors work already
        os.environ.setdefault(f"{library}_NUM_THREADS", "1")
    source, sink = claim_pipes()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C
    from agent.evidence.quick import quick_weights
    from app.core.finding.inputs import Input
    from app.core.finding.looking import Look, LookSettings
    from app.core.finding.processes import found_message

    look = Look(LookSettings())
    while (message := read_message(source)) is not None and message["type"] != "quit":
        if message["type"] == "settings":
            look = Look(LookSettings.from_json(message))
            quick_weights()  # what is read from files is read before any spectrum is to blame
            _send(sink, {"type": "ready"})
        elif message["type"] == "look":
            _send(sink, found_message(look([Input(*each) for each in message["inputs"]])))
    os._exit(0)


def _send(sink: BinaryIO, message: Message) -> None:
    sink.write(encode(message))
    sink.flush()


if __name__ == "__main__":
    main()
