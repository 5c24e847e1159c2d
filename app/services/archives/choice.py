"""The archives by name, and which of them has the spectrum of a row."""

from app.services.archives import sdss, sparcl
from app.services.archives.archive import Archive, NotTold, Wanted
from app.services.archives.lamost import Lamost, lamost_token
from app.services.archives.sdss import Sdss
from app.services.archives.sparcl import Sparcl
from app.services.archives.ssap import Ssap
from app.services.web.errors import ServiceError
from app.services.web.lamost_releases import BASE as LAMOST
from app.services.web.urls import check_base

ARCHIVES = ("sparcl", "sdss", "lamost", "ssap")
DESI_REFUSED = (
    "DESI's own files hold hundreds of spectra in hundreds of megabytes: single spectra of DESI "
    "are fetched from SPARCL"
)


def archive_by_name(name: str, release: str = "", base: str = "") -> Archive:
    """The archive, at `base` instead of its own address if one is given. Raises ServiceError."""
    if name == "desi":
        raise NotTold(DESI_REFUSED)
    if base:
        check_base(base)
        # An SSAP address is used as it is given: it may end in a query.
        base = base.rstrip("/") if name != "ssap" else base
    if name == "sparcl":
        return Sparcl(release, base or sparcl.BASE)
    if name == "sdss":
        return Sdss(release, base or sdss.BASE)
    if name == "lamost":
        base = base or LAMOST
        return Lamost(release, base, token=lamost_token(base))
    if name == "ssap":
        if not base:
            raise NotTold("give the address of the SSAP service")
        return Ssap(base)
    raise NotTold(f"there is no archive {name[:40]!a}: use {', '.join(ARCHIVES)}")


def archive_of_row(wanted: Wanted) -> Archive | None:
    """The archive whose identifiers the row has; None if they are those of no archive.

    SDSS and LAMOST find a spectrum by its numbers without asking a server. SDSS is tried before
    SPARCL, which takes a `specobjid`, too: lists of SDSS often have that column.
    """
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
