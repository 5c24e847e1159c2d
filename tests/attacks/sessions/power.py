"""A disk that loses power: SQLite's writes are recorded, then cut at any moment.

SQLite reaches files through a table of functions (its VFS). A copy of that table records what is
written and when it is synced; what was not synced at the cut may be there, be missing, or be torn.
"""

import _sqlite3
import ctypes
import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

SECTOR = 512
OK = 0

_POINTER = ctypes.c_void_p
_OPEN = ctypes.CFUNCTYPE(ctypes.c_int, _POINTER, _POINTER, _POINTER, ctypes.c_int, _POINTER)
_DELETE = ctypes.CFUNCTYPE(ctypes.c_int, _POINTER, _POINTER, ctypes.c_int)
_WRITE = ctypes.CFUNCTYPE(ctypes.c_int, _POINTER, _POINTER, ctypes.c_int, ctypes.c_int64)
_TRUNCATE = ctypes.CFUNCTYPE(ctypes.c_int, _POINTER, ctypes.c_int64)
_SYNC = ctypes.CFUNCTYPE(ctypes.c_int, _POINTER, ctypes.c_int)


class _Vfs(ctypes.Structure):
    _fields_ = (
        ("version", ctypes.c_int),
        ("file_size", ctypes.c_int),
        ("longest_path", ctypes.c_int),
        ("next", _POINTER),
        ("name", ctypes.c_char_p),
        ("data", _POINTER),
        ("open", _POINTER),
        ("delete", _POINTER),
        ("others", _POINTER * 14),
    )


class _Methods(ctypes.Structure):
    _fields_ = (
        ("version", ctypes.c_int),
        ("close", _POINTER),
        ("read", _POINTER),
        ("write", _POINTER),
        ("truncate", _POINTER),
        ("sync", _POINTER),
        ("others", _POINTER * 13),
    )


class _File(ctypes.Structure):
    _fields_ = (("methods", ctypes.POINTER(_Methods)),)


@dataclass(frozen=True)
class Event:
    """Something that happened to a file, or an acknowledgement, whose `what` tells which."""

    kind: str
    name: str = ""
    offset: int = 0
    data: bytes = b""
    what: Any = None


_kept_alive: list[Any] = []
"""SQLite may still hold these when the recording is over."""


@contextmanager
def recorded() -> Iterator[list[Event]]:
    """Record what SQLite writes in this process, as it happens."""
    library = ctypes.CDLL(getattr(_sqlite3, "__file__", None))
    library.sqlite3_vfs_find.restype = ctypes.POINTER(_Vfs)
    library.sqlite3_vfs_register.argtypes = (_POINTER, ctypes.c_int)
    library.sqlite3_vfs_unregister.argtypes = (_POINTER,)
    original = library.sqlite3_vfs_find(None)
    events: list[Event] = []
    names: dict[int, str] = {}
    methods: dict[int, _Methods] = {}

    def overridden(real: _Methods) -> _Methods:
        real_write, real_truncate = _WRITE(real.write), _TRUNCATE(real.truncate)
        real_sync = _SYNC(real.sync)

        def write(file: int, data: int, count: int, offset: int) -> int:
            code = real_write(file, data, count, offset)
            if code == OK:
                events.append(Event("write", names[file], offset, ctypes.string_at(data, count)))
            return code

        def truncate(file: int, size: int) -> int:
            code = real_truncate(file, size)
            if code == OK:
                events.append(Event("truncate", names[file], size))
            return code

        def sync(file: int, flags: int) -> int:
            code = real_sync(file, flags)
            if code == OK:
                events.append(Event("sync", names[file]))
            return code

        ours = _Methods.from_buffer_copy(real)
        own = _WRITE(write), _TRUNCATE(truncate), _SYNC(sync)
        ours.write, ours.truncate, ours.sync = (ctypes.cast(each, _POINTER) for each in own)
        _kept_alive.append((own, ours))
        return ours

    real_open, real_delete = _OPEN(original.contents.open), _DELETE(original.contents.delete)

    def opened(vfs: int, name: int | None, file: int, flags: int, out: int) -> int:
        code = real_open(vfs, name, file, flags, out)
        if code == OK:
            names[file] = _file_name(name)
            found = _File.from_address(file)
            key = ctypes.addressof(found.methods.contents)
            if key not in methods:
                methods[key] = overridden(found.methods.contents)
            found.methods = ctypes.pointer(methods[key])
        return code

    def deleted(vfs: int, name: int, syncs_folder: int) -> int:
        code = real_delete(vfs, name, syncs_folder)
        if code == OK:
            events.append(Event("delete", _file_name(name)))
        return code

    ours = _Vfs.from_buffer_copy(original.contents)
    own = _OPEN(opened), _DELETE(deleted)
    ours.open, ours.delete = (ctypes.cast(each, _POINTER) for each in own)
    ours.name, ours.next = b"recorded", None
    _kept_alive.append((own, ours, names, methods))
    assert library.sqlite3_vfs_register(ctypes.addressof(ours), 1) == OK
    try:
        yield events
    finally:
        library.sqlite3_vfs_register(original, 1)
        library.sqlite3_vfs_unregister(ctypes.addressof(ours))


