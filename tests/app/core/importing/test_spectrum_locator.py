"""Where spectra lie, and that nothing outside what the user named is ever one."""

import os
import sys

import pytest

from app.core.importing.spectrum_locator import FileIndex, SpectrumLocator
from app.core.importing.survey_names import find_scheme
from tests.app.core.importing.lists import touch


def location(places, text):
    """The path, or the reason against it."""
    refused = {}
    (path,) = places.resolve_all([text], refused)
    assert bool(path) != bool(refused) or not text
    return refused.get(0, path)


def places_of(folder, spectra=None, **more):
    return SpectrumLocator(folder / "list.csv", spectra, **more)


def test_relative_paths_count_from_the_list_then_from_the_spectra(folder, spectra):
    touch(folder, "both.fits", "sub/here.fits")
    touch(spectra, "both.fits", "sub/there.fits")
    places = places_of(folder, spectra)
    assert location(places, "both.fits") == str(folder / "both.fits")
    assert location(places, "sub/here.fits") == str(folder / "sub" / "here.fits")
    assert location(places, "./sub//there.fits") == str(spectra / "sub" / "there.fits")
    assert location(places, "sub\\there.fits") == str(spectra / "sub" / "there.fits")
    assert places.missing == 0
    assert location(places, "gone.fits") == str(spectra / "gone.fits")
    assert places.missing == 1
    assert location(places_of(folder), "deep/gone.fits") == str(folder / "deep" / "gone.fits")


def test_a_file_that_was_moved_within_the_spectra_is_found_by_its_name(folder, spectra):
    touch(spectra, "2019/moved.fits", "a/twice.fits", "b/twice.fits")
    places = places_of(folder, spectra)
    assert location(places, "old/moved.fits") == str(spectra / "2019" / "moved.fits")
    assert location(places, "/data/lamost/moved.fits") == str(spectra / "2019" / "moved.fits")
    assert location(places, "C:\\data\\moved.fits") == str(spectra / "2019" / "moved.fits")
    assert location(places, "old/twice.fits") == str(spectra / "old" / "twice.fits")
    assert places.missing == 1


@pytest.mark.parametrize("text", [
    "../secret.fits", "sub/../../secret.fits", "..\\secret.fits", "/etc/passwd",
    "//server/share/x.fits", "C:/Windows/x.fits", "http://x.org/a.fits", "https://x.org/a.fits",
    "file:///etc/passwd", "ftp:/x/a.fits", "~/a.fits", "/dev/zero", "sub/..", "..", ".", "sub/",
    "a" * 5000,
])  # fmt: skip
def test_what_leads_out_is_refused(folder, tmp_path, text):
    touch(tmp_path, "secret.fits")
    touch(folder, "sub/a.fits")
    said = location(places_of(folder), text)
    assert not os.path.isabs(said), said  # noqa: PTH117
    assert len(said) < 300


def test_what_is_inside_of_what_was_named(folder, spectra, tmp_path):
    touch(spectra, "a.fits")
    assert "outside the allowed folders" in location(places_of(folder), "../spectra/a.fits")
    assert location(places_of(folder, spectra), "../spectra/a.fits") == str(spectra / "a.fits")
    touch(tmp_path / "lists2", "a.fits")
    assert "outside" in location(places_of(folder), str(tmp_path / "lists2" / "a.fits"))
    touch(spectra, "a.fits")
    touch(tmp_path / "else", "b.fits")
    inside, outside = str(spectra / "a.fits"), str(tmp_path / "else" / "b.fits")
    assert location(places_of(folder, spectra), inside) == inside
    assert "outside the allowed folders" in location(places_of(folder, spectra), outside)
    free = places_of(folder, allow_absolute=True)
    assert location(free, outside) == outside
    assert "outside" in location(free, "../else/b.fits")


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_links(folder, spectra, tmp_path):
    touch(tmp_path / "secret", "key.fits")
    touch(folder, "real.fits", "deep/real.fits")
    (folder / "out.fits").symlink_to(tmp_path / "secret" / "key.fits")
    (folder / "outdir").symlink_to(tmp_path / "secret")
    (folder / "in.fits").symlink_to(folder / "real.fits")
    (folder / "loop.fits").symlink_to("loop.fits")
    (folder / "indir").symlink_to(folder / "deep")
    places = places_of(folder)
    assert "link to outside" in location(places, "out.fits")
    assert "link to outside" in location(places, "outdir/key.fits")
    assert "link to outside" in location(places, "loop.fits")
    assert location(places, "in.fits") == str(folder / "in.fits")
    assert location(places, "indir/real.fits") == str(folder / "indir" / "real.fits")
    assert places.outside.found().folders == (str(tmp_path / "secret"),)
    for named in (
        places_of(folder, tmp_path / "secret"),
        places_of(folder, allowed=[str(tmp_path / "secret")]),
        places_of(folder, allow_absolute=True),
    ):
        assert location(named, "outdir/key.fits") == str(folder / "outdir" / "key.fits")
        assert location(named, "out.fits") == str(folder / "out.fits")
        assert "link to outside" in location(named, "loop.fits")


