from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from agent.errors import WorkbenchError
from train.simulate.realism.contact_sheet import write_sheet


def test_sheet_needs_no_library(tmp_path: Path) -> None:
    write_sheet(tmp_path / "sheet.png", None, seed=1)
    with Image.open(tmp_path / "sheet.png") as picture:
        assert picture.width > 1500
        pixels = np.asarray(picture.convert("RGB")).astype(int)
    blue = (pixels[..., 2] - pixels[..., 0] > 60).mean()
    red = (pixels[..., 0] - pixels[..., 2] > 60).mean()
    assert blue > 0.005 > red  # nothing is drawn in the colour of real spectra
    with pytest.raises(WorkbenchError, match="cannot be written"):
        write_sheet(tmp_path, None, seed=1)
