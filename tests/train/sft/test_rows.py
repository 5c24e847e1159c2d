from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")

from PIL import Image

from agent.errors import TrajectoryError, WorkbenchError
from agent.inspection.pictures import redraw
from agent.protocol.protocol import Turn
from agent.rendering.model_image import QWEN25
from agent.rendering.render import COMPACT, PUBLISHED, STYLES
from agent.trajectory.trajectory_file import write_trajectories
from tests.train.sft.samples import STAMP, Samples, preparing, rows_for
from train.examples import write_examples
from train.sft import pictures
from train.sft.inputs import read_inputs
from train.sft.pictures import PictureFolder, picture_names, room_left, to_draw
from train.sft.rows import other_prompts, prepare_rows, row_of_conversation
from train.sft.settings import SftSettings


class TestRows:
    def test_pictures_are_those_of_the_inspection(
        self,
        minute25: Path,
        samples: Samples,
        tmp_path: Path,
    ):
        rows = rows_for(minute25, samples, tmp_path)
        ready = preparing(minute25, samples.sets, tmp_path)
        for row, record, each in zip(rows, samples.trajectories, samples.examples, strict=True):
            kept = ready.drawing.pictures(row.record, row.pictures)
            wanted = redraw(record, each.spectrum)
            assert [one.tobytes() for one in kept] == [one.tobytes() for one in wanted]
            assert row.grids == ((6, 8),) * len(wanted)

    def test_workers_change_nothing(self, minute25: Path, samples: Samples, tmp_path: Path):
        alone = rows_for(minute25, samples, tmp_path / "one")
        ready = preparing(minute25, samples.sets, tmp_path / "two")
        shared = prepare_rows(samples.trajectories, None, ready, cutoff=10**6, workers=2).rows
        assert [row.encoded.ids.tolist() for row in alone] == [
            row.encoded.ids.tolist() for row in shared
        ]
        files = [
            sorted(path.name for path in tmp_path.glob(f"{name}/*/*.png"))
            for name in ("one", "two")
        ]
        assert files[0] == files[1] and len(files[0]) == len(
            {name for row in alone for name in row.pictures}
        )

    def test_pictures_are_drawn_once(
        self,
        minute25: Path,
        samples: Samples,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
    ):
        rows = rows_for(minute25, samples, tmp_path)
        monkeypatch.setattr(pictures, "redraw", None)
        again = rows_for(minute25, samples, tmp_path)
        assert [row.pictures for row in rows] == [row.pictures for row in again]

    def test_what_there_is_no_room_for_is_drawn_again(
        self,
        minute25: Path,
        samples: Samples,
        tmp_path: Path,
    ):
        ready = preparing(minute25, samples.sets, tmp_path, room=4000)
        rows = prepare_rows(samples.trajectories, None, ready, cutoff=10**6).rows
        kept = list(tmp_path.glob("*/*.png"))
        assert 0 < sum(path.stat().st_size for path in kept) <= 4000
        assert len(kept) < sum(len(row.pictures) for row in rows)
        last = ready.drawing.pictures(rows[-1].record, rows[-1].pictures)
        assert len(last) == len(rows[-1].pictures)
        assert room_left(tmp_path, 0, 1) == 0
        assert room_left(tmp_path, 1, 2) < 500_000

    def test_another_style_is_another_picture(
        self,
        minute25: Path,
        samples: Samples,
        tmp_path: Path,
    ):
        ready = preparing(minute25, samples.sets, tmp_path)
        one = samples.trajectories[:1]
        (row,) = prepare_rows(one, COMPACT, ready, cutoff=10**6).rows
        assert row.grids[0] == (16, 24)
        assert set(row.pictures).isdisjoint(picture_names(to_draw(one[0], STAMP, QWEN25)))

    def test_words_alone(self, minute25: Path, samples: Samples, tmp_path: Path):
        whole = rows_for(minute25, samples, tmp_path)
        blind = replace(preparing(minute25, samples.sets, tmp_path), pictures=False)
        rows = prepare_rows(samples.trajectories, None, blind, cutoff=10**6).rows
        assert all(row.pictures == row.grids == () for row in rows)
        for one, other in zip(rows, whole, strict=True):
            shown = sum(down * across // 4 for down, across in other.grids)
            assert len(one) == len(other) - shown - 2 * len(other.grids)
            assert one.encoded.trained == other.encoded.trained
        with pytest.raises(WorkbenchError, match="trained=language"):
            SftSettings(pictures=False, trained="all")

    def test_left_out_with_a_reason(self, minute25: Path, samples: Samples, tmp_path: Path):
        ready = preparing(minute25, samples.sets, tmp_path)
        first, second, third = samples.trajectories[:3]
        some = [replace(first, stopped_by="turn_limit"), second, third]
        prepared = prepare_rows(some, None, ready, cutoff=10**6)
        assert len(prepared.rows) == 2 and dict(prepared.left_out) == {"came to no answer": 1}
        short = prepare_rows([second], None, ready, cutoff=100)
        assert dict(short.left_out) == {"longer than 100 tokens": 1}

    def test_prompts_that_changed_are_counted(self, samples: Samples):
        first = samples.trajectories[0]
        assert other_prompts([first, replace(first, prompt_sha256="0" * 64)]) == 1


class TestRefusals:
    def test_a_spectrum_in_no_set(self, minute25: Path, samples: Samples, tmp_path: Path):
        other = tmp_path / "other.parquet"
        write_examples(other, samples.examples[5:])
        ready = preparing(minute25, other, tmp_path / "pictures")
        with pytest.raises(TrajectoryError, match="name the file it came from with --sets"):
            prepare_rows(samples.trajectories[:1], None, ready, cutoff=10**6)

    def test_a_picture_that_was_another(self, minute25: Path, samples: Samples, tmp_path: Path):
        ready = preparing(minute25, samples.sets, tmp_path)
        wrong = replace(samples.trajectories[0], overview="0" * 64)
        with pytest.raises(TrajectoryError, match="picture 0 comes out different"):
            prepare_rows([wrong], None, ready, cutoff=10**6)

    def test_pictures_of_several_styles(self, samples: Samples, tmp_path: Path):
        first, second = samples.trajectories[:2]
        mixed = [first, replace(second, style=PUBLISHED.to_table())]
        write_trajectories(tmp_path / "mixed.jsonl", mixed)
        with pytest.raises(WorkbenchError, match="several styles"):
            read_inputs([tmp_path / "mixed.jsonl"], [samples.sets], "recorded")
        chosen = read_inputs([tmp_path / "mixed.jsonl"], [samples.sets], "compact")
        assert chosen.style == STYLES["compact"]

    def test_nothing_to_read(self, samples: Samples, tmp_path: Path):
        (tmp_path / "none.jsonl").touch()
        with pytest.raises(WorkbenchError, match="no trajectory in"):
            read_inputs([tmp_path / "none.jsonl"], [samples.sets], "recorded")
        with pytest.raises(WorkbenchError, match="say which --sets hold them"):
            read_inputs([samples.approved], [], "recorded")


class TestConversations:
    """Those that come with their pictures."""

    turns = (
        Turn("system", "You help."),
        Turn("user", "Is it one?", picture=0),
        Turn("assistant", "<think>Look.</think>\n<tool_call>\n{}\n</tool_call>"),
        Turn("tool", "Seen.", picture=1),
        Turn("assistant", "<answer>\\boxed{NO}</answer>"),
    )

    def test_are_kept_sized_for_the_model(self, minute25: Path, samples: Samples, tmp_path: Path):
        noise = np.random.default_rng(0).integers(0, 255, (90, 130, 3), dtype=np.uint8)
        images = [Image.fromarray(noise), Image.new("RGB", (112, 84), "white")]
        ready = preparing(minute25, samples.sets, tmp_path, room=0)
        row = row_of_conversation(self.turns, images, ready)
        assert not isinstance(row, str)
        assert row.grids == ((6, 10), (6, 8)) and row.record is None
        assert [one.size for one in ready.drawing.pictures(None, row.pictures)] == [
            (140, 84),
            (112, 84),
        ]

    def test_need_all_their_pictures(self, minute25: Path, samples: Samples, tmp_path: Path):
        ready = preparing(minute25, samples.sets, tmp_path)
        one = [Image.new("RGB", (112, 84))]
        assert row_of_conversation(self.turns, one, ready) == "other pictures than its turns show"


def test_a_damaged_file_is_drawn_anew(minute25: Path, samples: Samples, tmp_path: Path):
    rows = rows_for(minute25, samples, tmp_path)
    folder = PictureFolder(tmp_path, 0)
    file = next(tmp_path.glob(f"*/{rows[0].pictures[0]}.png"))
    file.write_bytes(file.read_bytes()[:60])
    assert folder.load(rows[0].pictures[0]) is None
    again = preparing(minute25, samples.sets, tmp_path).drawing
    assert len(again.pictures(rows[0].record, rows[0].pictures)) == len(rows[0].pictures)
