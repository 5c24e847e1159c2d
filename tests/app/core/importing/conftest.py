import pytest

from agent.tasks.catalogue import find_task
from app.core.session.session import new_session
from tests.agent.spectra.readers import samples
from tests.app.core.importing.lists import fits_bytes


@pytest.fixture
def session(file_location):
    with new_session(file_location, find_task("CV"), "Ada") as made:
        yield made


@pytest.fixture
def folder(tmp_path):
    """Where lists lie."""
    made = tmp_path / "lists"
    made.mkdir()
    return made


@pytest.fixture
def spectra_folder(folder):
    made = {
        "b/lamost.fits": samples.lamost_image(),
        "b/packed.fits.gz": samples.gz(samples.lamost_table()),
        "b/med.fits": samples.lamost_mrs(),
        "a/spec-0266-51602-0031.fits": samples.sdss(),
        "a/star.dat": samples.text(),
        "a/star.vot": samples.votable(),
        "coadd-main-dark-1.fits": samples.desi(),
        "redrock-main-dark-1.fits": samples.redrock(),
        "list.csv": b"name,path\nx,a/star.dat\n",
        "README.txt": b"Spectra of two nights.\n",
        "broken.fits": b"SIMPLE  =    T",
        "catalogue.fits": fits_bytes({"NAME": ("5A", ["x"]), "RA": ("D", [1.0])}),
        ".cache.fits": samples.lamost_image(),
        ".git/x.fits": samples.lamost_image(),
    }
    for name, content in made.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
    return folder


@pytest.fixture
def spectra(tmp_path):
    made = tmp_path / "spectra"
    made.mkdir()
    return made
