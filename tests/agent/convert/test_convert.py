"""Files are written some rows at a time, go on after any interruption, and end up the same."""

import errno
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from agent.convert import convert, gguf_file
from agent.convert.checkpoint import ConversionError, StoredTensor
from agent.convert.convert import Plan, plan_conversion, write_files

KIND = "q4_k_m"


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.glob("*.gguf")}


@pytest.fixture(scope="module")
def whole(random_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The files as they are without an interruption."""
    out = tmp_path_factory.mktemp("whole")
    write_files(plan_conversion(random_folder, KIND), out)
    return contents(out)


@pytest.fixture
def fine_pieces(monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(gguf_file, "PIECE", 4096)
    return 4096


def reads(monkeypatch: pytest.MonkeyPatch, before: Callable[[int], None]) -> list[int]:
    """How many numbers each read gives; `before` is called with the number of the read."""
    sizes: list[int] = []
    read_rows = StoredTensor.read_rows

    def counted(self: StoredTensor, start: int, stop: int) -> Any:
        before(len(sizes))
        rows = read_rows(self, start, stop)
        sizes.append(rows.size)
        return rows

    monkeypatch.setattr(StoredTensor, "read_rows", counted)
    return sizes


def test_memory_is_that_of_a_few_rows(
    random_folder: Path, tmp_path: Path, whole: dict[str, bytes], fine_pieces: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    plan = plan_conversion(random_folder, KIND)
    sizes = reads(monkeypatch, lambda number: None)
    write_files(plan, tmp_path)
    assert max(sizes) <= 2 * fine_pieces, "the first convolution is read with both time steps"
    assert max(target.source_shape[0] for target in plan.language_model.contents.targets) > 16
    assert contents(tmp_path) == whole, "the size of the pieces does not matter"


@pytest.fixture(scope="module")
def fine_numbers(random_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> int:
    """How many numbers are read, in fine pieces, without an interruption."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gguf_file, "PIECE", 4096)
        sizes = reads(patch, lambda number: None)
        write_files(plan_conversion(random_folder, KIND), tmp_path_factory.mktemp("fine"))
    return sum(sizes)


def begin(plan: Plan, out: Path, at: int) -> None:
    """Ctrl-C is pressed before the read of this number."""

    def stop(number: int) -> None:
        if number == at:
            raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch, pytest.raises(KeyboardInterrupt):
        reads(patch, stop)
        write_files(plan, out)


@pytest.mark.parametrize(("at", "keeps"), [(0, False), (7, False), (40, True), (150, True)])
def test_it_goes_on_after_ctrl_c(
    random_folder: Path, tmp_path: Path, whole: dict[str, bytes], fine_pieces: int,
    fine_numbers: int, monkeypatch: pytest.MonkeyPatch, at: int, keeps: bool,
) -> None:  # fmt: skip
    plan = plan_conversion(random_folder, KIND)
    begin(plan, tmp_path, at)
    sizes = reads(monkeypatch, lambda number: None)
    write_files(plan, tmp_path)
    assert contents(tmp_path) == whole
    assert not list(tmp_path.glob(".*"))
    assert (sum(sizes) < fine_numbers) == keeps


KILLED = """
import sys
from pathlib import Path
from agent.convert import gguf_file
from agent.convert.convert import plan_conversion, write_files
gguf_file.PIECE = 4096
plan = plan_conversion(Path(sys.argv[1]), "q4_k_m")
def progress(what, done, total):
    if done > total // 3:
        print("a third", flush=True)
        sys.stdin.read()
write_files(plan, Path(sys.argv[2]), progress)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_it_goes_on_after_a_kill(
    random_folder: Path, tmp_path: Path, whole: dict[str, bytes]
) -> None:
    command = [sys.executable, "-c", KILLED, str(random_folder), str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"a third\n"
        process.send_signal(signal.SIGKILL)
    (part,) = tmp_path.glob(".*.part")
    kept = part.stat().st_size
    assert 0 < kept < len(whole["model-q4_k_m.gguf"])
    write_files(plan_conversion(random_folder, KIND), tmp_path)
    assert contents(tmp_path) == whole


def test_other_weights_begin_anew(small: Path, tmp_path: Path, fine_pieces: int) -> None:
    begin(plan_conversion(small, KIND), tmp_path / "out", 100)
    path = small / "model-00001-of-00002.safetensors"
    data = bytearray(path.read_bytes())
    data[-2000:] = bytes(2000)
    path.write_bytes(data)
    os.utime(path, ns=(1, 1))
    write_files(plan_conversion(small, KIND), tmp_path / "out")
    write_files(plan_conversion(small, KIND), tmp_path / "anew")
    assert contents(tmp_path / "out") == contents(tmp_path / "anew")


def test_a_torn_file_is_found_and_made_again(
    random_folder: Path, tmp_path: Path, whole: dict[str, bytes]
) -> None:
    plan = plan_conversion(random_folder, KIND)
    part = convert.part_of(tmp_path, plan, plan.language_model)
    torn = bytearray(whole["model-q4_k_m.gguf"])
    torn[-20_000:] = bytes(20_000)  # as after a power cut: the length is there, the data is not
    part.write_bytes(torn)
    with pytest.raises(ConversionError, match="was written incorrectly"):
        write_files(plan, tmp_path)
    write_files(plan, tmp_path)
    assert contents(tmp_path) == whole


def test_a_full_disk_is_said_before(
    random_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    free = SimpleNamespace(free=150_000_000)
    monkeypatch.setattr(convert.shutil, "disk_usage", lambda path: free)
    with pytest.raises(ConversionError, match=r"needs 0\.0 GB, but only 0\.1 GB are free at .*out"):
        write_files(plan_conversion(random_folder, KIND), tmp_path / "out")


def test_a_disk_that_fills_up_keeps_what_is_there(
    random_folder: Path, tmp_path: Path, whole: dict[str, bytes], fine_pieces: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    plan = plan_conversion(random_folder, KIND)
    encoded = gguf_file.encoded

    def full(weights: Any, kept: Any, name: str) -> Any:
        if name == "blk.1.ffn_up.weight":
            raise OSError(errno.ENOSPC, "No space left on device")
        return encoded(weights, kept, name)

    with monkeypatch.context() as patch:
        patch.setattr(gguf_file, "encoded", full)
        with pytest.raises(ConversionError, match=r"No space left.*the same command goes on there"):
            write_files(plan, tmp_path)
    (part,) = tmp_path.glob(".*.part")
    assert part.stat().st_size > 10_000
    write_files(plan, tmp_path)
    assert contents(tmp_path) == whole


def test_two_at_once(random_folder: Path, tmp_path: Path) -> None:
    plan = plan_conversion(random_folder, KIND)

    def second(what: str, done: int, total: int) -> None:
        with pytest.raises(ConversionError, match="another program is converting"):
            write_files(plan, tmp_path)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_files(plan, tmp_path, second)


def test_progress_ends_at_its_total(random_folder: Path, tmp_path: Path) -> None:
    plan: Plan = plan_conversion(random_folder, KIND)
    seen: dict[str, list[tuple[int, int]]] = {}
    write_files(plan, tmp_path, lambda what, *numbers: seen.setdefault(what, []).append(numbers))
    assert list(seen) == [
        *("writing model-q4_k_m.gguf", "checking model-q4_k_m.gguf"),
        *("writing mmproj-f16.gguf", "checking mmproj-f16.gguf"),
    ]
    for steps in seen.values():
        assert steps[0][0] == 0
        assert steps[-1][0] == steps[-1][1]
        assert np.all(np.diff([done for done, _ in steps]) >= 0)


def test_the_planned_size_is_nearly_the_real_one(
    random_folder: Path, tmp_path: Path, whole: dict[str, bytes]
) -> None:
    plan = plan_conversion(random_folder, KIND)
    for file in plan.files:
        header = len(whole[file.name]) - file.contents.data_bytes
        assert 0 < header < convert.HEADER_BYTES
