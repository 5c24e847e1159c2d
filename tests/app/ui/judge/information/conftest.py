"""The panels of information and of nearby objects, on the screen."""

import numpy as np
import pytest

from agent.spectra.spectrum import Spectrum
from app.core.session.records import Candidate, Opinion, Verdict
from app.ui.judge.information.information_panel import CandidateFacts, InformationPanel, sections
from app.ui.judge.information.nearby_panel import NearbyPanel
from tests.app.ui.judge.comparison.conftest import put
from tests.app.ui.steps import shown_in


@pytest.fixture
def panel(qtbot, context):
    return shown_in(qtbot, InformationPanel(context), 290, 400)


def texts(panel):
    model = panel.model
    return {row.name: model.value_of(number) for number, row in enumerate(model.rows)}


@pytest.fixture
def nearby(qtbot, context, session):
    here = session.candidate(2)
    put(session, 5, ra=here.ra, dec=here.dec + 1.0 / 3600.0, own='{"obsdate": "2018-10-05T1"}')
    put(session, 8, ra=here.ra, dec=here.dec + 2.0 / 3600.0, own='{"mjd": 58000}')
    put(session, 9, object_id=here.object_id, ra=None, dec=None)
    put(session, 11, ra=None, dec=None)
    session.record_verdict(8, Opinion(verdict=Verdict.REJECT))
    return shown_in(qtbot, NearbyPanel(context), 300, 200)


def shown(panel):
    model = panel.model
    rows = range(model.rowCount())
    return [[model.index(row, column).data() for column in range(4)] for row in rows]


LAMOST_HEADER = {
    "SUBCLASS": "CV", "Z": 0.0003, "SNRZ": 12.5, "SNRU": 3.25, "DEC": 44.5, "RA": 120.25,
    "FIBERID": 31, "SPID": 3, "PLANID": "EG01", "LMJD": 58397, "DATE-OBS": "2018-10-05",
    "DESIG": "LAMOST J080100.00+443000.0", "OBSID": 677503031, "CLASS": "STAR", "SEEING": 2.9,
}  # fmt: skip


def spectrum(survey="LAMOST", **meta):
    wavelength = np.linspace(4000.0, 8000.0, 20)
    return Spectrum(wavelength=wavelength, flux=np.ones(20), survey=survey, meta=meta)


def candidate(**fields):
    given = {"id": 1, "list_id": 1, "line": 1, "object_id": "J0801", "path": "/a/b.fits", **fields}
    return Candidate(**given)


def rows(name, **facts):
    """The rows of one section about a candidate with these facts."""
    known = CandidateFacts(**{"candidate": candidate(), **facts})
    return {row.name: row.value for row in sections(known).get(name, ())}
