from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from agent.errors import TrajectoryError
from agent.examples.examples import write_examples
from agent.inspection.pictures import redraw
from agent.protocol.protocol import Turn
from tests.train.sft.samples import Samples, row_settings, rows_for
from train.sft.rows import (
    ConversationRow,
    RowSettings,
    count_outdated_prompts,
    prepare_rows,
    row_of_conversation,
)


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
