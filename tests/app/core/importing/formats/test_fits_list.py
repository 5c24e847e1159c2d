"""FITS tables as lists."""

import numpy as np
import pytest

from app.core.errors import ImportFailed
from app.core.importing.importer import import_list
from tests.app.core.importing.lists import every, fits_bytes, listed, opened, values


def column(folder, form, array, **cards):
    file = opened(folder, fits_bytes({"X": (form, array)}, **cards))
    (described,) = file.columns
    return described.kind, [row[0] for row in values(file)]


@pytest.mark.parametrize(("form", "array", "kind", "expected"), [
    ("J", [1, -2], "int", [1, -2]),
    ("K", [39627658462234737, 0], "int", [39627658462234737, 0]),
    ("E", [0.1, np.nan], "float", [0.1, None]),
    ("D", [0.1, np.inf], "float", [0.1, np.inf]),
    ("L", [True, False], "bool", [True, False]),
    ("5A", ["ab", " c d "], "str", ["ab", "c d"]),
    ("B", [0, 255], "int", [0, 255]),
])  # fmt: skip
def test_types_of_fits(folder, form, array, kind, expected):
    assert column(folder, form, array) == (kind, expected)


def test_whole_numbers_of_fits_that_are_shifted_scaled_or_null(folder):
    assert column(folder, "J", [1, -2], TNULL1=-2) == ("int", [1, None])
    assert column(folder, "I", [1, -2], TZERO1=32768) == ("int", [32769, 32766])
    assert column(folder, "I", [1, -2], TSCAL1=0.5, TZERO1=10) == ("float", [10.5, 9.0])
    assert column(folder, "I", [1, -2], TSCAL1=0.5, TNULL1=-2) == ("float", [0.5, None])
    beyond = [2**63 - 1, 5 - 2**63]  # as 64 bits without a sign are written
    assert column(folder, "K", beyond, TZERO1=2**63) == ("str", [str(2**64 - 1), "5"])


def test_columns_of_arrays_are_left_out_and_units_are_kept(folder):
    made = {"ID": ("K", [1, 2]), "MAGS": ("5E", np.ones((2, 5))), "BITS": ("3X", np.ones((2, 3)))}
    file = opened(folder, fits_bytes(made))
    assert [c.name for c in file.columns] == ["ID"]
    assert file.warnings() == ["skipped 2 array columns"]
    made = fits_bytes({"RA": ("D", [1.0])}, TUNIT1="hourangle", TUCD1="pos.eq.ra", TCOMM1="x")
    (described,) = opened(folder, made).columns
    assert (described.unit, described.ucd, described.description) == ("hourangle", "pos.eq.ra", "x")


def test_blocks_of_fits_join_up(folder):
    numbers = np.random.default_rng(1).integers(0, 2**62, 7001)
    texts = [f"s{number}" for number in numbers]
    file = opened(folder, fits_bytes({"ID": ("K", numbers), "S": ("6A", texts)}))
    assert [row[0] for row in values(file)] == numbers.tolist()
    lines = [line for block in file.blocks() for line in block.lines]
    assert lines == list(range(1, 7002))


def test_positions_in_other_units(session, folder):
    made = {"NAME": ("3A", ["abc"]), "RA": ("D", [2.5]), "DEC": ("D", [0.5])}
    path = listed(folder, fits_bytes(made, TUNIT2="hourangle", TUNIT3="rad"), "list.fits")
    import_list(session, path)
    (candidate,) = every(session)
    assert (candidate.ra, candidate.dec) == (37.5, pytest.approx(28.6478897565))


@pytest.mark.parametrize(("damage", "said"), [
    (lambda raw: raw[:8640], "truncated"),
    (lambda raw: raw[:6000], "truncated|no END"),
    (lambda raw: raw[:2880], "no table with rows"),
    (lambda raw: raw.replace(b"NAXIS2  =                 2000",
                             b"NAXIS2  =            200000000"), "truncated"),
    (lambda raw: raw.replace(b"NAXIS1  =                   13",
                             b"NAXIS1  =            100000000"), "need 13 bytes per row"),
    (lambda raw: raw.replace(b"'BINTABLE'", b"'TABLE   '"), "XTENSION TABLE"),
    (lambda raw: raw.replace(b"TFORM1  = 'K", b"TFORM1  = '?"), "no readable TFORM"),
    (lambda raw: b"SIMPLE  =" + raw[:400], "no END"),
])  # fmt: skip
def test_damaged_fits(session, folder, damage, said):
    raw = fits_bytes({"ID": ("K", np.arange(2000)), "NAME": ("5A", ["abcde"] * 2000)})
    path = listed(folder, damage(raw), "list.fits")
    with pytest.raises(ImportFailed, match=said):
        import_list(session, path)
    assert session.count() == 0
