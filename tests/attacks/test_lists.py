"""Hostile lists of all formats, previewed and imported: read or refused, within bounds."""

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.attacks.lists.cases import BY_DAY, CASES
from tests.attacks.lists.damaged import FORMATS
from tests.attacks.lists.reading import OPENED, OWN, SESSION
from tests.attacks.sandbox import Outcome, Sandbox
from tests.night import BY_NIGHT, seeds

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="cases are forked")

MAX_MB = 600
BATCH = 50
FAULTS = ("ended with status", "Traceback", "Error:")
"""What a refusal says where the reading process met a fault of ours."""


@pytest.fixture(scope="module")
def readers() -> Iterator[dict[str, Sandbox]]:
    module = "tests.attacks.lists.reading"
    with Sandbox(f"{module}:read_one") as one, Sandbox(f"{module}:read_damaged") as damaged:
        yield {"one": one, "damaged": damaged}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An empty folder. What lies beside it, a pipe, would block whoever opens it."""
    os.mkfifo(tmp_path / "bait.fits")
    made = tmp_path / "lists"
    made.mkdir()
    return made


def check(outcome: Outcome, folder: Path, case: object) -> None:
    assert (outcome.error, outcome.status, outcome.output) == ("", 0, ""), (case, outcome)
    assert outcome.peak_mb <= MAX_MB, (case, outcome)
    log = folder.parent / OPENED
    by_reader = log.read_text().splitlines() if log.exists() else []
    for name in (*outcome.opened, *map(json.loads, by_reader)):
        assert is_allowed(Path(name), folder), (case, name)


def is_allowed(path: Path, folder: Path) -> bool:
    """Whether it is in the folder, or a part of the session or the settings beside it."""
    if {folder, folder.parent / OWN} & {path, *path.parents}:
        return True
    return path.parent == folder.parent and (SESSION in path.name or path.name == OPENED)


def check_refusal(found: dict[str, Any], case: object) -> None:
    refusal = found.get("refused", "-")
    assert refusal.isprintable(), (case, refusal)
    assert len(refusal) < 1500, (case, refusal)
    assert not any(fault in refusal for fault in FAULTS), (case, refusal)


@pytest.mark.parametrize("is_forked", [True, False] if BY_NIGHT else [True])
@pytest.mark.parametrize("name", CASES if BY_NIGHT else BY_DAY)
def test_a_crafted_list_is_read_or_refused(
    readers: dict[str, Sandbox], folder: Path, name: str, is_forked: bool
) -> None:
    outcome = readers["one"].run(name, str(folder), is_forked)
    check(outcome, folder, name)
    check_refusal(outcome.value, name)
    expected = CASES[name].expected
    if isinstance(expected, int):
        assert outcome.value == {"rows": expected}
    elif expected is not None:
        assert expected in outcome.value.get("refused", ""), outcome


@pytest.mark.timeout(1200)  # fifty lists, each read twice
@pytest.mark.parametrize("batch", seeds(by_day=1, by_night=20))
@pytest.mark.parametrize("format_", FORMATS)
def test_damaged_lists_are_read_or_refused(
    readers: dict[str, Sandbox], folder: Path, format_: str, batch: int
) -> None:
    count = BATCH if BY_NIGHT else 8
    outcome = readers["damaged"].run(format_, batch * BATCH, count, str(folder), deadline_s=1000)
    check(outcome, folder, (format_, batch))
    assert len(outcome.value) == count
    for each in outcome.value:
        check_refusal(each, (format_, each))
    assert 0 < sum("rows" in each for each in outcome.value) < count
