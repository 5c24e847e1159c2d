"""The bar for long work."""

from __future__ import annotations

import pytest

from app.cli.progress_bar import progress_bar


def test_nothing_where_nobody_watches(capsys: pytest.CaptureFixture[str]) -> None:
    with progress_bar("writing out.csv") as show:
        show(1, 2)
        show(2, 2)
    assert capsys.readouterr() == ("", "")


def test_a_name_that_looks_like_markup(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    with progress_bar("writing [/b] \x1b]0;x\x07\udce9.csv") as show:
        show(1, 4)
    out, err = capsys.readouterr()
    assert out == ""
    assert "writing [/b] ?]0;x??.csv" in err
    assert "25%" in err
