"""A catalogue in a file: all matches within a radius, in every format, as astropy finds them."""

import json
from pathlib import Path

import astropy.units as u
import numpy as np
import pytest
from astropy.coordinates import SkyCoord
from astropy.table import Table
from sqlalchemy import update

from agent.errors import WorkbenchError
from app.core.database.tables import candidates
from app.core.evidence import local_catalogue
from app.core.evidence.local_catalogue import MATCHES_EACH, match_local, name_of, near_rows
from app.core.evidence.store import answers, answers_of, raw_reply
from app.core.progress import StoppedError
from app.services.catalogues.answer import State
from tests.agent.child_process.test_rows_in_child import spoil
from tests.app.core.evidence.hats_folders import write_hats
from tests.app.core.sessions import made

FORMATS = {".csv": "ascii.csv", ".fits": "fits", ".vot": "votable", ".parquet": "parquet"}


def catalogue(path, ra, dec, **more):
    table = Table({"RA": ra, "DEC": dec, **more})
    if "vmag" in more:
        table["vmag"].unit = "mag"
    table.write(path, format=FORMATS[path.suffix], overwrite=True)
    return path


@pytest.mark.parametrize("suffix", FORMATS)
def test_values_come_from_every_format(session, tmp_path, suffix):
    if suffix == ".parquet":
        pytest.importorskip("pyarrow")
    path = catalogue(
        tmp_path / f"Tycho-2{suffix}", [10.0, 10.0002, 50.0], [41.0, 41.0, 0.0],
        vmag=[9.5, np.nan, 1.0], star=["a", "b", "c"],
    )  # fmt: skip
    tally = match_local(session, path, name_of(path), 2.0)
    assert (tally.rows, tally.found, tally.nothing) == (3, 1, 1)
    stored = answers(session, 1)["tycho_2"]
    assert [match.values["star"] for match in stored.answer.matches] == ["a", "b"]
    assert stored.answer.nearest.values["vmag"] == 9.5
    assert stored.answer.matches[1].values["vmag"] is None
    assert stored.answer.matches[1].separation_arcsec == pytest.approx(0.543, abs=0.002)
    assert answers(session, 2)["tycho_2"].answer.state is State.NOTHING
    assert answers(session, 3) == {}
    about = json.loads(raw_reply(session, stored.reply_id))
    assert about["rows"] == 3 and about["sha256"].startswith(stored.release)
    units = {each["name"]: each["unit"] for each in about["columns"]}
    assert units["vmag"] == ("mag" if suffix in (".fits", ".vot") else "")


def test_more_values_than_memory_may_hold_are_refused(tmp_path, monkeypatch):
    path = catalogue(tmp_path / "stars.csv", [10.0, 10.0001], [41.0, 41.0], star=["a" * 150] * 2)
    monkeypatch.setattr(local_catalogue, "MAX_KEPT", 300)
    with pytest.raises(WorkbenchError, match="take too much memory: give a smaller --radius"):
        list(near_rows(path, 2.0, [[10.0, 41.0]]))
    assert [each[0] for each in near_rows(path, 0.1, [[10.0, 41.0]])][-2:] == ["near", "told"]


@pytest.fixture(scope="module")
def sky():
    """400 candidates over the sky, and 3000 stars around them: poles and RA 0 among them."""
    draw = np.random.default_rng(7)
    ra, dec = draw.uniform(0.0, 360.0, 400), np.degrees(np.arcsin(draw.uniform(-1, 1, 400)))
    ra[:4], dec[:4] = [0.0, 359.9999, 12.0, 0.0], [0.0, 0.0, 89.9999, -90.0]
    near = draw.integers(0, 400, 3000)
    cat_dec = np.clip(dec[near] + draw.normal(0.0, 3.0, 3000) / 3600.0, -90.0, 90.0)
    cat_ra = (ra[near] + draw.normal(0.0, 3.0, 3000) / 3600.0) % 360.0
    return (ra, dec), (cat_ra, cat_dec)


@pytest.mark.parametrize("kind", ["file", "coarse HATS", "fine HATS", "HATS in folders"])
def test_it_finds_what_astropy_finds(sky, tmp_path, kind):
    (ra, dec), (cat_ra, cat_dec) = sky
    columns = {"ra": cat_ra, "dec": cat_dec, "number": np.arange(3000)}
    if kind == "file":
        path = catalogue(tmp_path / "stars.fits", cat_ra, cat_dec, number=np.arange(3000))
    elif kind == "coarse HATS":
        path = write_hats(tmp_path / "stars", columns, 0, split=[0, 4, 11])
    elif kind == "fine HATS":
        path = write_hats(tmp_path / "stars", columns, 12)  # 51 arcsec: borders cross many groups
    else:
        path = write_hats(tmp_path / "stars", columns, 2, suffix="/")
    with made(tmp_path / "night.speco3", 400) as session:
        with session.database.writing() as connection:
            for number in range(400):
                here = update(candidates).where(candidates.c.id == number + 1)
                connection.execute(here.values(ra=float(ra[number]), dec=float(dec[number])))
        match_local(session, path, "stars", 2.0)
        found = answers_of(session, range(1, 401))
    ours = {
        (number - 1, match.values["number"]): match.separation_arcsec
        for number, each in found.items()
        for match in each["stars"].answer.matches
    }
    one, other, apart, _ = SkyCoord(cat_ra, cat_dec, unit="deg").search_around_sky(
        SkyCoord(ra, dec, unit="deg"), 2.0 * u.arcsec
    )
    theirs = dict(zip(zip(one.tolist(), other.tolist(), strict=True), apart.arcsec, strict=True))
    assert len(theirs) > 300 and set(ours) == set(theirs)
    assert all(ours[pair] == pytest.approx(theirs[pair], abs=2e-4) for pair in ours)


