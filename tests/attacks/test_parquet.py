"""Hostile Parquet files, previewed and imported: read or refused, within bounds."""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.attacks.lists.parquet import (
    BY_DAY,
    CRAFTED,
    damaged,
    one_large_cell,
    sizes_that_lie,
    sound_files,
)
from tests.attacks.sandbox import Outcome, Sandbox
from tests.night import BY_NIGHT, seeds
from tests.processes import LONG_S

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="cases are forked")

MAX_MB = 600
MAX_SESSION = 600 * 1024**2
BATCH = 40
FAULTS = ("ended with status", "Traceback", "Error:")
"""What a refusal says where the reading process met a fault of ours."""


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox("tests.attacks.lists.parquet:read_list") as made:
        yield made


def outcome_of(sandbox: Sandbox, content: bytes, folder: Path, case: object) -> Outcome:
    path = folder / "list.parquet"
    path.write_bytes(content)
    outcome = sandbox.run(str(path), str(folder))
    for each in folder.glob("night.speco3*"):
        each.unlink()
    assert (outcome.error, outcome.status) == ("", 0), (case, outcome)
    assert outcome.peak_mb <= MAX_MB, (case, outcome)
    assert outcome.output == "", (case, outcome)
    assert all(name.startswith(tempfile.gettempdir()) for name in outcome.opened), (case, outcome)
    refusal = outcome.value.get("refused", "list.parquet: ")
    assert refusal.startswith("list.parquet: "), (case, outcome)
    assert refusal.isprintable(), (case, outcome)
    assert not any(fault in refusal for fault in FAULTS), (case, outcome)
    assert outcome.value.get("bytes", 0) <= MAX_SESSION, (case, outcome)
    return outcome


@pytest.mark.parametrize("name", list(CRAFTED) if BY_NIGHT else list(CRAFTED)[:BY_DAY])
def test_a_crafted_file_is_read_or_refused(sandbox: Sandbox, tmp_path: Path, name: str) -> None:
    outcome = outcome_of(sandbox, CRAFTED[name](), tmp_path, name)
    expected = EXPECTED.get(name)
    if isinstance(expected, int):
        assert outcome.value.get("rows") == expected, outcome
    elif expected is not None:
        assert expected in outcome.value.get("refused", ""), outcome


PREVIEW = """
import sys
from app.core.importing.importer import look_at
print(look_at(sys.argv[1]).problem)
"""


def limit_address_space() -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (300_000 * 1024, 300_000 * 1024))


@pytest.mark.skipif(sys.platform != "linux", reason="the limit is kept on Linux")
def test_with_little_memory_the_reason_still_comes(tmp_path: Path) -> None:
    """Libraries may fail in any way then."""
    path = tmp_path / "list.parquet"
    path.write_bytes(sizes_that_lie(one_large_cell(50)))
    done = subprocess.run(
        [sys.executable, "-c", PREVIEW, path],
        preexec_fn=limit_address_space,
        capture_output=True,
        text=True,
        timeout=LONG_S,
        check=True,
    )
    assert done.stdout.startswith("list.parquet: "), done.stderr
    assert len(done.stdout.splitlines()) == 1
    assert done.stderr == ""


EXPECTED: dict[str, int | str] = {
    "one text in many rows": "more than 300 times its size",
    "one cell of 200 MB": "unpacks to more than 200 times its size",
    "one cell of 200 MB that lies": "takes too much memory",
    "dates out of range": 4,
    "large decimals": 3,
    "a page that claims 2 GB": "takes too much memory",
    "a million row groups": "more than 500,000 pieces",
    "long texts in many columns": "row 1 holds more than 1 MB",
    "many cells of 1 MB that lie": 60,
    "a dictionary of 290 MB that lies": "takes too much memory",
    "empty texts": 5000,
    "a repeated number": "unpacks to more than 200 times its size",
    "a time zone that is a path": 2,
    "odd numbers": 4,
    "texts that are none": "can't decode byte",
    "paths all over the disk": 1,
    "names with dots": 2,
    "odd types": 2,
    "no columns": "no columns with single values",
    "two thousand columns too many": "more than 2,000",
    "columns of one name": "same name",
    "metadata of 4 GB": "more than 64 MB",
    "an encrypted file": "its format is unknown",
}
"""Rows that are imported, or words of the refusal."""


@pytest.mark.timeout(1200)  # forty files, each with processes of its own
@pytest.mark.parametrize("batch", seeds(by_day=1, by_night=50))
def test_damaged_files_are_read_or_refused(sandbox: Sandbox, tmp_path: Path, batch: int) -> None:
    sound = sound_files()
    outcome = outcome_of(sandbox, sound[batch % len(sound)], tmp_path, "sound")
    assert outcome.value.get("rows") == 300, outcome
    count = BATCH if BY_NIGHT else 6
    read = 0
    for number in range(batch * BATCH, batch * BATCH + count):
        outcome = outcome_of(sandbox, damaged(number), tmp_path, number)
        read += "rows" in outcome.value
    assert read < count
