"""Child process that reads a list and writes its entries to stdout.

Lists come from strangers: what a hostile or damaged one takes in time and memory, or a crash of
native code, ends this process and not the program. It also works in parallel to the storing.
"""

import json
import os
import signal
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, BinaryIO

# Run as a script: import the same packages as the parent, from the folder of this file.
sys.path.append(str(Path(__file__).resolve().parents[4]))

from agent.child_process.die_with_parent import die_with_parent
from agent.child_process.limit_memory import limit_memory
from agent.errors import WorkbenchError
from app.core.errors import ImportFailed, UnknownColumnsError
from app.core.importing.child import wire
from app.core.importing.entries import EntryMaker, InProcessSource
from app.core.importing.folder_list import FolderList
from app.core.importing.formats.contents import ListFile, RowBlock
from app.core.importing.formats.text_cells import CellMismatch
from app.core.importing.opening import OpenedList, first_rows, open_for_import, open_list
from app.core.importing.outside_paths import OutsideCounter, OutsidePaths
from app.core.importing.spectrum_locator import SpectrumLocator

HEARTBEAT_S = 0.2
COUNT_S = 0.5  # a preview counts no longer than this


def main() -> None:
    die_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C
    request = json.loads(sys.argv[1])
    limit_memory(request["memory_bytes"])
    sink = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # anything printed by libraries goes to stderr, not into the stream
    try:
        wire.write_message(sink, {"type": "started"})
        if request["is_preview"]:
            send_preview(request, sink)
        else:
            send_list(request, sink)
    except ImportFailed as error:
        wire.write_message(sink, {"type": "failed", "reason": str(error)})
    except MemoryError:
        megabytes = request["memory_bytes"] // 1024**2
        reason = f"reading it takes more than {megabytes:,} MB of memory"
        wire.write_message(sink, {"type": "failed", "reason": reason})
    except BrokenPipeError:  # the parent has stopped reading
        os._exit(1)


class Heartbeat:
    """Tells the parent that work goes on, so that it can look for a stop.

    It is a `should_stop` that never stops; `report` takes the number of spectra found so far.
    """

    def __init__(self, sink: BinaryIO) -> None:
        self._sink = sink
        self._last = time.monotonic()
        self._found: int | None = None

    def __call__(self) -> bool:
        if time.monotonic() - self._last > HEARTBEAT_S:
            wire.write_message(self._sink, {"type": "busy", "found": self._found})
            self._last = time.monotonic()
        return False

    def report(self, found: int, _: int | None) -> None:
        self._found = found
        self()


def send_preview(request: dict[str, Any], sink: BinaryIO) -> None:
    """Send the preview of a list, with its columns even if it cannot be imported as it is."""
    path, heartbeat = Path(request["path"]), Heartbeat(sink)
    try:
        opened = open_for_import(path, request["roles"], heartbeat, heartbeat.report)
    except ImportFailed as error:
        message: wire.Message = {"type": "failed", "reason": str(error)}
        with suppress(WorkbenchError, OSError):
            file = open_list(path)
            needs_roles = isinstance(error, UnknownColumnsError)
            rows, _ = first_rows(file)
            message = wire.preview_message(file, rows, problem=str(error), needs_roles=needs_roles)
    else:
        message = _opened_message(opened, **_counted(opened, path))
    wire.write_message(sink, message)


def send_list(request: dict[str, Any], sink: BinaryIO) -> None:
    path, heartbeat = Path(request["path"]), Heartbeat(sink)
    opened = open_for_import(path, request["roles"], heartbeat, heartbeat.report)
    wire.write_message(sink, _opened_message(opened))
    spectra = request["spectra"]
    locator = SpectrumLocator(
        path,
        None if spectra is None else Path(spectra),
        allow_absolute=request["allow_absolute"],
        allowed=request["allowed"],
        should_stop=heartbeat,
    )
    list_bytes = None if isinstance(opened.file, FolderList) else path.stat().st_size
    source = InProcessSource(opened, locator, list_bytes)
    for is_second_try in (False, True):
        try:
            for entries in source.entries():
                wire.write_entries(sink, entries)
        except CellMismatch:
            if is_second_try:
                raise ImportFailed("it was changed during the import: try again") from None
            source.recheck_types()
            wire.write_message(sink, {"type": "again"})
        else:
            wire.write_message(sink, {"type": "end", "outcome": asdict(source.summary())})
            return


def _counted(opened: OpenedList, path: Path) -> dict[str, Any]:
    """Further fields of the preview of a list."""
    if isinstance(opened.file, FolderList):
        return {"is_exact": True}
    locator = SpectrumLocator(path)
    maker = EntryMaker(opened.file.columns, opened.roles, locator)
    # The folder under the name given and with links resolved.
    roots = [os.path.normpath(path.parent.absolute()), os.path.realpath(path.parent)]
    rows, outside = count_rows(opened.file, maker.path_texts, roots)
    fields: dict[str, Any] = {"outside": asdict(outside), "is_exact": outside.is_complete}
    if not outside.folders and (at := opened.roles.number("path")) is not None:
        locator.add_links(str(row[at] or "") for row in opened.rows)
        links = locator.outside.found(is_complete=False)
        fields["outside"] = asdict(links if links.folders else outside)
    return fields | ({"estimate": rows} if outside.is_complete else {})


def count_rows(
    file: ListFile, paths_of: Callable[[RowBlock], Sequence[str]], roots: Iterable[str]
) -> tuple[int, OutsidePaths]:
    """Read an opened list for up to COUNT_S seconds; `paths_of` gives the paths of a block."""
    counter, rows, is_complete = OutsideCounter(roots), 0, False
    until = time.monotonic() + COUNT_S
    with suppress(ImportFailed, CellMismatch):  # told by the import
        for block in file.blocks():
            rows += len(block.lines) + len(block.refused)
            if block.lines:
                counter.add(paths_of(block))
            if time.monotonic() > until:
                break
        else:
            is_complete = True
    return rows, counter.found(is_complete=is_complete)


def _opened_message(opened: OpenedList, **more: Any) -> wire.Message:
    file = opened.file
    return wire.preview_message(
        file,
        opened.rows,
        opened.roles,
        sha256=file.sha256 if isinstance(file, FolderList) else "",
        refused=[[row.line, row.reason] for row in opened.refused[: wire.SHOWN_ROWS]],
        warnings=[*opened.notes, *file.warnings()],
        **more,
    )


if __name__ == "__main__":
    main()
