"""Reads the spectra of a session that the index does not know yet, a short while at a time."""

from __future__ import annotations

import time

from sqlalchemy import select

from agent.errors import ReadError
from agent.spectra.spectrum import Spectrum
from agent.spectra.urls import is_url
from app.core.database.tables import candidates
from app.core.progress import ShouldStop
from app.core.session.session import Session
from app.core.similar.features import features
from app.core.similar.index import SimilarIndex
from app.core.spectra.packing import packed_spectrum
from app.core.spectra.prefetch import SpectrumKey, read_by_key

A_WHILE_S = 0.2
PAGE = 500


def build_some(
    session: Session,
    index: SimilarIndex,
    after: int = 0,
    *,
    seconds: float = A_WHILE_S,
    should_stop: ShouldStop | None = None,
) -> int | None:
    """Read for a while, from the candidate after this id; return where to go on, None at the end.

    Spectra that cannot be read are passed over and tried again in the next round. Those at an
    address are not asked for: they become known when somebody looks at them.
    """
    ends = time.monotonic() + seconds
    columns = (candidates.c.id, candidates.c.path, candidates.c.row)
    while True:
        query = select(*columns).where(candidates.c.id > after).order_by(candidates.c.id)
        with session.database.reading() as connection:
            rows = connection.execute(query.limit(PAGE)).all()
        for number, path, row in rows:
            key = SpectrumKey(number, path, row)
            if not index.knows(key):
                if time.monotonic() > ends or (should_stop is not None and should_stop()):
                    index.save()
                    return after
                _read(session, index, key)
            after = number
        if len(rows) < PAGE:
            index.end_round()
            return None


def note_spectrum(index: SimilarIndex, key: SpectrumKey, spectrum: Spectrum) -> None:
    """Take the features of a spectrum that was read for another purpose."""
    if not index.knows(key):
        vector = features(spectrum)
        if vector is not None:
            index.add(key, vector)


def _read(session: Session, index: SimilarIndex, key: SpectrumKey) -> None:
    try:
        spectrum = packed_spectrum(session, key.candidate_id)
        if spectrum is None:
            if is_url(key.path):
                return
            spectrum = read_by_key(key)
    except ReadError:
        return
    note_spectrum(index, key, spectrum)
