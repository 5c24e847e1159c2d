"""VOTable."""

from __future__ import annotations

from app.core.exporting import export
from tests.app.core.exporting.formats.checkers import STILTS, odd_session, stilts


@STILTS
def test_votlint_finds_nothing(session_path):
    out = session_path.with_suffix(".vot")
    with odd_session(session_path) as session:
        export(session, out, which="all")
    assert stilts("votlint", str(out)).strip() == ""
