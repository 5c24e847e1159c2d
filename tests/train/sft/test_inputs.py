from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from agent.engines.chat_tokens import load_tokenizer
from agent.errors import TrajectoryError, WorkbenchError
from agent.examples.examples import write_examples
from agent.inspection.pictures import redraw
from agent.protocol.protocol import Turn
from agent.rendering.model_image import QWEN25
from agent.rendering.render import COMPACT, PUBLISHED, STYLES
from agent.trajectory.trajectory_file import write_trajectories
from tests.train.sft.samples import STAMP, Ready, Samples, row_settings, rows_for
from train.sft import pictures
from train.sft.batches import IGNORED
from train.sft.encoding import Encoder
from train.sft.inputs import read_inputs
from train.sft.mask import check_mask
from train.sft.pictures import PictureFolder, drawing_record, picture_names, room_left
from train.sft.rows import (
    ConversationRow,
    RowSettings,
    count_outdated_prompts,
    prepare_rows,
    row_of_conversation,
)


def test_pictures_of_several_styles(samples: Samples, tmp_path: Path):
    first, second = samples.trajectories[:2]
    mixed = [first, replace(second, style=PUBLISHED.to_table())]
    write_trajectories(tmp_path / "mixed.jsonl", mixed)
    with pytest.raises(WorkbenchError, match="several picture styles"):
        read_inputs([tmp_path / "mixed.jsonl"], [samples.sets], "recorded")
    chosen = read_inputs([tmp_path / "mixed.jsonl"], [samples.sets], "compact")
    assert chosen.style == STYLES["compact"]


def test_nothing_to_read(samples: Samples, tmp_path: Path):
    (tmp_path / "none.jsonl").touch()
    with pytest.raises(WorkbenchError, match="no trajectory in"):
        read_inputs([tmp_path / "none.jsonl"], [samples.sets], "recorded")
    with pytest.raises(WorkbenchError, match="name the sets with them, --sets"):
        read_inputs([samples.approved], [], "recorded")


class TestRows:
    def test_pictures_are_those_of_the_inspection(
        self, rows: list[ConversationRow], making: RowSettings, samples: Samples
    ):
        for row, record, each in zip(rows, samples.trajectories, samples.examples, strict=True):
            kept = making.picture_source.pictures(row.record, row.pictures)
            wanted = redraw(record, each.spectrum)
            assert [one.tobytes() for one in kept] == [one.tobytes() for one in wanted]
            assert row.grids == ((6, 8),) * len(wanted)

    def test_workers_change_nothing(self, minute25: Path, samples: Samples, tmp_path: Path):
        alone = rows_for(minute25, samples, tmp_path / "one")
        ready = row_settings(minute25, samples.sets, tmp_path / "two")
        shared = prepare_rows(samples.trajectories, None, ready, cutoff=10**6, workers=2).rows
        one, two = ([row.encoded.ids.tolist() for row in rows] for rows in (alone, shared))
        assert one == two
        pictures = (tmp_path.glob(f"{name}/*/*.png") for name in ("one", "two"))
        one, two = (sorted(path.stem for path in paths) for paths in pictures)
        assert one == two == sorted({name for row in alone for name in row.pictures})

    def test_left_out_with_a_reason(self, making: RowSettings, samples: Samples):
        first, second, third = samples.trajectories[:3]
        some = [replace(first, stopped_by="turn_limit"), second, third]
        prepared = prepare_rows(some, None, making, cutoff=10**6)
        assert len(prepared.rows) == 2 and dict(prepared.left_out) == {"without an answer": 1}
        short = prepare_rows([second], None, making, cutoff=100)
        assert dict(short.left_out) == {"longer than 100 tokens": 1}

    def test_prompts_that_changed_are_counted(self, samples: Samples):
        first = samples.trajectories[0]
        assert count_outdated_prompts([first, replace(first, prompt_sha256="0" * 64)]) == 1


class TestRefusals:
    def test_a_spectrum_in_no_set(self, minute25: Path, samples: Samples, tmp_path: Path):
        other = tmp_path / "other.parquet"
        write_examples(other, samples.examples[5:])
        ready = row_settings(minute25, other, tmp_path / "pictures")
        with pytest.raises(TrajectoryError, match="name the set it came from with --sets"):
            prepare_rows(samples.trajectories[:1], None, ready, cutoff=10**6)

    def test_a_picture_that_was_another(self, making: RowSettings, samples: Samples):
        wrong = replace(samples.trajectories[0], overview="0" * 64)
        with pytest.raises(TrajectoryError, match="picture 0 differs from the one"):
            prepare_rows([wrong], None, making, cutoff=10**6)


class TestConversations:
    """Conversations with their own pictures."""

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
        ready = row_settings(minute25, samples.sets, tmp_path, room=0)
        row = row_of_conversation(self.turns, images, ready)
        assert not isinstance(row, str)
        assert row.grids == ((6, 10), (6, 8)) and row.record is None
        sized = [one.size for one in ready.picture_source.pictures(None, row.pictures)]
        assert sized == [(140, 84), (112, 84)]

    def test_need_all_their_pictures(self, making: RowSettings):
        one = [Image.new("RGB", (112, 84))]
        assert row_of_conversation(self.turns, one, making) == "with a wrong number of pictures"


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


def test_the_mask_passes_its_own_check(ready: Ready, minute25: Path):
    _, collate, rows = ready
    batch = collate(rows)
    encoder = Encoder(load_tokenizer(minute25))
    check_mask(batch, encoder)
    for wrong in ("a picture", "the next turn", "the end left out"):
        spoiled = dict(batch, labels=batch["labels"].clone())
        ids, labels = batch["input_ids"][0], spoiled["labels"][0]
        last = int((labels != IGNORED).nonzero()[-1])
        if wrong == "a picture":
            at = int((ids == collate.image_token).nonzero()[0])
            labels[at] = ids[at]
        elif wrong == "the next turn":
            labels[last + 1] = ids[last + 1]
        else:
            labels[last] = IGNORED
        with pytest.raises(WorkbenchError, match="the mask is wrong"):
            check_mask(spoiled, encoder)
