"""CSV."""

from __future__ import annotations

from app.core.exporting import export
from tests.app.core.exporting.catalogues import listed, read_csv


def test_formulas_are_escaped(session_path):
    cells = ["=1+1", "+x", "-x", "@x", "\tx", "\rx", "'x", " =1", "＝1", "-1.5e3", "+7", "a=b", "-"]
    with listed(session_path, [{"object_id": cell} for cell in cells]) as session:
        out = session_path.with_suffix(".csv")
        export(session, out, which="all")
    assert read_csv(out)["object_id"] == cells
    raw = out.read_bytes().decode()
    for cell in ("=1+1", "+x", "-x", "@x", "'x"):
        assert f"\n'{cell}," in raw
    for number in ("-1.5e3", "+7", "a=b"):
        assert f"\n{number}," in raw
