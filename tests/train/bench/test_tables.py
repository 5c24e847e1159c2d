from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from agent.errors import WorkbenchError
from train.bench.archive import open_archive
from train.bench.tables import columns, number, position_of, read_rows


def test_text_that_is_not_a_finite_number_is_nan():
    assert number(" 2.5 ") == 2.5
    assert np.isnan([number(text) for text in ("", None, "none", "inf")]).all()


def test_positions_are_in_degrees_or_both_unknown():
    assert position_of({"ra": "10:00:00", "dec": "-1.5"}) == (150.0, -1.5)
    for row in ({"ra": "10"}, {"ra": "400", "dec": "1"}, {"ra": "x", "dec": "1"}):
        assert np.isnan(position_of(row)).all()


def test_a_column_plays_a_role_by_any_of_its_names(tmp_path: Path):
    found = columns(["Other", "File-Name", "RAJ2000"], ("file", "ra", "dec"), tmp_path)
    assert found == {"file": 1, "ra": 2}
    with pytest.raises(WorkbenchError, match="none of the columns file; it has a, b"):
        columns(["a", "b"], ("file",), tmp_path)


def test_comments_and_empty_lines_are_no_rows(tmp_path: Path):
    path = tmp_path / "list.tsv"
    path.write_text("# made by hand\nFile\tClass\n\na.fits\tSTAR\nb.fits\n")
    assert list(read_rows(path)) == [{"file": "a.fits", "class_name": "STAR"}, {"file": "b.fits"}]


def test_sexagesimal_places_are_understood(survey: Path, tmp_path: Path):
    name = next((survey / "spectra").rglob("spec-*")).relative_to(survey)
    (tmp_path / "l.csv").write_text(f"path,RA,Dec\n{name},10:00:00,-01:30:00\n")
    (job,) = open_archive([tmp_path / "l.csv"], survey).jobs
    assert (job.stated[0].ra, job.stated[0].dec) == (150.0, -1.5)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("l.vot", b'<VOTABLE><STREAM href="http://x/y"/></VOTABLE>'),
        ("l.vot", b'<!DOCTYPE x [<!ENTITY a "b">]><VOTABLE/>'),
        ("l.fits", b"SIMPLE  = not at all"),
        ("l.parquet", b"PAR1nothing"),
        ("l.ecsv", b"# %ECSV 1.0\n# ---\n# !!python/object:os.system {}\n"),
        ("l.csv", b'a\n"' + b"x" * 200_000),
    ],
)
def test_hostile_tables_are_one_line_errors(tmp_path: Path, name: str, content: bytes):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(WorkbenchError) as told:
        open_archive([tmp_path / name])
    assert "\n" not in str(told.value)
