"""The archives by name, and which of them has the spectrum of a row."""

from __future__ import annotations

from app.services.archives import lamost, sdss, sparcl
from app.services.archives.archive import Archive, NotTold, Wanted
from app.services.archives.lamost import Lamost, lamost_token
from app.services.archives.sdss import Sdss
from app.services.archives.sparcl import Sparcl
from app.services.archives.ssap import Ssap
from app.services.web.errors import ServiceError
from app.services.web.urls import check_base

ARCHIVES = ("sparcl", "sdss", "lamost", "ssap")
NO_COADDS = (
    "DESI's own files hold hundreds of spectra in hundreds of megabytes: single spectra of DESI "
    "are fetched from SPARCL"
)


def archive_by_name(name: str, release: str = "", base: str = "") -> Archive:
    """Raises ServiceError where there is no such archive or release."""
    if name == "desi":
        raise NotTold(NO_COADDS)
    if base:
        check_base(base)
        base = base.rstrip("/") if name != "ssap" else base
    if name == "sparcl":
        return Sparcl(release, base or sparcl.BASE)
    if name == "sdss":
        return Sdss(release, base or sdss.BASE)
    if name == "lamost":
        base = base or lamost.BASE
        return Lamost(release, base, token=lamost_token(base))
    if name == "ssap":
        if not base:
            raise NotTold("give the address of the SSAP service")
        return Ssap(base)
    raise NotTold(f"there is no archive {name[:40]!a}: use {', '.join(ARCHIVES)}")


def archive_telling(wanted: Wanted) -> Archive | None:
    """The archive whose numbers the row gives; None where no one can tell."""
    if wanted.text("sparcl_id"):
        return Sparcl()
    try:
        Sdss().find(wanted, 0.0)
    except ServiceError:
        pass
    else:
        return Sdss()
    if wanted.number("specid", "specobjid", "targetid") is not None:
        return Sparcl()
    try:
        Lamost().find(wanted, 0.0)
    except ServiceError:
        return None
    return Lamost()  # the keyring is not asked for a token before it is needed
