from __future__ import annotations

from pathlib import Path

import pytest

from agent.rendering.model_image import QWEN25
from agent.rendering.render import COMPACT
from tests.train.sft.samples import STAMP, Samples, row_settings
from train.sft import pictures
from train.sft.pictures import PictureFolder, drawing_record, picture_names, room_left
from train.sft.rows import ConversationRow, RowSettings, prepare_rows


def test_a_damaged_file_is_drawn_anew(
    rows: list[ConversationRow], making: RowSettings, tmp_path: Path
):
    folder = PictureFolder(tmp_path, 0)
    file = next(tmp_path.glob(f"*/{rows[0].pictures[0]}.png"))
    file.write_bytes(file.read_bytes()[:60])
    assert folder.load(rows[0].pictures[0]) is None
    again = making.picture_source.pictures(rows[0].record, rows[0].pictures)
    assert len(again) == len(rows[0].pictures)


def test_pictures_are_drawn_once(
    rows: list[ConversationRow], making: RowSettings, samples: Samples,
    monkeypatch: pytest.MonkeyPatch,
):  # fmt: skip
    monkeypatch.setattr(pictures, "redraw", None)
    again = prepare_rows(samples.trajectories, None, making, cutoff=10**6).rows
    assert [row.pictures for row in rows] == [row.pictures for row in again]


def test_pictures_beyond_the_limit_are_drawn_again(
    minute25: Path, samples: Samples, tmp_path: Path
):
    ready = row_settings(minute25, samples.sets, tmp_path, room=4000)
    rows = prepare_rows(samples.trajectories, None, ready, cutoff=10**6).rows
    kept = list(tmp_path.glob("*/*.png"))
    assert 0 < sum(path.stat().st_size for path in kept) <= 4000
    assert len(kept) < sum(len(row.pictures) for row in rows)
    last = ready.picture_source.pictures(rows[-1].record, rows[-1].pictures)
    assert len(last) == len(rows[-1].pictures)
    assert room_left(tmp_path, 0, 1) == 0
    assert room_left(tmp_path, 1, 2) < 500_000


def test_another_style_is_another_picture(making: RowSettings, samples: Samples):
    one = samples.trajectories[:1]
    (row,) = prepare_rows(one, COMPACT, making, cutoff=10**6).rows
    assert row.grids[0] == (16, 24)
    assert set(row.pictures).isdisjoint(picture_names(drawing_record(one[0], STAMP, QWEN25)))
