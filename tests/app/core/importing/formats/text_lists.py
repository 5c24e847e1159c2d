"""Helpers for tests of text lists."""

from app.core.importing.opening import open_list


def opened(folder, content, name="list.csv"):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return open_list(path)


def rows(file):
    """Every row as text, by its number."""
    found = {}
    for block in file.blocks():
        columns = [cells.texts() for cells in block.cells]
        found |= dict(zip(block.lines, zip(*columns, strict=True), strict=True))
    return found


def names(file):
    return [column.name for column in file.columns]
