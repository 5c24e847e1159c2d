"""Writes a catalogue as a LaTeX table for a paper."""

from __future__ import annotations

import io
from typing import BinaryIO

from astropy.table import Table

COLUMNS = ("object_id", "ra", "dec", "verdict", "agent_p_yes")


def write(file: BinaryIO, table: Table) -> None:
    """Write a few columns; the program replaces the file only if this ends well."""
    text = io.StringIO()
    chosen = table[[name for name in COLUMNS if name in table.colnames]]
    chosen.write(text, format="ascii.aastex")
    file.write(text.getvalue().encode())
