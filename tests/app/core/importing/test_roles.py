"""What columns are for, in lists as the surveys and their users write them."""

import pytest

from app.core.importing.formats.contents import ListColumn
from app.core.importing.role_names import is_known_name, normalized_name
from app.core.importing.roles import guess_roles


def roles(sample, **more):
    """`sample` is a row by column; `more` describes columns."""
    kinds = {int: "int", float: "float", str: "str", bool: "bool"}
    columns = [
        ListColumn(name=name, kind=kinds[type(value)], **more.get(name, {}))
        for name, value in sample.items()
    ]
    return guess_roles(columns, [tuple(sample.values())])


LAMOST = {
    "obsid": 101008, "uid": "G16920612214961", "designation": "J220848.54-020324.3",
    "obsdate": "2011-10-24", "lmjd": 55859, "mjd": 55858, "planid": "F5902", "spid": 1,
    "fiberid": 8, "ra_obs": 332.2, "dec_obs": -2.05, "snru": 2.5, "snrg": 13.25, "snrr": 20.0,
    "class": "STAR", "subclass": "F5", "z": -0.0001, "ra": 332.2022740000, "dec": -2.0567660000,
}  # fmt: skip
SDSS = {
    "specObjID": 299489677444933632, "plate": 266, "mjd": 51602, "fiberID": 31, "ra": 146.7142,
    "dec": -1.0413, "class": "GALAXY", "subClass": "", "z": 0.0213, "snMedian": 33.25,
}  # fmt: skip
SPECOBJ = {
    "SPECOBJID": "299489677444933632", "PLATE": 266, "MJD": 51602, "FIBERID": 31, "CLASS": "STAR",
    "SUBCLASS": "CV", "PLUG_RA": 146.7142, "PLUG_DEC": -1.0413, "SN_MEDIAN_ALL": 7.5,
}  # fmt: skip
SDSS_V = {
    "FIELD": 15000, "MJD": 59146, "CATALOGID": 4375786564, "RACAT": 10.5, "DECCAT": 1.5,
    "SPEC_FILE": "spec-015000-59146-4375786564.fits", "SN_MEDIAN_ALL": 2.5,
}  # fmt: skip
DESI = {
    "TARGETID": 39627658462234737, "SURVEY": "main", "PROGRAM": "dark", "HEALPIX": 27247, "Z": 1.25,
    "ZWARN": 0, "SPECTYPE": "STAR", "SUBTYPE": "CV", "TARGET_RA": 210.5, "TARGET_DEC": 5.5,
    "MEAN_FIBER_RA": 210.5001,
}  # fmt: skip


@pytest.mark.parametrize(("sample", "expected", "survey"), [
    (LAMOST, "object_id=obsid ra=ra dec=dec label=subclass snr=snrg", "LAMOST"),
    (SDSS, "ra=ra dec=dec label=class snr=snMedian", "SDSS"),
    (SPECOBJ, "ra=PLUG_RA dec=PLUG_DEC label=SUBCLASS snr=SN_MEDIAN_ALL", "SDSS"),
    (SDSS_V, "path=SPEC_FILE ra=RACAT dec=DECCAT snr=SN_MEDIAN_ALL", "SDSS-V"),
    (DESI, "row=TARGETID object_id=TARGETID ra=TARGET_RA dec=TARGET_DEC label=SUBTYPE", "DESI"),
])  # fmt: skip
def test_catalogues_of_the_surveys(sample, expected, survey):
    found = roles(sample)
    assert found.columns == dict(pair.split("=") for pair in expected.split())
    assert found.naming.scheme.survey == survey


def test_every_role_has_its_reason_and_ucds_help_where_names_do_not():
    assert {each.reason for each in roles(SDSS).by_role.values()} == {"from its name"}
    found = roles(
        {"a": 10.0, "b": 20.0, "c": "x"}, a={"ucd": "pos.eq.ra;meta.main"}, b={"ucd": "pos.eq.dec"},
        c={"ucd": "meta.id;meta.main"},
    )  # fmt: skip
    assert found.columns == {"ra": "a", "dec": "b", "object_id": "c"}


