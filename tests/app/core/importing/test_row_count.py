"""A preview counts rows where that takes no time."""

from __future__ import annotations

import pytest

from app.core.importing import row_count
from app.core.importing.formats.formats import open_list
from app.core.importing.importer import look_at
from app.core.importing.row_count import count_rows
from tests.agent.spectra.readers import samples
from tests.app.core.importing.lists import touch


def counted(path):
    return count_rows(open_list(path), lambda block: block.cells[0].texts(), [str(path.parent)])


def test_a_long_list_is_not_read_to_its_end(folder, monkeypatch):
    (folder / "list.csv").write_text("path\n" + "/data/a.fits\n" * 50_000)
    whole = counted(folder / "list.csv")
    assert (whole.rows, whole.outside.rows, whole.is_complete) == (50_000, 50_000, True)
    monkeypatch.setattr(row_count, "COUNT_S", -1.0)
    part = counted(folder / "list.csv")
    assert 0 < part.rows < 50_000
    assert not part.is_complete
    assert not part.outside.is_complete


@pytest.mark.parametrize("rows", [1, 62])
def test_the_number_of_rows_is_not_about_that(folder, rows):
    """Estimated from the size, these were one more."""
    names = "".join(f"{'x' * (90 if n < 9 else 2)}{n},1,2\n" for n in range(rows))
    (folder / "list.csv").write_text(f"object_id,ra,dec\n{names}")
    seen = look_at(folder / "list.csv")
    assert (seen.estimate, seen.is_exact) == (rows, True)


def test_rows_that_cannot_be_used_count_too(folder):
    (folder / "list.csv").write_text("object_id,ra,dec\na,1,2\nb,1\nc,1,2\n")
    assert look_at(folder / "list.csv").estimate == 3


def test_the_spectra_of_a_folder_are_counted(folder):
    touch(folder, "a.txt")
    (folder / "a.fits").write_bytes(samples.sdss())
    seen = look_at(folder)
    assert (seen.estimate, seen.is_exact) == (1, True)
