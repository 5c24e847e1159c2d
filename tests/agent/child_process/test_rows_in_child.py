"""What ends the process that reads a stranger's file does not end ours."""

import os
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet as parquet
import pytest

from agent.child_process import rows_in_child as module
from agent.child_process.rows_in_child import rows_in_child
from agent.child_process.start_child import start_child
from agent.errors import ResourceError, WorkbenchError
from agent.models.wording_source import parquet_rows
from train.bench.tables import listed_rows


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.parquet"


def spoil(path: Path) -> None:
    """Let it say that a column is never empty: pyarrow then ends the process that asks for it."""
    content = path.read_bytes()
    assert content.count(b"\x25\x02") > 0
    path.write_bytes(content.replace(b"\x25\x02", b"\x25\x00"))


def test_rows_come_one_by_one_and_none_is_waited_for(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [{"prompt": f"ä{number}", "messages": [b"\xff", None]} for number in range(20_000)]
    parquet.write_table(pyarrow.Table.from_pylist(rows), path)
    assert list(rows_in_child(parquet_rows, path, kind=ResourceError)) == rows
    started = []

    def start(*given: Any, **more: Any) -> Any:
        started.append(start_child(*given, **more))
        return started[0]

    monkeypatch.setattr(module, "start_child", start)
    some = rows_in_child(parquet_rows, path, kind=ResourceError)
    assert next(some) == rows[0]
    some.close()
    assert started[0].returncode is not None


def test_native_code_that_fails_is_an_error(path: Path) -> None:
    parquet.write_table(pyarrow.table({"file": ["a", "b"]}), path)
    spoil(path)
    with pytest.raises(WorkbenchError, match=r"a\.parquet.*damaged"):
        list(rows_in_child(listed_rows, path, ["file"], kind=WorkbenchError))


def test_more_memory_than_is_allowed_is_an_error(path: Path) -> None:
    many = pyarrow.array(["xy"] * 3_000_000)
    offsets = pyarrow.array([0, len(many)], pyarrow.int32())
    prompts = pyarrow.ListArray.from_arrays(offsets, many)
    parquet.write_table(pyarrow.table({"prompt": prompts}), path)
    assert path.stat().st_size < 1000
    with pytest.raises(ResourceError, match=r"memory|malloc|took too much"):
        list(rows_in_child(parquet_rows, path, memory=150 * 2**20, kind=ResourceError))


def test_a_file_that_never_ends_is_an_error(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(path)
    monkeypatch.setattr(module, "SILENCE_S", 0.3)
    with pytest.raises(ResourceError, match="took too much"):
        list(rows_in_child(parquet_rows, path, kind=ResourceError))


def test_a_file_that_is_gone_is_an_error(path: Path) -> None:
    with pytest.raises(ResourceError, match=r"a\.parquet could not be read: .*No such file"):
        list(rows_in_child(parquet_rows, path, kind=ResourceError))
