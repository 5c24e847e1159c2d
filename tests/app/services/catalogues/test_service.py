"""The files that describe the services."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from astropy import units
from astropy.io.votable.ucd import check_ucd

from app.services.catalogues.service import all_services
from app.services.catalogues.tap import query
from app.services.web.errors import NotAllowed

SERVICES = list(all_services().values())


@pytest.mark.parametrize("service", SERVICES, ids=lambda service: service.id)
def test_each_service_says_what_it_sends_and_asks_over_https(service):
    assert service.sends.endswith(".") and service.url.startswith("https://")
    assert service.page.startswith("https://")


@pytest.mark.parametrize("service", SERVICES, ids=lambda service: service.id)
def test_each_column_has_a_valid_unit_and_ucd_and_a_description(service):
    for column in service.columns:
        units.Unit(column.unit)
        assert check_ucd(column.ucd, check_controlled_vocabulary=True), column.ucd
        assert column.description


def test_names_of_columns_are_unique_and_asked_once():
    for service in SERVICES:
        names = [column.name for column in service.columns]
        assert len(set(names)) == len(names)
        if service.kind == "tap":
            aliases = re.findall(r'AS "(.+?)"', query(service))
            assert len(set(aliases)) == len(aliases) and set(names) <= set(aliases)


def test_a_user_sets_another_release_and_server():
    gaia = all_services()["gaia"]
    changed = gaia.changed(
        url="https://example.org/tap", release="DR4", table="gaiadr4.gaia_source"
    )
    assert changed == replace(gaia, url=changed.url, release="DR4", table="gaiadr4.gaia_source")
    with pytest.raises(NotAllowed):
        gaia.changed(url="http://example.org/tap")
