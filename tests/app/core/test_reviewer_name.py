from pathlib import Path

import pytest

from app.cli.session_options import reviewer_name
from app.core.reviewer_name import MAX_BYTES, saved_reviewer_name


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SPEC_O3_CONFIG", str(tmp_path))
    monkeypatch.delenv("SPEC_O3_REVIEWER", raising=False)
    monkeypatch.setattr("app.core.reviewer_name.system_user_name", lambda fallback: "ada-on-host")
    return tmp_path / "settings.toml"


def test_commands_go_by_the_name_chosen_in_the_window(kept: Path, monkeypatch: pytest.MonkeyPatch):
    assert reviewer_name(None) == "ada-on-host"
    kept.write_text('reviewer = "Ada Lovelace"\n', encoding="utf-8")
    assert reviewer_name(None) == "Ada Lovelace"
    monkeypatch.setenv("SPEC_O3_REVIEWER", "Grace")
    assert reviewer_name(None) == "Grace" and reviewer_name("Henrietta") == "Henrietta"


@pytest.mark.parametrize("content", [
    b"",
    b"reviewer = 3",
    b"reviewer = [",
    b'reviewer = "a\\nb"',
    b"\xff\xfe",
    b'reviewer = "' + b"x" * 5000 + b'"',
    b"reviewer = " + b"[" * 100_000,
    b"#" + b"x" * MAX_BYTES + b'\nreviewer = "late"',
], ids=["empty", "number", "broken", "newline", "bytes", "long", "deep", "large"])  # fmt: skip
def test_an_unfit_file_is_no_name(kept: Path, content: bytes):
    kept.write_bytes(content)
    assert saved_reviewer_name() == ""
    assert reviewer_name(None) == "ada-on-host"
