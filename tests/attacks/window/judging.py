"""Somebody judges a long list with the agent on, as `python -m tests.attacks.window.judging`.

Arguments: a session, how many keys, and how many between two lines of what the window holds.
"""

import csv
import json
import os
import random
import sys
from contextlib import suppress
from itertools import cycle, islice
from pathlib import Path

from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from tests.app.core.exporting.catalogues import listed
from tests.app.ui.candidates import SAMPLE
from tests.attacks.window.killed import KEYS, new_window, opened
from tests.processes import held

PACES_MS = (0, 20, 100, 300, 1000)
"""Pauses between keys, drawn at random: of the two hours of 24,000 keys they take 114 minutes."""


def sample_of(folder: Path, keys: int) -> Path:
    """A session of the sample's spectra over and over: one for ten keys."""
    with (SAMPLE / "candidates.csv").open(newline="", encoding="utf-8") as file:
        rows = [(str(SAMPLE / row["file"]), int(row["row"])) for row in csv.DictReader(file)]
    count = max(len(rows), keys // 10)
    found = [
        {"object_id": f"J{number}", "path": path, "row": row}
        for number, (path, row) in enumerate(islice(cycle(rows), count))
    ]
    place = folder / "night.speco3"
    listed(place, found).close()
    return place


def open_files() -> list[str]:
    """What each descriptor of this process leads to; pipes and sockets without their numbers."""
    found = []
    for descriptor in Path("/proc/self/fd").iterdir():
        with suppress(FileNotFoundError):  # the one that lists them
            found.append(str(descriptor.readlink()).partition(":[")[0])
    return sorted(found)


def main() -> None:
    place, count, between = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    chance = random.Random(0)
    _ = QApplication([])
    view = opened(window := new_window(), place)
    QTest.keyClick(window, "v")
    for number in range(1, count + 1):
        QTest.keyClick(QApplication.focusWidget() or window, chance.choice(KEYS))
        QTest.qWait(chance.choice(PACES_MS))
        if number % between == 0:
            lines = sum(1 for _ in view.session.history())
            sys.stdout.write(json.dumps([held(os.getpid()), lines, open_files()]) + "\n")
            sys.stdout.flush()
    window.close()


if __name__ == "__main__":
    main()
