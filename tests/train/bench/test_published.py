from __future__ import annotations

from pathlib import Path

import pyarrow
import pyarrow.parquet as parquet
import pytest

from agent.errors import WorkbenchError
from agent.examples.examples import read_examples
from tests.train.bench.published_files import verl_row, write_rows, write_talks
from train.bench.published import convert
from train.bench.sharegpt import COPY_FILE, sharegpt_conversations


class TestConvert:
    def test_published_files_become_our_sets(self, tmp_path: Path):
        data = tmp_path / "in" / "benchmark" / "data"
        write_rows(data / "train_cv.parquet", [verl_row(n, "cv", "YES") for n in range(3)])
        write_rows(data / "test_cc.parquet", [verl_row(n, "carbon", "NO") for n in (2, 8, 9)])
        write_rows(data / "test_sdss_gm.parquet", [verl_row(20, "gm", "NO")])
        write_rows(data / "test_o.parquet", [verl_row(21, "o", "YES")])
        faulty = verl_row(5, "cv", "maybe")
        write_rows(data / "train_wd.parquet", [verl_row(4, "wd", "NO"), faulty])
        write_talks(tmp_path / "in" / "cold")
        said = convert(tmp_path / "in", tmp_path / "out")
        out = tmp_path / "out"
        train = list(read_examples(out / "train.parquet"))
        assert [each.task for each in train] == ["CV", "CV", "CV", "WD"]
        assert [each.task for each in read_examples(out / "test.parquet")] == ["CS"] * 3
        assert [each.task for each in read_examples(out / "survey-SDSS.parquet")] == ["MG"]
        assert [each.split for each in read_examples(out / "cross.parquet")] == ["cross"]
        assert len(list(sharegpt_conversations(out / COPY_FILE))) == 1
        assert "1 rows left out: no answer" in said
        assert "1 spectra are in more than one of train and test" in said
        card = (out / "README.md").read_text()
        assert "in more than one of train and test, as published: 1" in card

    def test_rows_say_their_split_where_the_file_does_not(self, tmp_path: Path):
        rows = [verl_row(n, "cv", "YES") for n in range(4)]
        for row, split in zip(rows, ("train", "test", "train", "validation"), strict=True):
            row["extra_info"]["split"] = split
        write_rows(tmp_path / "in" / "all.parquet", rows)
        convert(tmp_path / "in", tmp_path / "out")
        for name in ("train", "test"):
            assert len(list(read_examples(tmp_path / "out" / f"{name}.parquet"))) == 2

    @pytest.mark.parametrize("content", [b"PAR1", b"", b"PAR1" + bytes(200) + b"PAR1"])
    def test_a_broken_file_is_a_one_line_error(self, tmp_path: Path, content: bytes):
        (tmp_path / "train.parquet").write_bytes(content)
        with pytest.raises(WorkbenchError):
            convert(tmp_path, tmp_path / "out")

    def test_a_folder_of_other_things_is_told(self, tmp_path: Path):
        parquet.write_table(pyarrow.table({"a": [1]}), tmp_path / "x.parquet")
        with pytest.raises(WorkbenchError, match="has neither"):
            convert(tmp_path, tmp_path / "out")
