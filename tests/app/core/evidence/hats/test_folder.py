"""Folders in the HATS layout: found as they are written, and refused in one sentence."""

import os
import shutil

import numpy as np
import pytest

from app.core.errors import ImportFailed
from app.core.evidence.hats.folder import open_hats
from tests.app.core.evidence.hats_folders import partition_path, write_hats

RA, DEC = np.array([10.0, 100.0, 190.0, 280.0]), np.array([41.0, -10.0, 80.0, -85.0])


@pytest.fixture
def hats(tmp_path):
    return write_hats(tmp_path / "stars", {"ra": RA, "dec": DEC}, 1)


def add(path, text):
    path.write_text(path.read_text() + text)


def test_what_a_folder_says(hats):
    add(hats / "hats.properties", "hats_cols_default=dec, ra\\\n;mag\n! obs_title=none\n")
    add(hats / "hats.properties", " obs_title = Bright stars \n")
    found = open_hats(hats)
    assert found.position == ("ra", "dec") and found.defaults == ["dec", "ra", "mag"]
    assert found.about["obs_title"] == "Bright stars" and "hats_nrows" not in found.about
    assert len(found.orders) == 4 and set(found.orders) == {1}
    assert found.schema_file().name == "_common_metadata"
    for number, pixel in enumerate(found.pixels):
        assert list(found.files(number)) == [partition_path(found.root, 1, pixel)]


def test_its_release_changes_with_what_it_says(hats):
    before = open_hats(hats).release
    assert open_hats(hats).release == before
    add(hats / "hats.properties", "hats_release_date=2027-01-01\n")
    assert open_hats(hats).release != before


def test_older_names_and_folders_for_partitions(tmp_path):
    hats = write_hats(tmp_path / "stars", {"ra": RA, "dec": DEC}, 6, suffix="/")
    (hats / "hats.properties").rename(hats / "properties")
    (hats / "dataset" / "_common_metadata").unlink()
    found = open_hats(hats)
    paths = [path for number in range(4) for path in found.files(number)]
    assert all(path.is_file() for path in paths) and len(paths) == 4
    assert any("Dir=10000" in str(path) or "Dir=20000" in str(path) for path in paths)
    assert found.schema_file() == paths[0]


def test_the_main_table_of_a_collection(tmp_path):
    hats = write_hats(tmp_path / "all" / "stars", {"ra": RA, "dec": DEC}, 1)
    said = tmp_path / "all" / "collection.properties"
    said.write_text("#HATS Collection\nobs_collection=all\nhats_primary_table_url=stars\n")
    assert open_hats(tmp_path / "all").root == hats
    for elsewhere in ("https://data.lsdb.io/stars", "../stars", "/etc", "", ".", "a\0b"):
        said.write_text(f"hats_primary_table_url={elsewhere}\n")
        with pytest.raises(ImportFailed, match="main table of this collection is not in the"):
            open_hats(tmp_path / "all")


def spoilt_properties(old, new):
    def spoil(hats):
        said = hats / "hats.properties"
        text = said.read_text()
        assert old in text
        said.write_text(text.replace(old, new))

    return spoil


def spoilt_partitions(text):
    return lambda hats: (hats / "partition_info.csv").write_text(text)


