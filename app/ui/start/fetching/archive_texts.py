"""The archives in the language of the window, and what each is sent."""

from PySide6.QtCore import QCoreApplication

translate = QCoreApplication.translate
NAMES = {"sparcl": "SPARCL", "sdss": "SDSS", "lamost": "LAMOST"}


def archive_name(archive: str) -> str:
    return NAMES.get(archive) or translate("fetching", "SSAP service")


def sends_text(archive: str) -> str:
    """One sentence on what leaves the computer."""
    return {
        "sparcl": translate(
            "fetching",
            "Identifiers or positions are sent to astrosparcl.datalab.noirlab.edu (NOIRLab).",
        ),
        "sdss": translate(
            "fetching",
            "Plate or field, MJD, and fibre or catalogue number are sent to data.sdss.org, "
            "positions to skyserver.sdss.org.",
        ),
        "lamost": translate(
            "fetching",
            "Obsids or positions, and your token if you have one, are sent to www.lamost.org.",
        ),
        "ssap": translate("fetching", "Positions are sent to the service of this address."),
    }.get(archive, "")


def example_text(archive: str) -> str:
    """How spectra of this archive are written, one a line."""
    return {
        "sparcl": translate(
            "fetching", "One a line: a sparcl_id, a specid or TARGETID, or a position (RA Dec)"
        ),
        "sdss": translate(
            "fetching",
            "One a line: plate-mjd-fiber or field-mjd-catalogid, as 0266-51602-0031, or a position",
        ),
        "lamost": translate(
            "fetching", "One a line: an obsid, as 677503031, or a position (RA Dec)"
        ),
        "ssap": translate(
            "fetching", "One a line: a position, as 24.3769 25.4271 or 01:37:30.4 +25:25:38"
        ),
    }[archive]
