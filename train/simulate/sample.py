"""The bundled sample: 60 simulated CV candidates. `python -m train.simulate.sample [FOLDER]`."""

import shutil
import sys
import tempfile
from pathlib import Path

from train.simulate.archive import SETTINGS_FILE, run_campaign
from train.simulate.campaign import Settings
from train.simulate.truth import CANDIDATES_FILE, TRUTH_FILE

FOLDER = Path(__file__).resolve().parents[2] / "resources" / "sample"
PARTS = ("spectra", CANDIDATES_FILE, TRUTH_FILE, SETTINGS_FILE)
SETTINGS = Settings(
    seed=20260, count=60, task="CV", odds=(1.0, 4.0), survey="LAMOST,SDSS,DESI", snr=(7.0, 70.0)
)
README = (FOLDER / "README.md").read_text(encoding="utf-8")


def build(folder: Path = FOLDER) -> None:
    """Make the sample and replace the existing one."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        made = Path(temporary) / "sample"
        run_campaign(made, SETTINGS)
        (made / "README.md").write_text(README, encoding="utf-8")
        for part in (*PARTS, "README.md"):
            _remove(folder / part)
            shutil.move(made / part, folder / part)


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


if __name__ == "__main__":
    build(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)
