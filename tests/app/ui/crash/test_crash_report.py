"""Crash reports hold no secrets, and only so many are kept."""

from __future__ import annotations

from pathlib import Path

from app.ui.crash.cleaning import cleaned
from app.ui.crash.crash_report import MAX_KEPT, make_report, open_folder, write_report
from tests.app.ui.crash.raised import ATTACKS, raised
from tests.attacks.sandbox import Sandbox


def test_no_key_and_no_home_folder_get_into_a_report_of_limited_size(monkeypatch):
    for secret in [
        "hf_abcdefghijklmnop1234",
        "sk-proj-abcdef0123456789",
        "Authorization: Bearer eyJhbGciOi.abc.def",
        "postgresql://ada:geheim99@db.example.org/night",
        "api_key='geheim99'",
        "SPEC_O3_TOKEN=geheim99",
        "https://example.org/list?key=geheim99&x=1",
    ]:
        monkeypatch.setenv("SOME_VARIABLE", "not for others")
        text = make_report(*raised(RuntimeError(f"refused {secret} by the server"))).text
        for part in ("abcdef", "geheim99", "eyJhbGciOi", "not for others"):
            assert part not in text
        assert "by the server" in text
    assert cleaned(f"{Path.home()}/lists/night.csv") == "~/lists/night.csv"
    report = make_report(*raised(RuntimeError("long " * 100_000)))
    assert len(report.text) < 70_000 and len(report.summary) <= 400


def test_a_limited_number_is_kept_in_a_folder_that_is_named(tmp_path, monkeypatch):
    report = make_report(*raised(RuntimeError("again")))
    paths = [write_report(report, tmp_path).path for _ in range(MAX_KEPT + 4)]
    assert sorted(tmp_path.glob("crash-*.txt")) == sorted(paths)[4:]
    monkeypatch.setattr("app.ui.crash.crash_report.QDesktopServices.openUrl", lambda url: False)
    shown = []
    open_folder(tmp_path / "logs", shown.append)
    assert shown == [f"The reports are in {tmp_path / 'logs'}"] and (tmp_path / "logs").is_dir()


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