SPOILT = {
    "no properties": (lambda hats: (hats / "hats.properties").unlink(), "no catalogue in the HATS"),
    "giant properties": (
        lambda hats: (hats / "hats.properties").write_bytes(b"a=b\n" * 100_000),
        "hats.properties is larger than 256 kB",
    ),
    "endless properties": (
        lambda hats: os.truncate(hats / "hats.properties", 2**40),
        "hats.properties is larger than 256 kB",
    ),
    "binary properties": (
        lambda hats: (hats / "hats.properties").write_bytes(b"\xff\xfe"),
        "hats.properties is no text",
    ),
    "properties that are a pipe": (
        lambda hats: ((hats / "hats.properties").unlink(), os.mkfifo(hats / "hats.properties")),
        "hats.properties cannot be read: it is not a regular file",
    ),
    "properties elsewhere": (
        lambda hats: (
            (hats / "hats.properties").rename(hats.parent / "elsewhere"),
            (hats / "hats.properties").symlink_to(hats.parent / "elsewhere"),
        ),
        "hats.properties is a link that leads out of the folder",
    ),
    "a margin": (
        spoilt_properties("dataproduct_type=object", "dataproduct_type=margin"),
        "no catalogue of objects: its properties call it 'margin'",
    ),
    "no position": (spoilt_properties("hats_col_ra=ra", ""), "hats_col_ra and hats_col_dec"),
    "suffix elsewhere": (
        spoilt_properties("npix_suffix=.parquet", "npix_suffix=/../../../../etc/passwd"),
        "its files cannot end in",
    ),
    "no partition list": (
        lambda hats: (hats / "partition_info.csv").unlink(),
        "partition_info.csv is missing: download the catalogue again",
    ),
    "empty partition list": (spoilt_partitions(""), "no list of partitions"),
    "no partitions": (spoilt_partitions("Norder,Npix\n"), "lists no partitions"),
    "other columns": (spoilt_partitions("order,pixel\n1,2\n"), "no list of partitions"),
    "words": (spoilt_partitions("Norder,Npix\n1,two\n"), "no list of partitions"),
    "short rows": (spoilt_partitions("Norder,Npix\n1\n"), "no list of partitions"),
    "vast numbers": (spoilt_partitions(f"Norder,Npix\n1,{10**30}\n"), "no list of partitions"),
    "order": (spoilt_partitions("Norder,Npix\n29,1\n"), "Norder must be from 0 to 25"),
    "negative order": (spoilt_partitions("Norder,Npix\n-1,1\n"), "Norder must be from 0 to 25"),
    "beside the sky": (spoilt_partitions("Norder,Npix\n1,48\n"), "not on the sky"),
    "negative pixel": (spoilt_partitions("Norder,Npix\n1,-3\n"), "not on the sky"),
    "twice": (spoilt_partitions("Norder,Npix\n1,7\n1,7\n"), "part of the sky twice"),
    "overlap": (spoilt_partitions("Norder,Npix\n3,112\n1,7\n"), "part of the sky twice"),
    "too many partitions": (
        spoilt_partitions("Norder,Npix\n" + "".join(f"9,{n}\n" for n in range(100_001))),
        "lists more than 100,000 partitions",
    ),
    "giant partition list": (
        lambda hats: os.truncate(hats / "partition_info.csv", 2**40),
        "partition_info.csv is larger than 16,384 kB",
    ),
}


@pytest.mark.parametrize("how", SPOILT)
def test_what_is_refused(hats, how):
    spoil, reason = SPOILT[how]
    spoil(hats)
    with pytest.raises(ImportFailed, match=reason) as told:
        open_hats(hats)
    assert "\n" not in str(told.value) and len(str(told.value)) < 200


def test_files_that_are_missing_or_elsewhere(hats):
    found = open_hats(hats)
    path = next(found.files(0))
    path.rename(hats.parent / "moved.parquet")
    with pytest.raises(ImportFailed, match=r"Npix=\d+\.parquet is missing: download"):
        next(found.files(0))
    path.symlink_to(hats.parent / "moved.parquet")
    with pytest.raises(ImportFailed, match=r"Npix=\d+\.parquet is a link that leads out"):
        next(found.files(0))
    path.unlink()
    path.symlink_to(path)
    with pytest.raises(ImportFailed, match="is missing"):
        next(found.files(0))


def test_empty_folders_of_partitions(tmp_path):
    hats = write_hats(tmp_path / "stars", {"ra": RA, "dec": DEC}, 1, suffix="/")
    found = open_hats(hats)
    path = next(found.files(0))
    path.unlink()
    with pytest.raises(ImportFailed, match="has no Parquet files"):
        next(found.files(0))
    for number in range(1001):
        (path.parent / f"part{number}.parquet").touch()
    with pytest.raises(ImportFailed, match="has more than 1,000 Parquet files"):
        next(found.files(0))
    shutil.rmtree(path.parent)
    path.parent.write_text("")
    with pytest.raises(ImportFailed, match="is no folder"):
        next(found.files(0))
