"""The demo on the bundled sample."""

from __future__ import annotations

from typer.testing import CliRunner

from app.cli.main import app


def test_demo_shows_the_sample_and_writes_pictures(tmp_path):
    out = tmp_path / "pictures"
    result = CliRunner().invoke(app, ["demo", "--out", str(out)], catch_exceptions=False)
    assert result.exit_code == 0
    assert "60 simulated candidates" in result.stdout
    assert "These spectra are simulated" in result.stdout
    pictures = sorted(out.iterdir())
    assert len(pictures) == 6
    assert all(picture.read_bytes().startswith(b"\x89PNG") for picture in pictures)


def test_demo_says_when_pictures_cannot_be_written(tmp_path):
    taken = tmp_path / "file"
    taken.write_text("not a folder")
    result = CliRunner().invoke(app, ["demo", "--out", str(taken)])
    assert result.exit_code == 1
    assert "no pictures could be written" in str(result.exception)
