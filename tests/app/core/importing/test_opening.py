"""Lists that can or cannot be opened, and the roles of their columns."""

from __future__ import annotations

from functools import partial

import pytest

from app.core.errors import ImportFailed
from app.core.importing.importer import import_list, preview
from tests.app.core.importing.lists import import_text


@pytest.mark.parametrize(
    ("roles", "said"),
    [
        ({"scroe": "a"}, 'no role "scroe"; did you mean "score"'),
        ({"score": "nam"}, 'no column "nam"; did you mean "name"'),
        ({"ra": "name"}, "column for ra also needs one for dec"),
    ],
)
def test_roles_that_cannot_be(session, folder, roles, said):
    with pytest.raises(ImportFailed, match=said):
        import_text(session, folder, "name,path\na,a.fits\n", roles=roles)


def test_a_list_that_names_nothing(session, folder):
    with pytest.raises(ImportFailed, match=r"no column was recognized.*choose one"):
        import_text(session, folder, "u,g\n1.5,2\n3,4\n")


def test_a_file_that_is_not_there(session, folder):
    with pytest.raises(ImportFailed, match=r"gone\.csv: it cannot be read|no such file"):
        import_list(session, folder / "gone.csv")


@pytest.mark.parametrize("name", ["~nobody-of-that-name/x.csv", "a\0b.csv", "x" * 300 + ".csv"])
def test_names_of_no_file(session, name):
    for read in (preview, partial(import_list, session)):
        with pytest.raises(ImportFailed) as caught:
            read(name)
        assert str(caught.value).isprintable()


def test_rows_of_one_file_without_a_row_are_pointed_out(session, folder):
    report = import_text(session, folder, "name,path\na,coadd.fits\nb,coadd.fits\n")
    assert any("a column must give the row" in warning for warning in report.warnings)
