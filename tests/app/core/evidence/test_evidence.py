"""Which services are on, as the settings file says."""

import json

import pytest

from app.core.errors import SessionError
from app.core.evidence.choice import Choice, choice_from, read_choice
from app.core.evidence.positions import epoch_of, position_of
from app.core.evidence.said_values import (
    ABSOLUTE,
    MAX_TEXT,
    Gap,
    Said,
    difference,
    matches_from,
    matches_text,
    said_of,
)
from app.core.session.records import Candidate
from app.services.catalogues.answer import ASKING, Match, answer_of, failed
from app.services.catalogues.service import all_services


def test_all_are_off_at_first_and_where_the_file_is_faulty(tmp_path):
    assert read_choice(tmp_path / "none.toml") == Choice() and Choice().services() == []
    path = tmp_path / "settings.toml"
    path.write_bytes(b"services = \xff")
    assert read_choice(path) == Choice()
    assert choice_from(3, 4) == choice_from([3], []) == Choice()


def test_the_commands_read_what_the_window_wrote(tmp_path):
    path = tmp_path / "settings.toml"
    path.write_text(
        'services = ["gaia", "simbad", "future"]\n[service_changes]\n'
        '"gaia.release" = "DR4"\n"gaia.table" = "gaiadr4.gaia_source"\n'
        '"simbad.url" = "https://simbad.harvard.edu/simbad/sim-tap"\n'
    )
    simbad, gaia = read_choice(path).services()
    assert (gaia.release, gaia.table) == ("DR4", "gaiadr4.gaia_source")
    assert simbad.url == "https://simbad.harvard.edu/simbad/sim-tap"
    assert simbad.table == all_services()["simbad"].table


@pytest.mark.parametrize(
    ("name", "value"),
    [("gaia.url", "http://example.org/tap"), ("gaia.url", "file:///etc/passwd"),
     ("gaia.table", "a; DROP TABLE b"), ("gaia.release", ""), ("gaia.sends", "nothing"),
     ("nobody.release", "1"), ("gaia", "x"), ("gaia.release", 4)],
)  # fmt: skip
def test_what_may_not_be_set_is_left_out(name, value):
    assert choice_from(["gaia"], {name: value}).changes == {}


# Matches as the session keeps them: what is written can be read, and a stranger's is checked.
def match(apart, **values):
    return Match(values=values, separation_arcsec=apart)


def test_what_is_written_is_read():
    given = (match(0.1, g=12.5, name="α Cen", n=2**62, nothing=None), match(0.5, g=None))
    assert matches_from(matches_text(given)) == given


@pytest.mark.parametrize("value", ["x", "\x01"])
def test_of_too_many_the_nearest_are_kept(value):
    """A server may send a thousand objects at one place, each with long texts."""
    texts = {f"column_{number}": value * 2000 for number in range(10)}
    text = matches_text([match(0.001 * number, **texts) for number in range(3000)])
    found = matches_from(text)
    assert len(text) <= MAX_TEXT and 5 < len(found) < 1000
    assert [each.separation_arcsec for each in found] == [0.001 * n for n in range(len(found))]


WILD = (10**400, -(10**400), float("nan"), float("inf"))


@pytest.mark.parametrize(("apart", "value"), [
    *((0.1, value) for value in (*WILD, [1], {"a": 1})),
    *((each, 1.0) for each in (*WILD, "1", None)),
])  # fmt: skip
def test_values_and_separations_that_no_catalogue_has(apart, value):
    text = json.dumps([{"separation_arcsec": apart, "values": {"g": value}}])
    with pytest.raises(SessionError, match="damaged"):
        matches_from(text)


# The year of a position.
def candidate(own=None, path="", ra=10.0, dec=41.0):
    return Candidate(
        id=1, list_id=1, line=1, object_id="a", path=path, ra=ra, dec=dec, own=own or {}
    )


