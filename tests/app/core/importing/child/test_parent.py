"""Lists are read by a child process: what it says, and how it may end."""

import gzip
import os
import sys
from functools import partial
from types import SimpleNamespace

import pytest

from app.core.errors import ImportFailed, ImportStopped
from app.core.importing.child import parent
from app.core.importing.child.parent import ListReaderProcess
from app.core.importing.entries import InProcessSource
from app.core.importing.formats.text_cells import CellMismatch
from app.core.importing.importer import import_list, look_at, preview
from app.core.importing.opening import open_for_import
from app.core.importing.spectrum_locator import SpectrumLocator
from tests.app.core.importing.lists import ROWS, import_text, listed, text_of


def test_the_process_reads_what_is_read_here(folder):
    rows = [(f"o{n}", f"{n}.fits", n, n / 7 if n % 5 else None, "α\t'") for n in range(20_000)]
    rows[18_000] = ("late", "late.fits", "later", 1, "")
    path = listed(folder, text_of(rows, ("name", "path", "count", "p_cv", "note")) + "short\n")
    here = InProcessSource(open_for_import(path, {}), SpectrumLocator(path))
    with pytest.raises(CellMismatch):
        list(here.entries())
    here.recheck_types()
    with ListReaderProcess(path, {}) as there:
        opened = there.opened()
        assert (opened.format, len(opened.rows)) == ("CSV", 20)
        there.warm_up()
        found = there.read(list)  # after the restart for a column that is of another kind
        expected = list(here.entries())
        assert [[list(c) for c in each.columns] for each in found] == [
            [list(c) for c in each.columns] for each in expected
        ]
        assert [each.refused for each in found] == [each.refused for each in expected]
        assert there.summary() == here.summary()


def test_a_list_is_never_read_in_the_program_itself(session, folder, monkeypatch):
    def refuse(*_):
        raise AssertionError("read here")

    path = listed(folder, text_of())
    monkeypatch.setattr("app.core.importing.opening.open_list", refuse)
    assert preview(path).format == "CSV"
    assert import_list(session, path).rows_used == 3
    assert look_at(folder).problem.endswith("it contains no readable spectrum")


def test_what_the_preview_says_survives_the_way(folder):
    long = "x" * 5000
    text = f"plate,mjd,fiberid,ra,dec,note\n266,51602,31,1.5,-2,{long}\n267,51602,31,2,3,\n"
    path = listed(folder, text)
    here, there = open_for_import(path, {}), preview(path)
    assert there.columns == here.file.columns
    assert there.roles == here.roles
    assert there.rows[1] == here.rows[1]
    assert there.rows[0][:-1] == here.rows[0][:-1]
    assert there.rows[0][-1] == long[:300]
    found = look_at(listed(folder, "foo,bar\n1.5,2\n", "unknown.csv"))
    assert found.needs_roles
    assert found.problem.startswith("unknown.csv: no column was recognized")
    assert found.rows == ((1.5, 2),)


def test_what_fails_elsewhere_is_said_here(session, folder):
    packed = gzip.compress(text_of([ROWS[0]] * 5000).encode())
    path = listed(folder, packed[:-200], "list.csv.gz")
    with pytest.raises(ImportFailed, match=r"list\.csv\.gz: its gzip data end too early"):
        import_list(session, path)
    assert session.count() == 0


def runs(monkeypatch, code):
    """Let the child run this code instead."""
    monkeypatch.setattr(parent, "child_command", lambda *_: [sys.executable, "-c", code])


STARTED = 'print(\'{"type": "started", "size": 0}\', flush=True)'


