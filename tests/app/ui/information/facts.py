"""Candidates, spectra and the rows made from them."""

from __future__ import annotations

import numpy as np

from agent.spectra.spectrum import Spectrum
from app.core.session.records import Candidate
from app.ui.information.information import sections

LAMOST_HEADER = {
    "SUBCLASS": "CV",
    "Z": 0.0003,
    "SNRZ": 12.5,
    "SNRU": 3.25,
    "DEC": 44.5,
    "RA": 120.25,
    "FIBERID": 31,
    "SPID": 3,
    "PLANID": "EG01",
    "LMJD": 58397,
    "DATE-OBS": "2018-10-05",
    "DESIG": "LAMOST J080100.00+443000.0",
    "OBSID": 677503031,
    "CLASS": "STAR",
    "SEEING": 2.9,
}


def spectrum(survey="LAMOST", **meta):
    wavelength = np.linspace(4000.0, 8000.0, 20)
    return Spectrum(wavelength=wavelength, flux=np.ones(20), survey=survey, meta=meta)


def candidate(**fields):
    given = {"id": 1, "list_id": 1, "line": 1, "object_id": "J0801", "path": "/a/b.fits", **fields}
    return Candidate(**given)


def rows(known, name):
    found = {section.name: section.rows for section in sections(known)}
    return {row.name: row.value for row in found.get(name, ())}