@pytest.mark.parametrize(("own", "path", "year"), [
    ({"mjd": 57388.5}, "", 2016.0),
    ({"LMJD": "57388.5"}, "", 2016.0),
    ({"mjd": 51544.5, "ref_epoch": 2016.0}, "", 2016.0),
    ({}, "/a/spec-55859-F5902_sp01-001.fits.gz", 2011.81),
    ({}, "spec-3655-55240-0262.fits", 2010.12),
    ({}, "/a/spec-015000-59146-4375924756.fits", 2020.81),
    ({}, "spSpec-51602-0266-013.fit", 2000.16),
    ({"mjd": 99}, "spectrum.fits", None),
    ({"mjd": True, "epoch": "J2000"}, "spec-12345.fits", None),
])  # fmt: skip
def test_the_list_or_the_name_of_the_spectrum_tells_the_year(own, path, year):
    found = epoch_of(candidate(own, path))
    assert found == (None if year is None else pytest.approx(year, abs=0.01))


def test_a_place_that_is_not_on_the_sky_is_no_position():
    assert position_of(candidate(ra=None), {}) is None
    assert position_of(candidate(dec=95.0), {}) is None
    assert position_of(candidate(ra=float("nan")), {}) is None


# Values by name: with errors, limits of the parallax, and every way of having none.
def gaia(**values):
    return {"gaia": answer_of([Match(values=values, separation_arcsec=0.2)])}


def test_values_come_with_their_errors_and_differences_add_them():
    two = [Match(values={"bp_rp": 0.5, "bp_rp_error": 0.1}, separation_arcsec=0.1),
           Match(values={"bp_rp": 2.0}, separation_arcsec=1.1)]  # fmt: skip
    said = said_of({"gaia": answer_of(two[::-1])}, "gaia.bp_rp")
    assert said == Said(value=0.5, error=0.1, matches=2)
    assert said_of({"simbad": answer_of([Match(values={"type": "CV*"}, separation_arcsec=0)])},
                   "simbad.type") == Said(value="CV*")  # fmt: skip
    near = said_of(gaia(g=15.0, parallax=10.0, parallax_error=0.1), ABSOLUTE)
    assert near.value == pytest.approx(10.0) and not near.is_faintest
    assert near.error == pytest.approx(0.0217, abs=1e-3)
    far = said_of(gaia(g=15.0, parallax=0.1, parallax_error=0.1), ABSOLUTE)
    assert far.is_faintest and far.value == pytest.approx(15.0 - 12.614, abs=0.01)
    a, b = Said(value=12.0, error=0.3), Said(value=11.0, error=0.4, matches=3)
    assert difference(a, b) == Said(value=1.0, error=0.5, matches=3)
    assert difference(a, Gap.FAILED) is Gap.FAILED and difference(Gap.NOTHING, b) is Gap.NOTHING
    assert difference(a, Said(value="x")) is Gap.NO_VALUE
    assert difference(a, Said(value=1.0, is_faintest=True)) is Gap.NO_VALUE


@pytest.mark.parametrize(("answers", "name", "gap"), [
    ({}, "gaia.bp_rp", Gap.NOT_ASKED),
    ({"gaia": ASKING}, "gaia.bp_rp", Gap.NOT_ASKED),
    ({"gaia": failed("busy")}, "gaia.bp_rp", Gap.FAILED),
    ({"gaia": answer_of([])}, "gaia.bp_rp", Gap.NOTHING),
    (gaia(bp_rp=None), "gaia.bp_rp", Gap.NO_VALUE),
    (gaia(bp_rp=True), "gaia.bp_rp", Gap.NO_VALUE),
    ({}, "gaia.bprp", Gap.UNKNOWN),
    ({}, "nobody.knows", Gap.UNKNOWN),
    (gaia(g=15.0), ABSOLUTE, Gap.NO_VALUE),
    (gaia(g=15.0, parallax=-3.0, parallax_error=0.5), ABSOLUTE, Gap.POOR_PARALLAX),
    (gaia(g=15.0, parallax=10.0, parallax_error=0.1, ruwe=3.0), ABSOLUTE, Gap.POOR_PARALLAX),
])  # fmt: skip
def test_why_there_is_none(answers, name, gap):
    assert said_of(answers, name) is gap