@pytest.mark.skipif(sys.platform == "win32", reason="no pipes in folders there")
def test_what_is_no_regular_file(folder):
    os.mkfifo(folder / "pipe.fits")
    (folder / "folder.fits").mkdir()
    places = places_of(folder)
    assert "not a regular file" in location(places, "pipe.fits")
    assert location(places, "folder.fits") == str(folder / "folder.fits")
    assert places.missing == 1


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_a_folder_given_by_a_link_is_that_folder(folder, tmp_path):
    touch(tmp_path / "disk", "a.fits")
    (tmp_path / "link").symlink_to(tmp_path / "disk")
    link = tmp_path / "link"
    assert location(places_of(folder, link), "a.fits") == str(link / "a.fits")


def test_no_more_names_are_remembered_than_may_be(folder, monkeypatch):
    monkeypatch.setattr("app.core.importing.spectrum_locator.MAX_CACHED_NAMES", 50)
    for number in range(30):
        touch(folder, f"{number}/a.fits")
    places = places_of(folder)
    for _ in range(2):
        texts = [f"{number}/a.fits" for number in range(30)]
        assert places.resolve_all(texts, {}) == [str(folder / text) for text in texts]
        assert len(places._cache) < 30
    assert places.missing == 0


def test_files_by_name(spectra):
    touch(spectra, "Spec-0266-51602-0031.fits", "x/979609207.fits.gz", "n/12345.fits")
    touch(spectra, "y/lamost_100001007.fits", "notes.pdf", ".hidden.fits")
    touch(spectra, "a/979609208.fits", "b/979609208.fits")
    index = FileIndex(spectra)
    assert index.by_stem("spec-0266-51602-0031").endswith("Spec-0266-51602-0031.fits")
    assert index.by_stem("979609207").endswith("979609207.fits.gz")
    assert index.by_stem("100001007").endswith("lamost_100001007.fits")
    assert index.by_stem("979609208") == ""  # which of the two?
    assert index.by_stem("51602") == ""
    assert index.by_stem("12345").endswith("12345.fits")
    assert (index.by_stem("notes"), index.by_stem(".hidden")) == ("", "")


def test_an_address_is_used_where_it_is_allowed(folder, spectra):
    url = "https://Host.example/a/b/1.fits?v=2"
    places = places_of(folder, allowed=["https://host.example/a"])
    assert location(places, url) == url
    assert location(places, "HTTPS://host.example/a/2.fits") == "HTTPS://host.example/a/2.fits"
    assert places.missing == 0, "it is not asked"
    for other in (
        "https://host.example/ab/1.fits", "https://host.example/1.fits",
        "http://host.example/a/1.fits", "https://host.example.evil/a/1.fits",
        "https://host.example@evil/a/1.fits", "https://host.example/a/../1.fits",
        "https://host.example/a/%2e%2e", "https://host.example/a/b::file:",
        "s3://host.example/a/1.fits",
    ):  # fmt: skip
        assert location(places, other).startswith('"'), other
    assert location(places_of(folder, allow_absolute=True), "s3://a/b") == "s3://a/b"
    assert "not allowed" in location(places_of(folder), url)
    touch(spectra, "deep/1.fits")
    here = places_of(folder, spectra, allowed=["s3://a"])
    assert location(here, "s3://a/1.fits") == str(spectra / "deep" / "1.fits"), "a copy is here"


# File names of the surveys.
@pytest.mark.parametrize(("columns", "parts", "first"), [
    ("plate mjd fiberid", ("266", "51602", "31"), "spec-0266-51602-0031"),
    ("plate mjd fiberid", ("266.0", "51602.000", "3.1e+01"), "spec-0266-51602-0031"),
    ("PLATE MJD FIBER", ("11000", "58000", "1000"), "spec-11000-58000-1000"),
    ("lmjd planid spid fiberid", ("55859", "F5902", "1", "8"), "spec-55859-F5902_sp01-008"),
    ("field mjd catalogid", ("15000", "59146", "4375786564"), "spec-015000-59146-4375786564"),
    ("survey program healpix", ("main", "dark", "27247"), "coadd-main-dark-27247"),
    ("petal_loc tileid lastnight", ("4", "80613", "20210324"), "coadd-4-80613-thru20210324"),
])  # fmt: skip
def test_what_the_surveys_call_their_files(columns, parts, first):
    naming = find_scheme(columns.split())
    assert naming.stems(parts)[0] == first
    assert naming.stems(["x"] * len(parts)) in ([], ["coadd-x-x-x", "spectra-x-x-x"])
