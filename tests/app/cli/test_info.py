import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner, Result

from agent.errors import ReadError
from app.cli.main import main, workbench
from tests.agent.spectra.readers import samples

KEYS = {
    "survey", "release", "format", "object_id", "ra", "dec", "class", "subclass", "snr", "z",
    "n_pixels", "n_bad", "wavelength", "medium_in_file", "flux_unit", "rows", "warnings",
}  # fmt: skip


def run(path: Path, *options: str) -> Result:
    return CliRunner().invoke(workbench(), ["info", str(path), *options])


@pytest.fixture
def lamost(tmp_path: Path) -> Path:
    path = tmp_path / "spec-1.fits.gz"
    path.write_bytes(samples.gz(samples.lamost_table(SIMULATE=True)))
    return path


@pytest.fixture
def desi(tmp_path: Path) -> Path:
    path = tmp_path / "coadd-1.fits"
    path.write_bytes(samples.desi())
    return path


def test_json_alone_on_stdout_with_the_keys_scripts_rely_on(lamost: Path) -> None:
    result = run(lamost, "--json")
    assert result.exit_code == 0
    facts = json.loads(result.stdout)
    assert set(facts) >= KEYS
    assert facts["survey"] == "LAMOST"
    assert facts["simulated"] is True
    assert facts["n_pixels"] == samples.PIXELS
    assert facts["wavelength"] == pytest.approx([samples.WAVELENGTH[0], samples.WAVELENGTH[-1]])
    assert result.stdout.count("\n") == 1


def test_what_is_not_told_is_null_never_nan(tmp_path: Path) -> None:
    path = tmp_path / "star.dat"
    flux = samples.FLUX.copy()
    flux[3] = np.nan
    path.write_bytes(samples.text((samples.WAVELENGTH, flux)))
    result = run(path, "--json")
    assert "NaN" not in result.stdout
    facts = json.loads(result.stdout)
    assert facts["ra"] is None
    assert facts["z"] is None
    assert facts["n_bad"] == 1


def test_plain_form(lamost: Path) -> None:
    result = run(lamost)
    assert result.exit_code == 0
    for text in ("spec-1.fits.gz", "LAMOST DR10, SIMULATED", "G3", "240 (4 bad)", "vacuum"):
        assert text in result.stdout


def test_markup_in_a_header_is_shown_as_text(tmp_path: Path) -> None:
    path = tmp_path / "a.fits"
    path.write_bytes(samples.lamost_image(SUBCLASS="[red]K5[/]"))
    assert "[red]K5[/]" in run(path).stdout


def test_row_by_number_and_by_targetid(desi: Path) -> None:
    by_row = json.loads(run(desi, "--json", "--row", "2").stdout)
    by_target = json.loads(run(desi, "--json", "--row", str(samples.TARGETS[2])).stdout)
    assert by_row == by_target
    assert (by_row["row"], by_row["rows"]) == (2, 5)


def test_a_wrong_row_or_file_is_a_read_error_no_row_a_usage_error(
    desi: Path, tmp_path: Path
) -> None:
    assert run(desi, "--row", "two").exit_code == 2
    assert isinstance(run(desi, "--row", "5").exception, ReadError)
    assert isinstance(run(tmp_path / "gone.fits").exception, ReadError)


def test_the_program_ends_with_one_and_a_message_without_traceback(
    desi: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["spec-o3", "info", str(desi), "--row", "9", "--json"])
    with pytest.raises(SystemExit) as ended:
        main()
    out, err = capsys.readouterr()
    assert ended.value.code == 1
    assert out == ""
    assert err.startswith("spec-o3: coadd-1.fits: it holds 5 spectra")
    assert "Traceback" not in err


def test_info_imports_nothing_heavy(lamost: Path) -> None:
    code = (
        "import sys; from agent.spectra.readers import read; import app.cli.info;"
        f"read({str(lamost)!r});"
        "print([m for m in ('astropy', 'specutils', 'scipy', 'matplotlib', 'PySide6')"
        " if m in sys.modules])"
    )
    child = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert child.stdout.strip() == "[]"
