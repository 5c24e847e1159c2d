"""Every crafted list by name."""

from tests.attacks.lists.case import Case
from tests.attacks.lists.path_cases import FILES, PATHS
from tests.attacks.lists.text_cases import ECSV, ENCODINGS, PACKED, SHAPES
from tests.attacks.lists.typed_cases import FITS, VOTABLES

GROUPS = {
    "ecsv": ECSV, "encoding": ENCODINGS, "shape": SHAPES, "gzip": PACKED, "votable": VOTABLES,
    "fits": FITS, "file": FILES, "path": PATHS,
}  # fmt: skip
CASES: dict[str, Case] = {
    f"{group}: {name}": case for group, made in GROUPS.items() for name, case in made.items()
}
BY_DAY = (
    "ecsv: aliases, 12 deep", "ecsv: merge keys, 30 deep", "ecsv: a unit of colons",
    "encoding: NUL in a cell",
    "shape: 30 MB of blank lines among rows", "gzip: a gzip bomb", "gzip: members of nothing",
    "votable: names of attributes of 1 MB", "votable: sizes of 9x9x9x9x9: invalid arraysize",
    "fits: rows without end",
    "file: a pipe", "file: a link to a pipe outside", "path: a row names '../bait.fits'",
)  # fmt: skip
