"""Where SDSS keeps the spectrum of a plate or field: the paths of its own `sdss_access`."""

from __future__ import annotations

RELEASES = ("dr17", "dr18", "dr19", "dr20")
PLATE_RELEASE, FIELD_RELEASE = "dr17", "dr20"
"""Taken where none is given."""
FIELD_RUN2D = {"dr18": "v6_0_4", "dr19": "v6_1_3", "dr20": "v6_2_1"}
PLATE_RUN2D = "v5_13_2"
FIRST_BOSS_PLATE = 3510
SDSS_RUNS = ("26", "104", "103")
"""Reductions of SDSS-I and -II: the main survey, SEGUE-2, and clusters. Which plate is in which is
not told by its number."""
MAX_PLATE, MAX_MJD, MAX_FIBER, MAX_FIELD, MAX_CATALOGID = 99_999, 99_999, 1000, 999_999, 10**18


def plate_paths(release: str, plate: int, mjd: int, fiber: int, run2d: str = "") -> tuple[str, ...]:
    """Paths below `sas/`, most likely first."""
    if run2d:
        runs: tuple[str, ...] = (run2d,)
    else:
        runs = SDSS_RUNS if plate < FIRST_BOSS_PLATE else (PLATE_RUN2D,)
    name = f"{plate:04d}/spec-{plate:04d}-{mjd}-{fiber:04d}.fits"
    trees = ((run, "sdss" if run in SDSS_RUNS else "eboss") for run in runs)
    return tuple(f"{release}/{tree}/spectro/redux/{run}/spectra/lite/{name}" for run, tree in trees)


def field_path(release: str, field: int, mjd: int, catalogid: int, run2d: str = "") -> str:
    """Path below `sas/`; each release of SDSS-V has folders and names of its own."""
    run = run2d or FIELD_RUN2D[release]
    spectra = f"{release}/spectro/boss/redux/{run}/spectra"
    if release == "dr18":
        return f"{spectra}/lite/{field}p/{mjd}/spec-{field}-{mjd}-{catalogid:011d}.fits"
    name = f"{field:06d}/{mjd}/spec-{field:06d}-{mjd}-{catalogid}.fits"
    if release == "dr19":
        return f"{spectra}/lite/{name}"
    return f"{spectra}/daily/lite/{field // 1000:03d}XXX/{name}"
