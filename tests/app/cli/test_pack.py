"""`spec-o3 pack`."""

from __future__ import annotations

from app.core.session.session import open_session
from tests.app.cli.commands import MEASURED, run


def test_a_packed_session_needs_no_files(vetted, few, tmp_path):
    place = tmp_path / "night.speco3"
    for each in few.parent.iterdir():
        (tmp_path / each.name).write_bytes(each.read_bytes())
    run("new", place, tmp_path / "few.csv", "--task", "CV")
    packed = tmp_path / "packed.speco3"
    assert "3 spectra packed" in run("pack", place, packed)
    for each in tmp_path.glob("*.gz"):
        each.unlink()
    assert "NO" in run("vet", packed, *MEASURED)
    with open_session(packed, "Ada", read_only=True) as session:
        assert sum(each.agent_verdict is not None for each in session.candidates(range(1, 5))) == 3