@pytest.mark.parametrize(("code", "said"), [
    ("raise SystemExit(1)", "the process that read it ended with status 1; it did not get so far"),
    (f"{STARTED}; raise SystemExit(1)", "ended with status 1; it may be damaged"),
    ("print('{')", "the process that read it ended with status 0"),
    ("import os; os.abort()", "was killed by SIGABRT"),
    ("x = [0]; x[1]", "ended with status 1: IndexError: list index out of range; it did not"),
])  # fmt: skip
def test_a_reading_process_that_dies(session, folder, monkeypatch, code, said):
    runs(monkeypatch, code)
    for read in (preview, partial(import_list, session)):
        path = listed(folder, text_of())
        with pytest.raises(ImportFailed, match=said) as caught:
            read(path)
        assert str(caught.value).startswith("list.csv: ")
        assert str(caught.value).isprintable()
    assert session.count() == 0


@pytest.mark.skipif(not os.path.exists("/bin/false"), reason="no program that only fails")  # noqa: PTH110
def test_a_reading_process_that_cannot_start(session, folder, monkeypatch):
    monkeypatch.setattr("sys.executable", "/bin/false")
    with pytest.raises(ImportFailed, match="ended with status 1; it did not get so far"):
        import_text(session, folder, text_of())
    monkeypatch.setattr("sys.executable", "/bin/nothing")
    with pytest.raises(ImportFailed, match="the process to read it could not be started"):
        import_text(session, folder, text_of())
    assert session.count() == 0


@pytest.mark.parametrize(("is_started", "said"), [
    (False, "did not start within 0 seconds: this computer is too busy"),
    (True, "came no further for 0 seconds: it may be damaged, or this computer too busy"),
])  # fmt: skip
def test_a_reading_process_that_hangs_is_killed(session, folder, monkeypatch, is_started, said):
    runs(monkeypatch, f"import time; {STARTED if is_started else 0}; time.sleep(600)")
    monkeypatch.setattr(parent, "OPENING_S" if is_started else "START_S", 0.3)
    for read in (preview, partial(import_list, session)):
        path = listed(folder, text_of())
        with pytest.raises(ImportFailed, match=said):
            read(path)


def test_a_reading_process_that_hangs_can_be_stopped(session, folder, monkeypatch):
    runs(monkeypatch, "import time; time.sleep(600)")
    path = listed(folder, text_of())
    for read in (look_at, partial(import_list, session)):
        with pytest.raises(ImportStopped):
            read(path, should_stop=lambda: True)


def test_a_process_that_works_may_take_its_time(folder, monkeypatch):
    """What counts is the time without a word from it: a second passes after each of 40 words."""
    now, told = [0.0], []
    monkeypatch.setattr(parent, "time", SimpleNamespace(monotonic=lambda: now[0]))
    monkeypatch.setattr(parent, "OPENING_S", 30.0)
    busy = """
import sys, time
print('{"type": "started", "size": 0}', flush=True)
for found in range(40):
    print('{"type": "busy", "size": 0, "found": %d}' % found, flush=True)
    time.sleep(0.02)
print('{"type": "failed", "reason": "at the end", "size": 0}', flush=True)
"""
    runs(monkeypatch, busy)
    path = listed(folder, text_of())

    def progress(*numbers):
        told.append(numbers)
        now[0] += 1.0

    assert look_at(path, progress=progress).problem == "list.csv: at the end"
    assert told == [(number, None) for number in range(40)]


def test_a_large_list_gets_more_time_and_memory(folder, monkeypatch):
    asked = {}
    monkeypatch.setattr(
        parent, "_started", lambda request, _: asked.update(request) or fails(request)
    )

    def fails(request):
        raise OSError("not now")

    path = listed(folder, b"")
    os.truncate(path, 100 * 1024**2)
    with pytest.raises(ImportFailed, match="could not be started: not now"):
        ListReaderProcess(path, {})
    assert asked["memory_bytes"] == 612 * 1024**2
    os.truncate(path, 100 * 1024**3)
    with pytest.raises(ImportFailed):
        ListReaderProcess(path, {})
    assert asked["memory_bytes"] == 4 * 1024**3
    with pytest.raises(ImportFailed):
        ListReaderProcess(folder, {})
    assert asked["memory_bytes"] == 2 * 1024**3
