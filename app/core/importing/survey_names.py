"""Build survey file names for catalogues that only give the numbers in them (plate, MJD, ...)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from app.core.importing.formats.cell_numbers import whole_of
from app.core.importing.role_names import normalized_name

Stems = Callable[..., list[str]]


@dataclass(frozen=True)
class NamingScheme:
    """A file naming scheme of a survey.

    `columns` lists the possible column names of each part. `stems` returns file names without
    suffix, the most likely first; `object_id` returns the name that the readers give the object.
    """

    survey: str
    columns: tuple[tuple[str, ...], ...]
    stems: Stems
    object_id: Callable[..., str] | None = None


@dataclass(frozen=True)
class SchemeMatch:
    """A scheme and the columns of a list that match it, by number and by name."""

    scheme: NamingScheme
    columns: tuple[int, ...]
    names: tuple[str, ...]

    def stems(self, parts: Sequence[str]) -> list[str]:
        try:
            return self.scheme.stems(*parts)
        except ValueError:  # a cell is not a number
            return []

    def object_id(self, parts: Sequence[str]) -> str:
        try:
            return self.scheme.object_id(*parts) if self.scheme.object_id else ""
        except ValueError:
            return ""


def _whole(text: str) -> int:
    number = whole_of(text)
    if number is None:
        raise ValueError(text)
    return number


def _sdss(plate: str, mjd: str, fiber: str) -> list[str]:
    numbers = _whole(plate), _whole(mjd), _whole(fiber)
    return ["spec-{:04d}-{:05d}-{:04d}".format(*numbers),
            "spSpec-{1:05d}-{0:04d}-{2:03d}".format(*numbers)]  # fmt: skip


def _sdss_id(plate: str, mjd: str, fiber: str) -> str:
    return f"{_whole(plate):04d}-{_whole(mjd)}-{_whole(fiber):04d}"


def _sdss_v(field: str, mjd: str, catalogid: str) -> list[str]:
    return [f"spec-{_whole(field):06d}-{_whole(mjd)}-{_whole(catalogid)}"]


def _sdss_v_id(field: str, mjd: str, catalogid: str) -> str:
    return f"{_whole(field):06d}-{_whole(mjd)}-{_whole(catalogid)}"


def _lamost(mjd: str, plan: str, spectrograph: str, fiber: str) -> list[str]:
    name_part = f"{_whole(mjd)}-{plan}_sp{_whole(spectrograph):02d}-{_whole(fiber):03d}"
    return [f"spec-{name_part}", f"med-{name_part}"]


def _desi_healpix(survey: str, program: str, healpix: str) -> list[str]:
    name_part = f"{survey}-{program}-{_whole(healpix)}"
    return [f"coadd-{name_part}", f"spectra-{name_part}"]


def _desi_tile(petal: str, tile: str, night: str) -> list[str]:
    start = f"{_whole(petal)}-{_whole(tile)}"
    return [f"{kind}-{start}-{mark}{_whole(night)}" for kind in ("coadd", "spectra")
            for mark in ("thru", "")]  # fmt: skip


REDSHIFTS = ("redrock-", "zbest-")
SPECTRA = ("coadd-", "spectra-")


def companions(name: str) -> list[str]:
    """Possible names of the DESI spectra file that belongs to a redshift file."""
    for start in REDSHIFTS:
        if name.startswith(start):
            return [other + name.removeprefix(start) for other in SPECTRA]
    return []


PLATES = ("plate", "plateid", "plate_id")
MJDS = ("mjd", "mjdid")
FIBERS = ("fiberid", "fiber", "fiber_id")
SCHEMES = (
    NamingScheme(
        "LAMOST", (("lmjd", "mjd"), ("planid", "plan_id"), ("spid", "sp_id"), FIBERS), _lamost
    ),
    NamingScheme("SDSS", (PLATES, MJDS, FIBERS), _sdss, _sdss_id),
    NamingScheme(
        "SDSS-V", (("field", "fieldid"), MJDS, ("catalogid", "sdss_id")), _sdss_v, _sdss_v_id
    ),
    NamingScheme("DESI", (("survey",), ("program",), ("healpix", "hpxpixel")), _desi_healpix),
    NamingScheme(
        "DESI",
        (("petal_loc", "petal"), ("tileid", "tile"), ("lastnight", "last_night", "night")),
        _desi_tile,
    ),
)


def find_scheme(names: Sequence[str]) -> SchemeMatch | None:
    """The first scheme for which the list has all columns."""
    numbers: dict[str, int] = {}
    for number, name in enumerate(names):
        numbers.setdefault(normalized_name(name), number)
    for scheme in SCHEMES:
        found = [next((numbers[n] for n in some if n in numbers), None) for some in scheme.columns]
        columns = [number for number in found if number is not None]
        if len(columns) == len(found):
            return SchemeMatch(scheme, tuple(columns), tuple(names[number] for number in columns))
    return None
