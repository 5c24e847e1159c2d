"""The source of entries in this process."""

from __future__ import annotations

import pytest

from app.core.errors import ImportFailed
from app.core.importing import entry_source
from app.core.importing.entry_source import InProcessSource
from app.core.importing.formats.text_cells import CellMismatch
from app.core.importing.opening import open_for_import
from app.core.importing.spectrum_locator import SpectrumLocator


def test_entries_can_be_read_again_after_a_mismatch(folder):
    path = folder / "list.csv"
    path.write_text("name,path,n\n" + "a,a.fits,1\n" * 30_000 + "b,,late\n")
    source = InProcessSource(open_for_import(path, {}), SpectrumLocator(path))
    with pytest.raises(CellMismatch):
        list(source.entries())
    source.recheck_types()
    assert sum(map(len, source.entries())) == 30_001
    summary = source.summary()
    assert [column.kind for column in summary.columns] == ["str", "str", "str"]
    assert (summary.missing_files, summary.without_file) == (30_000, 1)


def test_rows_of_nothing_may_not_fill_the_disk(folder, monkeypatch):
    monkeypatch.setattr(entry_source, "FREE_BYTES", 0)
    monkeypatch.setattr(entry_source, "MAX_RATIO", 10)
    names = ",".join(f"magnitude_in_filter_{number:03}" for number in range(300))
    path = folder / "list.csv"
    path.write_text(f"name,{names}\n" + f"a{',' * 300}\n" * 2000)
    size = path.stat().st_size
    source = InProcessSource(open_for_import(path, {}), SpectrumLocator(path), size)
    with pytest.raises(ImportFailed, match="more than 10 times its size"):
        list(source.entries())
    monkeypatch.setattr(entry_source, "MAX_RATIO", 1000)
    source = InProcessSource(open_for_import(path, {}), SpectrumLocator(path), size)
    assert sum(map(len, source.entries())) == 2000
