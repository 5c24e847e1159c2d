import json
import subprocess
import sys
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest

from agent.errors import ReadError, SpectrumError, WorkbenchError
from agent.spectra.fits.source_file import SourceFile
from agent.spectra.readers import Malformed, NotMine, Reader, Request, read, register, registry
from agent.spectra.readers.base import Pixels, build
from agent.spectra.spectrum import Spectrum
from tests.agent.spectra.conftest import Given
from tests.agent.spectra.readers import samples
from tests.conftest import SHARED
from tests.night import seeds


@pytest.fixture(autouse=True)
def own_readers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "READERS", list(registry.READERS))


def read_mine(file: SourceFile, request: Request) -> Spectrum:
    if not file.start.startswith(b"MINE"):
        raise NotMine("it does not start with MINE")
    return build(file, Pixels([4000.0, 4001.0], [1.0, 2.0]), survey="MINE")


def test_a_reader_can_be_added(given: Given) -> None:
    register(Reader("mine", read_mine))
    assert given(b"MINE", "a.mine").survey == "MINE"
    assert given(samples.lamost_image()).survey == "LAMOST"
    with pytest.raises(ValueError, match="named mine already"):
        register(Reader("mine", read_mine))


def test_the_refusal_names_every_reader_on_one_line(given: Given) -> None:
    with pytest.raises(ReadError) as caught:
        given(b"hello", "a.dat")
    message = str(caught.value)
    assert message.startswith("a.dat: no reader knows this file")
    assert "\n" not in message
    for reader in registry.READERS:
        assert reader.name in message
        assert caught.value.reasons[reader.name]


@pytest.mark.parametrize(
    "failure", [ZeroDivisionError("x"), MemoryError(), RecursionError("deep"), UnicodeError("u")]
)
def test_a_failing_reader_becomes_a_reason_and_the_next_is_tried(
    given: Given, failure: Exception
) -> None:
    register(Reader("broken", Mock(side_effect=failure)))
    assert given(samples.lamost_image()).survey == "LAMOST"
    with pytest.raises(ReadError) as caught:
        given(b"hello", "a.dat")
    assert caught.value.reasons["broken"].startswith(f"failed with {type(failure).__name__}")


@pytest.mark.parametrize("interrupt", [KeyboardInterrupt, SystemExit])
def test_an_interrupt_is_not_swallowed(given: Given, interrupt: type[BaseException]) -> None:
    register(Reader("stops", Mock(side_effect=interrupt)))
    with pytest.raises(interrupt):
        given(b"hello", "a.dat")


def test_malformed_stops_the_search_with_its_own_words(given: Given) -> None:
    register(Reader("strict", Mock(side_effect=Malformed("a file without a table"))))
    with pytest.raises(ReadError, match=r"^object.fits: a file without a table$"):
        given(samples.lamost_image())


def test_an_invalid_spectrum_is_a_read_error(given: Given) -> None:
    register(Reader("odd", Mock(side_effect=SpectrumError("not usable"))))
    with pytest.raises(ReadError, match="not usable"):
        given(b"hello", "a.dat")


def test_a_target_that_the_file_does_not_name_is_a_warning(given: Given) -> None:
    data = samples.lamost_image()
    assert not given(data, target="677503031").warnings
    assert not given(data, target="LAMOST J013730.44+252537.7").warnings
    assert "is not named in this file" in given(data, target="other").warnings[0]


def test_names_with_control_characters_stay_on_one_line(tmp_path: Path) -> None:
    path = tmp_path / "a\nb\x1b[31m.fits"
    path.write_bytes(b"x")
    with pytest.raises(WorkbenchError) as caught:
        read(path)
    assert "\n" not in str(caught.value)
    assert "\x1b" not in str(caught.value)


def test_a_file_in_memory_is_read_as_one_on_disk(tmp_path):
    path = tmp_path / "spec.fits"
    path.write_bytes(samples.sdss())
    ours, theirs = registry.read_bytes(samples.sdss(), "spec.fits"), registry.read(path)
    assert ours.flux.tolist() == theirs.flux.tolist() and ours.meta == theirs.meta
    with pytest.raises(ReadError, match=r"spec\.fits: "):
        registry.read_bytes(b"no spectrum", "spec.fits")


def test_wavelengths_that_fall_repeat_or_cannot_be_used(given: Given) -> None:
    spectrum = given(samples.image_1d(CRVAL1=9000.0, CDELT1=-2.0))
    assert spectrum.flux[-1] == samples.FLUX[0]
    assert any("not increasing" in warning for warning in spectrum.warnings)
    wave = samples.WAVELENGTH.copy()
    wave[3], wave[4], wave[9] = np.nan, -1.0, wave[8]
    spectrum = given(samples.fits_table({"wave": ("D", wave), "flux": ("E", samples.FLUX)}))
    assert len(spectrum) == samples.PIXELS - 3
    assert any("2 pixels without a usable wavelength" in text for text in spectrum.warnings)
    assert any("duplicates dropped" in text for text in spectrum.warnings)
    data = samples.image_1d(np.full(9, np.nan), CRVAL1=4000.0, CDELT1=2.0)
    with pytest.raises(ReadError, match="no pixel has a finite flux"):
        given(data)


def test_header_text_is_cleaned_and_meta_bounded(given: Given) -> None:
    data = samples.lamost_image(SUBCLASS="G3xxxxx").replace(b"G3xxxxx", b"G3\x1b[2J\x07")
    spectrum = given(data)
    assert spectrum.subclass == "G3 [2J"
    assert all(text.isprintable() for text in spectrum.meta.values() if isinstance(text, str))
    cards = {f"KEY{number}": "x" * 60 for number in range(900)}
    assert len(given(samples.lamost_image(**cards)).meta) == 400


# Damaged files: each is read or refused with our own error, in bounded memory.
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the child uses POSIX limits")

BATCHES, EACH = seeds(by_day=1, by_night=10), 500
MOST_MB = 500
ROOT = Path(__file__).resolve().parents[4]


@pytest.mark.parametrize("batch", BATCHES)
def test_damaged_files_never_crash_hang_or_eat_memory(batch: int) -> None:
    real = [str(SHARED / "spectra")] if (SHARED / "spectra").is_dir() else []
    module = "tests.agent.spectra.readers.hostile_files"
    # Warnings count as errors there too: a reader must not print what a file provokes.
    child = subprocess.run(
        [sys.executable, "-W", "error", "-m", module, str(batch), str(EACH), *real], cwd=ROOT,
        capture_output=True, text=True, timeout=280, check=False,
    )  # fmt: skip
    assert child.returncode == 0, f"the process ended with {child.returncode}: {child.stderr}"
    outcome = json.loads(child.stdout)
    assert outcome["wrong"] == []
    assert outcome["read"] + outcome["refused"] == EACH
    assert min(outcome["read"], outcome["refused"]) > EACH // 10, "the damage is one-sided"
    assert outcome["peak_mb"] < MOST_MB
