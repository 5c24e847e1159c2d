"""Fixtures of tests that read files."""

from collections.abc import Callable
from pathlib import Path

import pytest

from agent.spectra.readers import read
from agent.spectra.spectrum import Spectrum

Given = Callable[..., Spectrum]


@pytest.fixture
def given(tmp_path: Path) -> Given:
    """Returns a function that writes bytes to a file and reads it as a spectrum."""

    def read_bytes(data: bytes, name: str = "object.fits", **request: object) -> Spectrum:
        path = tmp_path / name
        path.write_bytes(data)
        return read(path, **request)  # type: ignore[arg-type]

    return read_bytes
