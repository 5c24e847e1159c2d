"""What all list formats share."""

from __future__ import annotations

from app.core.database.tables import MIN_TARGETID as IN_TABLES
from app.core.importing.formats.contents import MIN_TARGETID


def test_from_where_on_a_row_is_a_target():
    assert MIN_TARGETID == IN_TABLES
