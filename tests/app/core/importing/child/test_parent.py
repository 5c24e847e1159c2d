"""Large lists, read by a child process."""

from __future__ import annotations

import gzip
import os

import pytest

from agent.tasks.catalogue import find_task
from app.core.errors import ImportFailed, ImportStopped
from app.core.importing import importer
from app.core.importing.importer import import_list
from app.core.session.session import new_session
from tests.app.core.importing.lists import (
    ROWS,
    every,
    import_text,
    text_of,
)


def test_a_large_list_is_read_by_a_process_of_its_own(session, folder, monkeypatch):
    """And gives the same."""
    rows = [(f"o{n}", f"{n}.fits", n, n / 7 if n % 5 else None, "α\t'") for n in range(5_000)]
    rows[4_000] = ("late", "late.fits", "later", 1, "")
    text = text_of(rows, ("name", "path", "count", "p_cv", "note")) + "short\n"
    here = import_text(session, folder, text)
    expected = every(session)
    monkeypatch.setattr(importer, "CHILD_PROCESS_BYTES", 0)
    with new_session(folder / "other.speco3", find_task("CV"), "Ada") as other:
        there = import_list(other, folder / "list.csv")
        assert there == here
        assert every(other) == expected


def test_what_fails_elsewhere_is_said_here(session, folder, monkeypatch):
    monkeypatch.setattr(importer, "CHILD_PROCESS_BYTES", 0)
    path = folder / "list.csv.gz"
    packed = gzip.compress(text_of([ROWS[0]] * 5000).encode())
    path.write_bytes(packed[:-200])
    with pytest.raises(ImportFailed, match=r"list\.csv\.gz: its gzip data end too early"):
        import_list(session, path)
    assert session.count() == 0


def test_a_reading_process_that_dies(session, folder, monkeypatch):
    monkeypatch.setattr(importer, "CHILD_PROCESS_BYTES", 0)
    monkeypatch.setattr("sys.executable", "/bin/false")
    if not os.path.exists("/bin/false"):  # noqa: PTH110
        pytest.skip("no program that only fails")
    with pytest.raises(ImportFailed, match="the process that read it ended with status 1"):
        import_text(session, folder, text_of())
    assert session.count() == 0


def test_a_stop_ends_the_process_that_reads(session, folder, monkeypatch):
    monkeypatch.setattr(importer, "CHILD_PROCESS_BYTES", 0)
    path = folder / "list.csv"
    path.write_text("name,path\n" + "".join(f"o{n},{n}.fits\n" for n in range(30_000)))
    with pytest.raises(ImportStopped):
        import_list(session, path, should_stop=lambda: True)
    assert session.count() == 0
