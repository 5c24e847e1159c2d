"""An export on a full disk leaves what was there."""

import pytest

from app.core.errors import SessionError
from app.core.exporting import export
from tests.app.core.exporting.catalogues import FORMATS, people


def test_a_full_disk_is_told(tmp_path, monkeypatch):
    with people(tmp_path / "night.speco3") as session:

        def refuse(number):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr("agent.atomic_file.os.fsync", refuse)
        for suffix in FORMATS:
            with pytest.raises(SessionError, match=r"disk is full.*No existing file was changed"):
                export(session, tmp_path / f"out.{suffix}", which="all")
        assert [path.name for path in tmp_path.iterdir() if "out" in path.name] == []