@pytest.mark.parametrize(("sample", "role", "column"), [
    ({"target": "x", "where": "a/b.fits.gz"}, "path", "where"),
    ({"name": "x", "spectrum": "b.csv"}, "path", "spectrum"),
    ({"name": "x", "spectrum": "yes"}, "path", None),
    ({"name": "x", "Filename": "b"}, "path", "Filename"),
    ({"Source Name": "x", "ra": 1.0}, "object_id", "Source Name"),
    ({"name": "x", "candidate_id": 7}, "object_id", "candidate_id"),
    ({"id": 4, "RA (deg)": 1.0, "DE (deg)": 2.0}, "ra", "RA (deg)"),
    ({"id": 4, "_RAJ2000": 1.0, "_DEJ2000": 2.0}, "dec", "_DEJ2000"),
    ({"id": 4, "ra": "12:30:00", "dec": "+10:20:30"}, "ra", "ra"),
    ({"id": 4, "ra": "12h30m00.5s", "dec": "-10d20m30s"}, "dec", "dec"),
    ({"id": 4, "ra": 500.0, "dec": 2.0}, "ra", None),
    ({"id": 4, "ra": 5.0}, "ra", None),
    ({"id": 4, "cv_prob": 0.5}, "score", "cv_prob"),
    ({"id": 4, "p_carbon": 0.5}, "score", "p_carbon"),
    ({"id": 4, "score_err": 0.5}, "score", None),
    ({"id": 4, "score": "high"}, "score", None),
    ({"id": 4, "Type": "CV"}, "label", "Type"),
    ({"id": 4, "S/N": 5.0}, "snr", "S/N"),
    ({"id": 4, "TARGETID": 12}, "row", None),
    ({"path": "a.fits", "spec_row": 3}, "row", "spec_row"),
])  # fmt: skip
def test_single_columns(sample, role, column):
    assert roles(sample).columns.get(role) == column


def table(*rows, kind="int"):
    columns = [ListColumn(name="path", kind="str"), ListColumn(name="row", kind=kind)]
    return guess_roles(columns, rows).columns


def test_which_numbers_are_rows_and_which_classes_serve():
    assert table(("a.fits", 0.0), ("a.fits", 1.0), ("a.fits", None), kind="float")["row"] == "row"
    assert table(("a.fits", 4.0), ("b.fits", 1.0), kind="float")["row"] == "row"
    assert "row" not in table(("a.fits", 1.0), ("b.fits", 2.0), kind="float")
    assert "row" not in table(("a.fits", 512.25), ("b.fits", 17.0), kind="float")
    assert "row" not in table(("a.fits", None), ("b.fits", None), kind="float")
    assert "row" not in table(("a.fits", 1), ("b.fits", 2), ("c.fits", 3))
    assert "row" not in table(("a.fits", 0), ("b.fits", 1))
    assert table(("coadd.fits", 0), ("coadd.fits", 1))["row"] == "row"
    assert table(("a.fits", 4), ("b.fits", 1))["row"] == "row"
    columns = [ListColumn(name=name, kind="str") for name in ("id", "class", "subclass")]
    rows = [("a", "STAR", ""), ("b", "QSO", ""), ("c", "STAR", "CV")]
    assert guess_roles(columns, rows).columns["label"] == "class"
    assert guess_roles(columns, []).columns["label"] == "subclass"


def rows_of(**columns):
    names = list(columns)
    listed = [
        ListColumn(name=name, kind="str" if isinstance(values[0], str) else "int")
        for name, values in columns.items()
    ]
    return guess_roles(listed, list(zip(*(columns[name] for name in names), strict=True))).columns


@pytest.mark.parametrize(("columns", "wanted"), [
    ({"object": ["STAR"] * 5, "name": list("abcde")}, "name"),
    ({"target": list("aabba"), "main_id": list("abcde")}, "main_id"),
    ({"candidate_id": [7] * 5, "source_id": [1, 2, 3, 4, 5]}, "source_id"),
    ({"object": ["STAR"] * 5, "path": [f"{n}.fits" for n in range(5)]}, None),
    ({"object": ["STAR"] * 5, "plate": [1] * 5, "mjd": [5] * 5, "fiberid": [*range(5)]}, None),
    # Nothing tells them apart better.
    ({"object": ["STAR"] * 5, "path": ["all.fits"] * 5}, "object"),
    ({"object": ["STAR"] * 5, "x": [1, 2, 3, 4, 5]}, "object"),
    ({"object": list("aabbc"), "path": [f"{n}.fits" for n in range(5)]}, "object"),
    ({"object": list("aaaab"), "target": list("aabbc")}, "target"),
    ({"name": ["STAR"] * 2, "object": ["a", "b"]}, "name"),  # too few to tell
])  # fmt: skip
def test_a_column_that_repeats_itself_is_no_name(columns, wanted):
    assert rows_of(**columns).get("object_id") == wanted


# Known names of columns.
@pytest.mark.parametrize("name", ["ra", "RA", "_RA", "RA (deg)", "Ra [deg]", " ra "])
def test_units_case_and_marks_do_not_matter(name):
    assert normalized_name(name) == "ra"
    assert is_known_name(name)


@pytest.mark.parametrize("name", ["", "Hα", "51602", "u_mag", "spec-0266.fits"])
def test_what_is_no_known_name(name):
    assert not is_known_name(name)