def test_a_folder_in_the_hats_layout(session, tmp_path):
    columns = {"ra": np.array([10.0, 10.0002, 50.0, 300.0]), "dec": np.array([41.0, 41, 0, 80])}
    columns |= {"vmag": np.array([9.5, np.nan, 1, 2]), "star": np.array(["a", "b", "c", "d"])}
    path = write_hats(tmp_path / "My stars", columns, 3)
    tally = match_local(session, path, name_of(path), 2.0)
    assert (tally.found, tally.nothing, tally.rows) == (1, 1, 2)
    assert tally.columns == ("ra", "dec", "vmag", "star")
    assert tally.notes == [
        "1 of 3 partitions are near a candidate and were read",
        "1 candidate in parts of the sky where the catalogue has no partition",
    ]
    stored = answers(session, 1)["my_stars"]
    assert [match.values["star"] for match in stored.answer.matches] == ["a", "b"]
    assert stored.answer.matches[1].values["vmag"] is None
    about = json.loads(raw_reply(session, stored.reply_id))
    assert about["file"] == "My stars" and about["partitions_read"] == 1
    assert about["sha256"].startswith(stored.release) and len(stored.release) == 12


@pytest.mark.parametrize("is_fatal", [False, True])
def test_a_damaged_partition_changes_nothing(session, tmp_path, is_fatal):
    columns = {"ra": np.array([10.0, 200.0]), "dec": np.array([41.0, -5.0])}
    path = write_hats(tmp_path / "stars", columns, 3)
    broken = sorted((path / "dataset").rglob("Npix=*"))[-1]
    broken.write_bytes(b"PAR1" + bytes(100) + b"PAR1")
    reason = rf"^stars: {broken.name}: it is damaged"
    if is_fatal:  # to the process that reads it
        write_hats(path, columns, 3)
        spoil(broken)
        reason = "^stars: .*it is damaged"
    with pytest.raises(WorkbenchError, match=reason):
        match_local(session, path, "stars", 2.0)
    assert answers(session, 1) == answers(session, 2) == {}


def test_stopped(session, tmp_path):
    columns = {"ra": np.array([10.0, 200.0]), "dec": np.array([41.0, -5.0])}
    path = write_hats(tmp_path / "stars", columns, 3)
    seen = []
    with pytest.raises(StoppedError):
        match_local(
            session, path, "stars", 2.0, should_stop=lambda: bool(seen),
            progress=lambda *words: seen.append(words),
        )  # fmt: skip
    assert seen == [(1, 2)] and answers(session, 1) == {}


def test_of_very_many_the_nearest_are_kept(session, tmp_path):
    away = np.linspace(0.0, 1.0, 60)[::-1] / 3600.0
    path = catalogue(tmp_path / "many.csv", np.full(60, 10.0), 41.0 + away)
    match_local(session, path, "many", 2.0)
    apart = [each.separation_arcsec for each in answers(session, 1)["many"].answer.matches]
    assert len(apart) == MATCHES_EACH and apart == sorted(apart) and apart[0] == 0.0
    assert apart[-1] == pytest.approx(19 / 59, abs=1e-3)


def test_matched_again_with_another_radius(session, tmp_path):
    path = catalogue(tmp_path / "one.csv", [10.0], [41.0 + 3.0 / 3600.0])
    assert match_local(session, path, "one", 2.0).found == 0
    assert match_local(session, path, "one", 4.0).found == 1
    assert answers(session, 1)["one"].answer.state is State.FOUND


@pytest.mark.parametrize("name", ["gaia", "own", "My Name", "", "1a"])
def test_a_name_that_cannot_be(session, tmp_path, name):
    path = catalogue(tmp_path / "one.csv", [10.0], [41.0])
    with pytest.raises(WorkbenchError, match="--name"):
        match_local(session, path, name, 2.0)


def test_a_file_without_positions(session, tmp_path):
    (tmp_path / "names.csv").write_text("object,mag\na,1\nb,2\n")
    with pytest.raises(WorkbenchError, match="ra and dec"):
        match_local(session, tmp_path / "names.csv", "names", 2.0)


def test_a_folder_that_is_no_catalogue_is_refused_plainly(session, tmp_path):
    with pytest.raises(WorkbenchError, match=r"HATS layout, which has a file hats\.properties"):
        match_local(session, tmp_path, "sky", 2.0)


def test_names_of_files():
    assert name_of(Path("2MASS PSC.fits.gz")) == "c_2mass_psc"
    assert name_of(Path("a/Tycho-2.csv")) == "tycho_2"
