"""Write the next dictionary by which the records of inspections are compressed in session files.

    python packaging/record_dictionary.py

It is some records of the bundled inspectors, as what they have in common with others need not be
stored again. A dictionary is never changed or deleted once a session may have been written with it.
"""

from __future__ import annotations

import csv
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from agent.inspection.built_in import EYE, MEASURED
from agent.inspection.inspector import run
from agent.inspection.inspector_factory import make_inspector
from agent.spectra.readers.registry import read
from agent.tasks.catalogue import find_task
from agent.trajectory.compressed_text import DICTIONARIES, DICTIONARY_BYTES
from agent.trajectory.trajectory_file import to_line

SAMPLE = Path(__file__).resolve().parents[1] / "resources" / "sample"
# Deflate looks back 32 KB; what is most like other records comes last.
RECORDS = (("CS", EYE), ("MG", MEASURED), ("MG", EYE), ("WD", MEASURED))


def main() -> None:
    number = 1 + len(list(DICTIONARIES.glob("*.jsonl")))
    with (SAMPLE / "candidates.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    lines = []
    for row, (task, model) in zip(rows, RECORDS, strict=False):
        with closing(make_inspector(model)) as inspector:
            record = run(inspector.inspect(read(SAMPLE / row["file"]), find_task(task)))
        lines.append(to_line(replace(record, spectrum=replace(record.spectrum, path=row["file"]))))
    content = "".join(f"{line}\n" for line in lines).encode("ascii")
    path = DICTIONARIES / f"{number}.jsonl"
    path.write_bytes(content[-DICTIONARY_BYTES:])
    print(f"{path}: {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
