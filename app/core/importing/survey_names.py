"""What the surveys call their files, for catalogues that only give the numbers they are made of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from app.core.importing.role_names import plain

Stems = Callable[..., list[str]]


@dataclass(frozen=True)
class Scheme:
    """`columns`: for each part the names its column may have. `stems` are file names without
    their suffix, the likeliest first; `object_id` is what the readers call such an object."""

    survey: str
    columns: tuple[tuple[str, ...], ...]
    stems: Stems
    object_id: Callable[..., str] | None = None


@dataclass(frozen=True)
class Naming:
    """A scheme with the columns of a list, by number and by name."""

    scheme: Scheme
    columns: tuple[int, ...]
    names: tuple[str, ...]

    def stems(self, parts: Sequence[str]) -> list[str]:
        try:
            return self.scheme.stems(*parts)
        except ValueError:  # not the numbers they should be
            return []

    def object_id(self, parts: Sequence[str]) -> str:
        try:
            return self.scheme.object_id(*parts) if self.scheme.object_id else ""
        except ValueError:
            return ""


def _sdss(plate: str, mjd: str, fiber: str) -> list[str]:
    numbers = int(plate), int(mjd), int(fiber)
    return ["spec-{:04d}-{:05d}-{:04d}".format(*numbers),
            "spSpec-{1:05d}-{0:04d}-{2:03d}".format(*numbers)]  # fmt: skip


def _sdss_id(plate: str, mjd: str, fiber: str) -> str:
    return f"{int(plate):04d}-{int(mjd)}-{int(fiber):04d}"


def _sdss_v(field: str, mjd: str, catalogid: str) -> list[str]:
    return [f"spec-{int(field):06d}-{int(mjd)}-{int(catalogid)}"]


def _sdss_v_id(field: str, mjd: str, catalogid: str) -> str:
    return f"{int(field):06d}-{int(mjd)}-{int(catalogid)}"


def _lamost(mjd: str, plan: str, spectrograph: str, fiber: str) -> list[str]:
    place = f"{int(mjd)}-{plan}_sp{int(spectrograph):02d}-{int(fiber):03d}"
    return [f"spec-{place}", f"med-{place}"]


def _desi_healpix(survey: str, program: str, healpix: str) -> list[str]:
    place = f"{survey}-{program}-{int(healpix)}"
    return [f"coadd-{place}", f"spectra-{place}"]


def _desi_tile(petal: str, tile: str, night: str) -> list[str]:
    start = f"{int(petal)}-{int(tile)}"
    return [f"{kind}-{start}-{mark}{int(night)}" for kind in ("coadd", "spectra")
            for mark in ("thru", "")]  # fmt: skip


REDSHIFTS = ("redrock-", "zbest-")
SPECTRA = ("coadd-", "spectra-")


def companions(name: str) -> list[str]:
    """What DESI calls the spectra that a file of redshifts is about."""
    for start in REDSHIFTS:
        if name.startswith(start):
            return [other + name.removeprefix(start) for other in SPECTRA]
    return []


PLATES = ("plate", "plateid", "plate_id")
MJDS = ("mjd", "mjdid")
FIBERS = ("fiberid", "fiber", "fiber_id")
SCHEMES = (
    Scheme(
        "LAMOST",
        (("lmjd", "mjd"), ("planid", "plan_id"), ("spid", "sp_id"), FIBERS),
        _lamost,
    ),
    Scheme("SDSS", (PLATES, MJDS, FIBERS), _sdss, _sdss_id),
    Scheme(
        "SDSS-V",
        (("field", "fieldid"), MJDS, ("catalogid", "sdss_id")),
        _sdss_v,
        _sdss_v_id,
    ),
    Scheme("DESI", (("survey",), ("program",), ("healpix", "hpxpixel")), _desi_healpix),
    Scheme(
        "DESI",
        (("petal_loc", "petal"), ("tileid", "tile"), ("lastnight", "last_night", "night")),
        _desi_tile,
    ),
)


def naming_of(names: Sequence[str]) -> Naming | None:
    """The first scheme of which a list has every column."""
    numbers: dict[str, int] = {}
    for number, name in enumerate(names):
        numbers.setdefault(plain(name), number)
    for scheme in SCHEMES:
        found = [next((numbers[n] for n in some if n in numbers), None) for some in scheme.columns]
        columns = [number for number in found if number is not None]
        if len(columns) == len(found):
            return Naming(scheme, tuple(columns), tuple(names[number] for number in columns))
    return None
