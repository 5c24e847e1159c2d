"""The source of entries in this process."""

from __future__ import annotations

import pytest

from app.core.importing.entry_source import InProcessSource
from app.core.importing.formats.text_cells import CellMismatch
from app.core.importing.opening import open_for_import
from app.core.importing.spectrum_locator import SpectrumLocator


def test_entries_can_be_read_again_after_a_mismatch(folder):
    path = folder / "list.csv"
    path.write_text("name,path,n\n" + "a,a.fits,1\n" * 30_000 + "b,,late\n")
    source = InProcessSource(open_for_import(path, {}), SpectrumLocator(path))
    source.warm_up()
    with pytest.raises(CellMismatch):
        list(source.entries())
    source.recheck_types()
    assert sum(map(len, source.entries())) == 30_001
    summary = source.summary()
    assert [column.kind for column in summary.columns] == ["str", "str", "str"]
    assert (summary.missing_files, summary.without_file) == (30_000, 1)