def _file_name(name: int | None) -> str:
    return Path(ctypes.string_at(name).decode()).name if name else ""


@dataclass
class _FileOnDisk:
    """What surely is on the disk, None for no file, and what was done to it since."""

    content: bytes | None = None
    pending: list[Event] = field(default_factory=list)


class Disk:
    """The files of one folder, as far as the power can take them away."""

    def __init__(self, folder: Path) -> None:
        self._files = {each.name: _FileOnDisk(each.read_bytes()) for each in folder.iterdir()}

    def follow(self, event: Event) -> None:
        file = self._files.setdefault(event.name, _FileOnDisk())
        if event.kind != "sync":
            file.pending.append(event)
            return
        content = None if file.content is None else bytearray(file.content)
        for each in file.pending:
            content = _applied(content, each, [True] * _sectors(each))
        file.content = b"" if content is None else bytes(content)
        file.pending.clear()

    def is_at_risk(self) -> bool:
        return any(file.pending for file in self._files.values())

    def after_cut(self, folder: Path, chance: random.Random) -> None:
        """Write what a disk may hold when it lost its power now."""
        share = chance.choice([0.0, 0.2, 0.5, 0.9, 1.0])
        for name, file in self._files.items():
            if name.endswith("-shm"):  # SQLite makes it anew
                continue
            content = None if file.content is None else bytearray(file.content)
            for each in file.pending:
                kept = [chance.random() < share for _ in range(_sectors(each))]
                content = _applied(content, each, kept, chance)
            if content is not None:
                (folder / name).write_bytes(content)


def _sectors(event: Event) -> int:
    """The sectors that a write touches; 1 for what happens to a whole file."""
    if event.kind != "write":
        return 1
    end = event.offset + len(event.data)
    return -(-end // SECTOR) - event.offset // SECTOR


def _applied(
    content: bytearray | None, event: Event, kept: list[bool], tearing: random.Random | None = None
) -> bytearray | None:
    if event.kind == "delete":
        return None if kept[0] else content
    content = bytearray() if content is None else content
    if event.kind == "truncate":
        if kept[0]:
            del content[event.offset :]
        return content
    first = event.offset // SECTOR
    for index, is_kept in enumerate(kept):
        start = max(event.offset, (first + index) * SECTOR)
        end = min(event.offset + len(event.data), (first + index + 1) * SECTOR)
        piece = event.data[start - event.offset : end - event.offset]
        if tearing is not None and tearing.random() < 0.1:  # torn in the middle, or nonsense
            half = tearing.randrange(len(piece) + 1)
            rest = len(piece) - half
            old = bytes(content[start + half : end]).ljust(rest, b"\0")
            piece = piece[:half] + (old if tearing.random() < 0.5 else tearing.randbytes(rest))
        elif not is_kept:
            continue
        if len(content) < end:
            content.extend(bytes(end - len(content)))
        content[start:end] = piece
    return content
