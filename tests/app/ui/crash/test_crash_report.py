"""Crash reports hold no secrets, and only so many are kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.ui.crash.cleaning import cleaned
from app.ui.crash.crash_report import MAX_KEPT, make_report, open_folder, write_report
from tests.app.ui.crash.raised import ATTACKS, raised
from tests.attacks.sandbox import Sandbox


@pytest.mark.parametrize(
    "secret",
    [
        "hf_abcdefghijklmnop1234",
        "sk-proj-abcdef0123456789",
        "Authorization: Bearer eyJhbGciOi.abc.def",
        "postgresql://ada:geheim99@db.example.org/night",
        "api_key='geheim99'",
        "SPEC_O3_TOKEN=geheim99",
        "https://example.org/list?key=geheim99&x=1",
    ],
)
def test_no_key_gets_into_a_report(secret, monkeypatch):
    monkeypatch.setenv("SOME_VARIABLE", "not for others")
    text = make_report(*raised(RuntimeError(f"refused {secret} by the server"))).text
    for part in ("abcdef", "geheim99", "eyJhbGciOi", "not for others"):
        assert part not in text
    assert "by the server" in text


def test_the_home_folder_is_not_named():
    assert cleaned(f"{Path.home()}/lists/night.csv") == "~/lists/night.csv"


def test_a_report_has_a_limited_size():
    report = make_report(*raised(RuntimeError("long " * 100_000)))
    assert len(report.text) < 70_000
    assert len(report.summary) <= 400


def test_a_limited_number_is_kept(tmp_path):
    report = make_report(*raised(RuntimeError("again")))
    paths = [write_report(report, tmp_path).path for _ in range(MAX_KEPT + 4)]
    assert sorted(tmp_path.glob("crash-*.txt")) == sorted(paths)[4:]


def test_a_folder_that_cannot_be_opened_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr("app.ui.crash.crash_report.QDesktopServices.openUrl", lambda url: False)
    shown = []
    open_folder(tmp_path / "logs", shown.append)
    assert shown == [f"The reports are in {tmp_path / 'logs'}"]
    assert (tmp_path / "logs").is_dir()


@pytest.mark.parametrize(
    ("home", "text"),
    [
        (r"C:\Users\Ádá", r"C:\Users\Ádá\night.csv"),
        (r"C:\Users\Ádá", r"'C:\\Users\\Ádá\\night.csv'"),
        (r"C:\Users\Ádá", "C:/Users/Ádá/night.csv"),
        ("/home/Ádá L", "file:///home/%C3%81d%C3%A1%20L/night.csv"),
    ],
)
def test_the_home_folder_however_it_is_written(home, text, monkeypatch):
    class Home(str):
        @staticmethod
        def home():
            return home

    monkeypatch.setattr("app.ui.crash.cleaning.Path", Home)
    assert "night.csv" in cleaned(text)
    assert "d" not in cleaned(text).replace("night.csv", "").replace("file", "")


def test_every_error_has_a_report(tmp_path):
    """However its text is made; the report itself takes no memory, and ends before the sandbox
    ends it."""
    with Sandbox("tests.app.ui.crash.raised:report_of") as sandbox:
        for attack in ATTACKS:
            outcome = sandbox.run(attack, str(tmp_path))
            assert (outcome.error, outcome.output) == ("", ""), attack
            summary, text, is_written = outcome.value
            assert 0 < len(summary) <= 400 and is_written, attack
            assert "Traceback" in text and len(text) < 70_000, attack
            assert outcome.peak_mb <= 600, (attack, outcome.peak_mb)


def test_a_full_disk_leaves_no_half_of_a_report(tmp_path, monkeypatch):
    def write_half(path, text, **more):
        path.write_bytes(text.encode()[:100])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", write_half)
    report = make_report(*raised(RuntimeError("again")))
    assert write_report(report, tmp_path) == report and report.path is None
    assert list(tmp_path.iterdir()) == []
