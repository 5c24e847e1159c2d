"""Gets a file that an archive has at one of several addresses."""

import re
from collections.abc import Callable, Sequence

from agent.checked_toml import printable
from agent.errors import ReadError
from agent.spectra.fits.source_file import source_of
from agent.spectra.readers.registry import read_bytes
from agent.spectra.spectrum import Spectrum
from app.services.archives.archive import MAX_FILE, FetchedFile, Found, WrongFile, question
from app.services.catalogues.position import Position, separation_arcsec
from app.services.web.client import WebClient
from app.services.web.errors import NotFound, ShouldStop

_UNSAFE = re.compile(r"[^A-Za-z0-9_.+-]+")
MAX_STEM = 100

HTML = (b"<!doctype html", b"<html")
MAX_UNPACKED = 8 * MAX_FILE
ID_KEYS = ("OBSID", "SPARCLID", "CATALOGID")
"""Numbers of one spectrum or object; a file that has one must have the right one."""


def get_first(
    urls: Sequence[str],
    client: WebClient,
    should_stop: ShouldStop,
    *,
    per_second: float,
    with_secret: Callable[[str], str] = str,
) -> FetchedFile:
    """The file at the first address that has one. Raises ServiceError, or Stopped.

    `with_secret` adds a token to the address; what is returned and raised is without it.
    """
    missing: NotFound | None = None
    for url in urls:
        try:
            reply = client.ask(question(with_secret(url), per_second), should_stop)
        except NotFound as error:
            missing = error
        else:
            return FetchedFile(content=reply.content, url=url)
    raise missing or NotFound("there is no address of it")


def safe_stem(text: str) -> str:
    """A name for a file, of letters and digits that every system takes."""
    return _UNSAFE.sub("_", text).strip("._")[:MAX_STEM] or "spectrum"


# Whether a file that an archive sent is the spectrum that was asked for, whole and readable.
def checked(content: bytes, found: Found, radius_arcsec: float) -> Spectrum:
    """The spectrum in a file. Raises WrongFile, which says why it is not the one."""
    if content.lstrip()[:20].lower().startswith(HTML):
        raise WrongFile("the archive sent a web page instead of a spectrum")
    try:
        name = found.stem + suffix_of(content)
        file = source_of(content, name)
        # Unpacks it to the end, which tests the checksum of gzip.
        size = len(file.whole(MAX_UNPACKED))
        for hdu in file.fits if file.is_fits else ():
            if hdu.end > size:
                raise ReadError(f"the file is cut short in {hdu.title}")
        spectrum = read_bytes(content, name)
    except ReadError as error:
        raise WrongFile(f"the file is no spectrum that can be read: {error}") from error
    _check_object(spectrum, found, radius_arcsec)
    return spectrum


def suffix_of(content: bytes) -> str:
    """From what the file is, not from what it is called."""
    packed = ".gz" if content.startswith(b"\x1f\x8b") else ""
    start = source_of(content, "x").start if packed else content[:400]
    if start.startswith(b"SIMPLE  ="):
        return f".fits{packed}"
    if b"<VOTABLE" in start or start.lstrip().startswith(b"<?xml"):
        return f".vot{packed}"
    return f".txt{packed}"


def _check_object(spectrum: Spectrum, found: Found, radius_arcsec: float) -> None:
    told = {spectrum.object_id, *map(str, spectrum.meta.values())}
    is_named = not found.names or bool(told & set(found.names))
    names_other = any(key in spectrum.meta for key in ID_KEYS) or spectrum.survey == "SDSS"
    is_other = not is_named and names_other
    if is_other or not (_is_near(spectrum, found, radius_arcsec) or is_named):
        name = printable(spectrum.object_id, 60)
        raise WrongFile(f"the file is of {name}, not of {found.names[0]}")


def _is_near(spectrum: Spectrum, found: Found, radius_arcsec: float) -> bool:
    """False where a position is not known. Raises WrongFile if it is another one."""
    if None in (spectrum.ra, spectrum.dec, found.ra, found.dec):
        return False
    here = Position(ra=float(spectrum.ra or 0.0), dec=float(spectrum.dec or 0.0))
    wanted = Position(ra=float(found.ra or 0.0), dec=float(found.dec or 0.0))
    apart = separation_arcsec(here, wanted)
    if apart > radius_arcsec:
        raise WrongFile(
            f"the file is of another object: {apart:.1f} arcsec from the position asked for, where "
            f"{radius_arcsec:g} are allowed"
        )
    return True
