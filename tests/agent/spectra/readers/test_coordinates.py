from __future__ import annotations

import pytest
from astropy import units
from astropy.coordinates import FK4, SkyCoord

from agent.spectra.fits.fits_header import Header
from agent.spectra.readers.coordinates import b1950_to_j2000, header_position, parse_sexagesimal

ARCSEC = 1 / 3600


@pytest.mark.parametrize("ra", [0.0, 14.3, 130.0, 266.4, 359.99])
@pytest.mark.parametrize("dec", [-89.0, -59.3, 0.0, 6.2, 47.0, 88.0])
def test_b1950_agrees_with_astropy(ra: float, dec: float) -> None:
    expected = SkyCoord(ra, dec, unit="deg", frame=FK4(equinox="B1950")).icrs
    found = SkyCoord(*b1950_to_j2000(ra, dec), unit="deg", frame="icrs")
    assert found.separation(expected) < 1.0 * units.arcsec


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("00:57:13.0", 0 + 57 / 60 + 13 / 3600),
        ("+06 12 41", 6 + 12 / 60 + 41 / 3600),
        ("-00:30:00", -0.5),
        ("12h30m36s", 12.51),
        ("nonsense", None),
        ("12:30", None),
    ],
)
def test_sexagesimal(text: str, value: float | None) -> None:
    assert parse_sexagesimal(text) == (None if value is None else pytest.approx(value))


def header(**cards: object) -> Header:
    def body(value: object) -> str:
        return f"'{value}'" if isinstance(value, str) else str(value)

    return Header(b"".join(f"{k:8}= {body(v)}".encode().ljust(80) for k, v in cards.items()))


def test_positions_of_headers() -> None:
    assert header_position(header(RA=10.0, DEC=-5.0)) == {"ra": 10.0, "dec": -5.0}
    assert header_position(header(RA="01:00:00", DEC="-05:30:00")) == {"ra": 15.0, "dec": -5.5}
    assert header_position(header(RA=10.0)) == {}
    assert header_position(header(RA=10.0, DEC=-999.0)) == {}
    assert header_position(header(RA=400.0, DEC=0.0)) == {}
    moved = header_position(header(RA=10.0, DEC=-5.0, EQUINOX=1950.0))
    assert moved["ra"] == pytest.approx(10.634, abs=0.01)
