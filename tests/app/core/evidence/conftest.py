"""A session of three stars, and a server that knows one of them."""

from dataclasses import replace

import pytest
from sqlalchemy import update

from app.core.database.tables import candidates
from app.services.catalogues.service import all_services
from tests.app.core.sessions import made
from tests.app.services.conftest import client  # noqa: F401

PLACES = {1: (10.0, 41.0), 2: (200.0, -5.0), 3: (None, None)}


@pytest.fixture
def session(location):
    with made(location, 3) as opened:
        with opened.database.writing() as connection:
            for number, (ra, dec) in PLACES.items():
                here = update(candidates).where(candidates.c.id == number)
                connection.execute(here.values(ra=ra, dec=dec))
        yield opened


@pytest.fixture
def twomass(server):
    row = {"RAJ2000": 10.0, "DEJ2000": 41.0, "Jmag": 12.5, "e_Jmag": 0.03, "Hmag": 12.0,
           "e_Hmag": None, "Kmag": 11.9, "e_Kmag": 0.02, "Qflg": "AUA"}  # fmt: skip
    server.tables['"II/246/out"'] = [row, row | {"RAJ2000": 10.0003, "Jmag": 14.0}]
    return replace(all_services()["twomass"].changed(url=server.url), per_second=10.0)


@pytest.fixture
def gaia(server):
    service = replace(all_services()["gaia"].changed(url=server.url), per_second=10.0)
    row = {each.column: None for each in service.columns}
    row |= {each.error: None for each in service.columns if each.error}
    row |= {"ra": 10.0, "dec": 41.0, "pmra": 100.0, "pmdec": -3600.0, "bp_rp": 0.4}
    server.tables["gaiadr3.gaia_source"] = [row]
    return service
