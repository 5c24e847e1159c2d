"""File names that spectra have."""

from __future__ import annotations

FITS = (".fits", ".fit", ".fts")
TEXT = (".csv", ".txt", ".dat", ".asc", ".ascii", ".tsv", ".ecsv", ".sed")
XML = (".vot", ".votable", ".xml")
SUFFIXES = (*FITS, *TEXT, *XML)
_PACKED = tuple(f"{suffix}.gz" for suffix in SUFFIXES)


def has_spectrum_suffix(name: str) -> bool:
    return name.lower().endswith((*SUFFIXES, *_PACKED))


def stem_of(name: str) -> str:
    """The name of a file without .gz and its suffix."""
    low = name.lower()
    for suffix in (*_PACKED, *SUFFIXES):
        if low.endswith(suffix):
            return name[: -len(suffix)]
    return name
