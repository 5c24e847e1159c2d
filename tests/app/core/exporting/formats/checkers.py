"""Checkers of file formats, and a session with unusual values."""

import math
import shutil
import subprocess

import pytest

from app.core.session.records import Opinion, Verdict
from tests.app.core.exporting.catalogues import listed


def verify(path):
    if shutil.which("fitsverify") is None:
        pytest.skip("fitsverify is not installed: apt-get install fitsverify")
    told = subprocess.run(["fitsverify", path], capture_output=True, text=True, check=False)
    assert "0 warning(s) and 0 error(s)" in told.stdout, told.stdout


def odd_session(session_path):
    """Of everything a format might stumble over."""
    columns = [
        {"name": "W(Hα)", "type": "float", "unit": "Angstrom", "description": "§ & <Å>", "ucd": ""},
        {"name": "mag", "type": "float", "unit": "mag", "description": "", "ucd": "phot.mag"},
        {"name": "known", "type": "bool", "unit": "", "description": "", "ucd": ""},
        {"name": "n", "type": "int", "unit": "", "description": "", "ucd": "meta.number"},
        {"name": "words", "type": "str", "unit": "", "description": "", "ucd": ""},
    ]
    odd = ["a\nb", "<&>", 'q"', " x ", "宽 \U0001f31f", "\x07", "", None, "100%", "x" * 300]
    rows = [
        {
            "ra": None if n % 3 else n * 1.5,
            "dec": -1e-300 * n,
            "own": {
                "W(Hα)": [None, float("nan"), math.inf, -math.inf, 1.5][n % 5],
                "mag": None if n == 4 else n / 7,
                "known": [True, False, None][n % 3],
                "n": None if n == 2 else (-1) ** n * (2**63 - 1 - n),
                "words": odd[n % 10],
            },
        }
        for n in range(1300)
    ]
    session = listed(session_path, rows, columns)
    session.record_verdict(
        2,
        Opinion(verdict=Verdict.ACCEPT, confidence=0, flags=("ü",), comment="a\r\n\tHα"),
        seconds=1,
    )
    return session


STILTS = pytest.mark.skipif(
    shutil.which("stilts") is None, reason="stilts is not installed: apt-get install stilts"
)


def stilts(*words):
    told = subprocess.run(["stilts", *words], capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stderr
    return told.stdout + told.stderr
