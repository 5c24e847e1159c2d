"""Build survey file names for catalogues that only give the numbers in them (plate, MJD, ...)."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.core.importing.formats.cell_numbers import whole_of
from app.core.importing.role_names import normalized_name


@dataclass(frozen=True)
class NamingScheme:
    """A file naming scheme of a survey.

    `columns` lists the possible column names of each part; all parts but `words` are numbers.
    `stems` are patterns of file names without suffix, the most likely first; `object_id` is the
    pattern of the name that the readers give the object.
    """

    survey: str
    columns: tuple[tuple[str, ...], ...]
    stems: tuple[str, ...]
    object_id: str = ""
    words: tuple[int, ...] = ()


@dataclass(frozen=True)
class SchemeMatch:
    """A scheme and the numbers of the columns of a list that match it."""

    scheme: NamingScheme
    columns: tuple[int, ...]

    def stems(self, parts: Sequence[str]) -> list[str]:
        values = self._values(parts)
        return [] if values is None else [stem.format(*values) for stem in self.scheme.stems]

    def object_id(self, parts: Sequence[str]) -> str:
        values = self._values(parts)
        return "" if values is None else self.scheme.object_id.format(*values)

    def _values(self, parts: Sequence[str]) -> list[str | int] | None:
        """The parts as texts and numbers; None if a cell is not a number."""
        words = self.scheme.words
        values = [text if at in words else whole_of(text) for at, text in enumerate(parts)]
        known = [value for value in values if value is not None]
        return known if len(known) == len(values) else None


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
    NamingScheme("LAMOST", (("lmjd", "mjd"), ("planid", "plan_id"), ("spid", "sp_id"), FIBERS),
                 ("spec-{}-{}_sp{:02d}-{:03d}", "med-{}-{}_sp{:02d}-{:03d}"), words=(1,)),
    NamingScheme("SDSS", (PLATES, MJDS, FIBERS),
                 ("spec-{:04d}-{:05d}-{:04d}", "spSpec-{1:05d}-{0:04d}-{2:03d}"),
                 "{:04d}-{}-{:04d}"),
    NamingScheme("SDSS-V", (("field", "fieldid"), MJDS, ("catalogid", "sdss_id")),
                 ("spec-{:06d}-{}-{}",), "{:06d}-{}-{}"),
    NamingScheme("DESI", (("survey",), ("program",), ("healpix", "hpxpixel")),
                 ("coadd-{}-{}-{}", "spectra-{}-{}-{}"), words=(0, 1)),
    NamingScheme(
        "DESI", (("petal_loc", "petal"), ("tileid", "tile"), ("lastnight", "last_night", "night")),
        ("coadd-{}-{}-thru{}", "coadd-{}-{}-{}", "spectra-{}-{}-thru{}", "spectra-{}-{}-{}")),
)  # fmt: skip


def find_scheme(names: Sequence[str]) -> SchemeMatch | None:
    """The first scheme for which the list has all columns."""
    numbers: dict[str, int] = {}
    for number, name in enumerate(names):
        numbers.setdefault(normalized_name(name), number)
    for scheme in SCHEMES:
        found = [next((numbers[n] for n in some if n in numbers), None) for some in scheme.columns]
        columns = [number for number in found if number is not None]
        if len(columns) == len(found):
            return SchemeMatch(scheme, tuple(columns))
    return None
