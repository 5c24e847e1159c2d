"""Pixels of HEALPix against values of cdshealpix 0.9, another program."""

import numpy as np
import pytest

from app.core.evidence.hats.folder import centres, children, pixels_at, radii
from app.core.evidence.local_rows import unit_vectors

# Order, nested pixel, longitude and latitude of its centre in degrees.
CENTRES = [
    (0, 0, 45.0, 41.810314895778596),
    (0, 5, 90.0, 0.0),
    (0, 11, 315.0, -41.810314895778596),
    (1, 3, 45.0, 66.44353569089878),
    (1, 47, 315.0, -19.47122063449069),
    (2, 100, 202.5, -9.594068226860461),
    (3, 63, 45.0, 84.14973293629666),
    (5, 7777, 254.53125, -2.388015463268777),
    (8, 524287, 270.0, 41.61044308863079),
    (13, 400000000, 97.91015625, 30.870688458856137),
    (20, 13194139533311, 315.0, -3.6427675573403794e-05),
    (29, 0, 45.0, 7.114780385429948e-08),
    (29, 1729382256910270463, 90.0, 41.810314800323795),
    (29, 3458764513820540927, 315.0, -7.114780385429948e-08),
]
# Longitude and latitude, and the pixel there at order 29.
PIXELS = [
    (0.0, 90.0, 288230376151711743),
    (0.0, -90.0, 2305843009213693952),
    (123.4, 89.999999, 576460752303423434),
    (300.0, -89.99999, 3170534137668838580),
    (0.0, 0.0, 1369094286720630784),
    (359.999999, 0.0, 1321055890695345510),
    (359.99999, 41.81, 1441151880754606476),
    (1e-05, -41.82, 2497996582566899151),
    (83.633083, 22.0145, 1701909093095840580),
    (266.416817, -29.007825, 2028740913184676779),
    (180.0, 41.810314, 2017612633061982159),
    (90.0, -41.8104, 2786226969465880608),
    (201.365063, -43.019113, 3044352322598060879),
    (10.684708, 41.26875, 190633513587146677),
]


def directions(longitude, latitude):
    return unit_vectors(np.atleast_1d(longitude), np.atleast_1d(latitude))


@pytest.mark.parametrize(("order", "pixel", "longitude", "latitude"), CENTRES)
def test_centres(order, pixel, longitude, latitude):
    found = centres(order, np.array([pixel]))
    assert np.linalg.norm(found - directions(longitude, latitude)) < 1e-14
    assert pixels_at(order, found) == [pixel]


@pytest.mark.parametrize(("longitude", "latitude", "pixel"), PIXELS)
def test_pixels(longitude, latitude, pixel):
    found = int(pixels_at(29, directions(longitude, latitude))[0])
    # A pixel is 0.4 milliarcsec wide: what is coarser by two orders is beyond errors of rounding.
    assert found >> 4 == pixel >> 4
    for order in (0, 1, 2, 7, 20):
        at = pixels_at(order, directions(longitude, latitude))
        assert at == [pixel >> 2 * (29 - order)]


@pytest.mark.parametrize("order", [0, 1, 2, 4])
def test_every_pixel_is_at_its_own_centre(order):
    pixels = np.arange(12 * 4**order)
    assert (pixels_at(order, centres(order, pixels)) == pixels).all()
    made_of = children(pixels, 2)
    assert (pixels_at(order, centres(order + 2, made_of.ravel())) == pixels.repeat(16)).all()


@pytest.mark.parametrize("order", [0, 1, 3, 6])
def test_a_pixel_lies_within_its_circle(order):
    draw = np.random.default_rng(4)
    around = draw.normal(size=(20_000, 3))
    around /= np.linalg.norm(around, axis=1)[:, np.newaxis]
    around[:2] = [0.0, 0.0, 1.0], [0.0, 0.0, -1.0]
    pixels = pixels_at(order, around)
    assert pixels.min() >= 0 and pixels.max() < 12 * 4**order
    apart = 2.0 * np.arcsin(np.linalg.norm(centres(order, pixels) - around, axis=1) / 2.0)
    reach = radii(order, pixels)
    assert (apart <= reach).all()
    # And the circle is no wider than it must be: some point comes near it.
    assert (apart / reach).max() > 0.97
