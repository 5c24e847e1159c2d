"""Which archive has the spectrum of a row."""

from __future__ import annotations

import pytest

from app.services.archives.archive import NotTold
from app.services.archives.choice import archive_by_name, archive_telling
from app.services.archives.wanted import Wanted
from app.services.web.errors import NotAllowed
from tests.app.services.archives.archive_play import UUID


@pytest.mark.parametrize(
    ("ids", "name"),
    [
        ({"sparcl_id": UUID}, "sparcl"),
        ({"plate": "266", "mjd": "51602", "fiberid": "31"}, "sdss"),
        ({"field": "15000", "mjd": "59146", "catalogid": "4375924756"}, "sdss"),
        ({"targetid": "39627792213580000"}, "sparcl"),
        ({"obsid": "677503031", "mjd": "58149", "fiberid": "31"}, "lamost"),
        ({"mjd": "58149", "fiberid": "31"}, None),
    ],
)
def test_the_numbers_tell_the_archive(ids, name):
    found = archive_telling(Wanted(ra=1.0, dec=2.0, ids=ids))
    assert (found.id if found else None) == name


def test_unknown_archives_and_missing_addresses_are_refused():
    for name in ("eso", "desi", "ssap"):
        with pytest.raises(NotTold):
            archive_by_name(name)
    with pytest.raises(NotAllowed):
        archive_by_name("sdss", base="http://example.org")
    assert archive_by_name("ssap", base="https://example.org/ssap").sends.endswith("example.org.")
