"""DESI coadds of three arms and several targets, and the redrock table that belongs to them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from astropy.io import fits

from train.simulate.layouts.common import AUTHOR, Entry, float32, mark_simulated, save, table
from train.simulate.telescope.pipeline_class import PipelineClass

UNITS = {"WAVELENGTH": "Angstrom", "FLUX": "10**-17 erg/(s cm2 Angstrom)"}
TARGETS_PER_FILE = 8
SUBTYPES = {"Carbon": "K", "gM": "M", "WD": "WD", "CV": "CV", "OB": "B", "O": "B"}


def file_name(first: Entry) -> str:
    return f"coadd-sim-dark-{first.target.index:07d}.fits"


def redrock_path(path: Path) -> Path:
    return path.with_name(path.name.replace("coadd-", "redrock-", 1))


def write(path: Path, entries: Sequence[Entry]) -> None:
    """Write the coadd and its redrock companion, with rows in the given order."""
    primary = _primary(entries[0])
    hdus: list[Any] = [primary, _fibermap(entries)]
    for number in range(len(entries[0].observation.arms)):
        cameras = [entry.observation.arms[number] for entry in entries]
        images = {
            "WAVELENGTH": cameras[0].wavelength,
            "FLUX": float32(np.stack([camera.flux for camera in cameras])),
            "IVAR": float32(np.stack([camera.ivar for camera in cameras])),
            "MASK": np.stack([camera.mask for camera in cameras]).astype(np.int32),
        }
        for what, image in images.items():
            hdu = fits.ImageHDU(image, name=f"{cameras[0].name}_{what}")
            if what in UNITS:
                hdu.header["BUNIT"] = UNITS[what]
            hdus.append(hdu)
    # The companion is written first, so that a coadd never exists without it.
    save([_primary(entries[0]), _redshifts(entries), _fibermap(entries)], redrock_path(path))
    save(hdus, path)


def _primary(first: Entry) -> Any:
    primary = fits.PrimaryHDU()
    mark_simulated(primary.header, first.stamp)
    primary.header["AUTHOR"] = AUTHOR
    primary.header["SURVEY"] = ("sim", "survey name")
    primary.header["PROGRAM"] = ("dark", "program name")
    primary.header["SPGRP"] = ("healpix", "spectral grouping")
    primary.header["TELESCOP"] = ("KPNO 4.0-m telescope", "telescope imitated")
    return primary


def _fibermap(entries: Sequence[Entry]) -> Any:
    targets = [entry.target for entry in entries]

    def flux(band: str) -> list[float]:
        return [10 ** (0.4 * (22.5 - target.magnitudes[band])) for target in targets]

    columns: list[tuple[str, str, Any]] = [
        ("TARGETID", "K", [target.targetid for target in targets]),
        ("COADD_FIBERSTATUS", "J", [0] * len(targets)),
        ("TARGET_RA", "D", [target.ra for target in targets]),
        ("TARGET_DEC", "D", [target.dec for target in targets]),
        ("DESINAME", "26A", [target.designation for target in targets]),
        ("OBJTYPE", "3A", ["TGT"] * len(targets)),
        ("FLUX_G", "E", flux("g")),
        ("FLUX_R", "E", flux("r")),
        ("FLUX_Z", "E", flux("z")),
        ("COADD_NUMEXP", "I", [4] * len(targets)),
        ("MEAN_MJD", "D", [float(target.mjd) for target in targets]),
    ]
    return table(columns, "FIBERMAP")


def redrock_class(pipeline_class: PipelineClass) -> tuple[str, str, int]:
    """SPECTYPE, SUBTYPE and ZWARN of redrock."""
    if pipeline_class.class_name.upper() == "UNKNOWN":
        return "GALAXY", "", 4
    if pipeline_class.class_name == "QSO":
        return "QSO", "HIZ" if pipeline_class.z > 1.6 else "LOZ", 0
    if pipeline_class.class_name != "STAR":
        return pipeline_class.class_name, "", 0
    for start, subtype in SUBTYPES.items():
        if pipeline_class.subclass.startswith(start):
            return "STAR", subtype, 0
    return "STAR", pipeline_class.subclass[:1], 0


def _redshifts(entries: Sequence[Entry]) -> Any:
    classes = [redrock_class(entry.pipeline_class) for entry in entries]
    pairs = zip(entries, classes, strict=True)
    z = [entry.pipeline_class.z if warning == 0 else 0.0 for entry, (_, _, warning) in pairs]
    columns: list[tuple[str, str, Any]] = [
        ("TARGETID", "K", [entry.target.targetid for entry in entries]),
        ("Z", "D", z),
        ("ZWARN", "K", [warning for _, _, warning in classes]),
        ("SPECTYPE", "6A", [spectype for spectype, _, _ in classes]),
        ("SUBTYPE", "20A", [subtype for _, subtype, _ in classes]),
    ]
    return table(columns, "REDSHIFTS")
