"""Which candidates a catalogue contains."""

from __future__ import annotations

import pytest
from astropy.table import Table

from app.core.errors import SessionError
from app.core.exporting import export
from tests.app.core.exporting.catalogues import (
    people,
    read_back,
)


def test_those_that_were_picked(session_path):
    out = session_path.with_suffix(".ecsv")
    with people(session_path) as session:
        picked = (number for number in (5, 3, 1))
        report = export(session, out, which=picked, filter_text="p_yes>0.9")
        assert report.rows == 3
        assert read_back(out)["object_id"] == ["J000005", "J000003", "J000001"]
        assert report.selection == "3 selected candidates; filter: p_yes>0.9"
        assert Table.read(out).meta["provenance"]["selection"] == report.selection
        assert export(session, out, which=[]).rows == 0
        assert read_back(out)["object_id"] == []
        with pytest.raises(SessionError, match="no candidate 99"):
            export(session, out, which=[1, 99])
        many = [number % 5 + 1 for number in range(1234)]
        assert export(session, out, which=many).rows == 1234
        assert read_back(out)["object_id"] == [f"J{number:06d}" for number in many]
