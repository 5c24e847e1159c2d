"""Makes a spectrum of known class look like the candidates of a list.

Its name, file name, columns and header are those that a neighbour in the list might have: its own
where they are written in the same way, else the neighbour's with other last digits.
"""

from __future__ import annotations

import math
import random
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from agent.spectra.spectrum import MetaValue, Spectrum
from app.core.database.tables import MIN_TARGETID
from app.core.session.provenance import file_name
from app.core.session.records import Candidate
from app.core.sharing.known.labelled_list import Labelled

IDENTITY_DIGITS = 5  # a value with so many digits names something, and two objects do not share it
SPREAD = 0.02
"""Numbers differ from the neighbour's by up to this share, so that no two rows are the same."""
NEARBY_ARCMIN = (3.0, 8.0)
"""From the neighbour: near enough for the same field, too far to be a match of its position."""
MAX_TRIES = 60  # made names; every ten tries one more digit changes


@dataclass(eq=False)
class Style:
    """How the list writes names of objects and of files, and which of them are taken."""

    names: set[str] = field(default_factory=set)
    files: set[str] = field(default_factory=set)
    patterns: set[str] = field(default_factory=set)

    def add(self, name: str, path: str) -> None:
        """Learn from a candidate's name and path."""
        file = file_name(path)
        self.names.add(name)
        self.files.add(file)
        self.patterns |= {pattern(name), pattern(file)}

    def free(self, text: str, model: str, taken: set[str], draw: random.Random) -> str:
        """The name itself if it is not taken and is written like the list's.

        Otherwise the model with other last digits; if all that were tried are taken, the name.
        """
        if text and text not in taken and pattern(text) in self.patterns:
            return text
        for attempt in range(MAX_TRIES):
            made = varied(model, draw, digits=2 + attempt // 10)
            if made not in taken:
                return made
        return text


def beside(path: str, file: str) -> str:
    """The path of a file in the same folder, at an address, too."""
    return path.removesuffix(file_name(path)) + file


def pattern(text: str) -> str:
    """How a name is written: each digit as 9."""
    return re.sub(r"\d", "9", text)


def varied(text: str, draw: random.Random, digits: int = 2) -> str:
    """The text with other last digits; those of a suffix such as .fits.gz stay."""
    stem, dot, suffix = text.partition(".fit")
    places = [index for index, letter in enumerate(stem) if letter in "0123456789"][-digits:]
    letters = list(stem)
    for index in places:
        # At most 5 except at the end: in a name such as J1234+5059 minutes must stay below 60.
        top = 9 if index == places[-1] else 5
        letters[index] = str(draw.randint(0, top))
    return "".join(letters) + dot + suffix


def disguised(
    given: Labelled,
    spectrum: Spectrum,
    neighbour: Candidate,
    neighbour_spectrum: Spectrum,
    style: Style,
    draw: random.Random,
) -> tuple[dict[str, Any], Spectrum]:
    """The values of a candidate, and the spectrum that the session keeps for it.

    The new names are added to those that are taken, so that each is given once.
    """
    name = style.free(given.object_id, neighbour.object_id, style.names, draw)
    file = _file_name(given, neighbour, name, style, draw)
    style.names.add(name)
    path, row = beside(neighbour.path, file), neighbour.row
    if neighbour.row:  # a file of many spectra: the same file, another row
        path = neighbour.path
        row = int(varied(str(neighbour.row), draw, 4)) if row >= MIN_TARGETID else row + 1
    else:
        style.files.add(file)
    ra, dec = _position(given, spectrum, neighbour, draw)
    is_own = name == given.object_id
    kept = replace(
        spectrum,
        object_id=name if not is_own or not spectrum.object_id else spectrum.object_id,
        ra=None if neighbour_spectrum.ra is None else ra,
        dec=None if neighbour_spectrum.dec is None else dec,
        class_name=_like(neighbour_spectrum.class_name, spectrum.class_name),
        subclass=_like(neighbour_spectrum.subclass, spectrum.subclass),
        z=_like(neighbour_spectrum.z, spectrum.z),
        snr=_like(neighbour_spectrum.snr, spectrum.snr),
        survey=neighbour_spectrum.survey,
        release=neighbour_spectrum.release,
        format=neighbour_spectrum.format,
        medium_in_file=neighbour_spectrum.medium_in_file,
        path=path,
        row=row,
        rows=neighbour_spectrum.rows,
        # Whether it is simulated says the table of known answers, once the candidate is judged.
        simulated=neighbour_spectrum.simulated,
        meta=_meta(spectrum.meta, neighbour_spectrum.meta, draw, is_own=is_own),
        warnings=(),
    )
    values = {
        "object_id": name,
        "path": path,
        "row": row,
        "ra": ra,
        "dec": dec,
        "score": altered(neighbour.score, draw),
        "label": neighbour.label,
        "snr": _like(neighbour.snr, given.snr if given.snr is not None else spectrum.snr),
        "own": _own_columns(given.own, neighbour.own, draw),
    }
    return values, kept


def _file_name(
    given: Labelled, neighbour: Candidate, name: str, style: Style, draw: random.Random
) -> str:
    """The file's name follows that of the object where the neighbour's does."""
    model = file_name(neighbour.path)
    if neighbour.object_id and neighbour.object_id in model:
        return model.replace(neighbour.object_id, name)
    return style.free(file_name(given.path), model, style.files, draw)


def _position(
    given: Labelled, spectrum: Spectrum, neighbour: Candidate, draw: random.Random
) -> tuple[float | None, float | None]:
    """The true position where there is one, else a place near the neighbour."""
    if neighbour.ra is None or neighbour.dec is None:
        return None, None
    for each in (given, spectrum):
        if each.ra is not None and each.dec is not None:
            return each.ra, each.dec
    far, angle = draw.uniform(*NEARBY_ARCMIN) / 60.0, draw.uniform(0.0, 2.0 * math.pi)
    dec = max(-89.9, min(89.9, neighbour.dec + far * math.sin(angle)))
    ra = (neighbour.ra + far * math.cos(angle) / math.cos(math.radians(dec))) % 360.0
    return round(ra, 6), round(dec, 6)


def _like(neighbours: Any, own: Any) -> Any:
    """The spectrum's own value, else the neighbour's; none where the neighbour has none."""
    if neighbours in (None, ""):
        return neighbours
    return neighbours if own in (None, "") else own


def _meta(
    own: Mapping[str, MetaValue],
    neighbours: Mapping[str, MetaValue],
    draw: random.Random,
    *,
    is_own: bool,
) -> dict[str, MetaValue]:
    """The neighbour's keys, with the spectrum's own values where it has them."""
    return {
        key: own[key]
        if key in own and type(own[key]) is type(value) and (is_own or not _identifies(value))
        else altered(value, draw)
        for key, value in neighbours.items()
    }


def _own_columns(
    given: Mapping[str, Any], neighbours: Mapping[str, Any], draw: random.Random
) -> dict[str, Any]:
    """The list's further columns, with the known spectrum's values where its list has them."""
    return {
        key: given[key]
        if given.get(key) and isinstance(given[key], type(value))
        else altered(value, draw)
        for key, value in neighbours.items()
    }


def _identifies(value: object) -> bool:
    """Whether a value names one object, such as an identifier or a file."""
    is_named = isinstance(value, str) or type(value) is int
    return is_named and sum(letter.isdigit() for letter in str(value)) >= IDENTITY_DIGITS


def altered(value: Any, draw: random.Random) -> Any:
    """The neighbour's value, altered where it identifies the neighbour or is a measured number."""
    if isinstance(value, float) and math.isfinite(value):
        _, _, decimals = repr(value).partition(".")
        return round(value * (1.0 + draw.uniform(-SPREAD, SPREAD)), len(decimals.split("e")[0]))
    if not _identifies(value):
        return value
    made = varied(str(value), draw)
    return made if isinstance(value, str) else int(made)
