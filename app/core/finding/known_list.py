"""Positions of known members, from a list in any format that can be imported."""

from pathlib import Path

from app.core.errors import ImportFailed
from app.core.importing.child.parent import ListReaderProcess
from app.core.importing.entries import FIELDS
from app.core.importing.formats.text_cells import CellMismatch
from app.core.importing.opening import errors_naming, normalized_path


def known_positions(path: Path) -> list[tuple[float, float]]:
    """The positions in degrees. Raises ImportFailed where the list has none."""
    path = normalized_path(path)
    ra, dec = FIELDS.index("ra"), FIELDS.index("dec")
    with errors_naming(path), ListReaderProcess(path, {"path": ""}) as reader:
        reader.opened()
        for _ in range(2):
            found = []
            try:
                for entries in reader.entries():
                    pairs = zip(entries.columns[ra], entries.columns[dec], strict=True)
                    found += [pair for pair in pairs if None not in pair]
            except CellMismatch:
                continue
            if found:
                return found
            break
        raise ImportFailed("it has no positions: columns ra and dec in degrees")
