"""FITS tables."""

from __future__ import annotations

from urllib.parse import unquote

import pytest
from astropy.io import fits

from app.core.errors import SessionError
from app.core.exporting import export
from app.core.exporting.formats import fits_file
from app.core.session.records import Opinion, Verdict
from tests.app.core.exporting.catalogues import listed, read_csv
from tests.app.core.exporting.formats.checkers import odd_session, verify


def test_long_comments_do_not_make_all_rows_long(session_path, monkeypatch):
    monkeypatch.setattr(fits_file, "MAX_FIXED_BYTES", 20_000)
    long = "宽 " * 1500
    out = session_path.with_suffix(".fits")
    with listed(session_path, [{} for _ in range(30)]) as session:
        session.record_verdict(3, Opinion(verdict=Verdict.ACCEPT, comment=long))
        session.record_verdict(30, Opinion(comment="100% sure"))
        export(session, out, which="all")
    assert out.stat().st_size < 70_000
    with fits.open(out) as file:
        column = file[1].data["comment"]
        texts = [unquote("".join(cell)) for cell in column]
    assert texts == ["", "", long, *[""] * 26, "100% sure"]
    verify(out)


def test_wide_lists(session_path):
    own = {f"c{number}": number for number in range(1200)}
    with listed(session_path, [{"own": own}], [{"name": name} for name in own]) as session:
        with pytest.raises(SessionError, match="999 columns"):
            export(session, session_path.with_suffix(".fits"), which="all")
        assert not session_path.with_suffix(".fits").exists()
        export(session, session_path.with_suffix(".csv"), which="all")
        assert read_csv(session_path.with_suffix(".csv"))["c1199"] == ["1199"]


@pytest.mark.parametrize("which", ["all", "accepted"])
def test_fitsverify_finds_nothing(session_path, which):
    out = session_path.with_suffix(".fits")
    with odd_session(session_path) as session:
        export(session, out, which=which)
        verify(out)
        export(session, out, which=[])
        verify(out)
