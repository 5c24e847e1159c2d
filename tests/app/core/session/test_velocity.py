"""Velocities of objects: kept with the opinion, undone, merged, filtered and exported."""

import csv
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from astropy.table import Table

from agent.evidence.star_velocity import velocity_from_lines
from agent.spectra.matching.template_velocity import fit_velocity
from agent.spectra.readers import read
from agent.spectra.rebinning import measurable
from app.core.errors import SessionError
from app.core.exporting import export
from app.core.exporting.log_file import log_lines
from app.core.queue import LIST_ORDER, page, parse_filter, parse_sort
from app.core.queue.own_columns import own_columns
from app.core.session.records import Opinion, Verdict
from app.core.session.session import open_session
from app.core.session.velocity import (
    Velocity,
    best_velocity,
    checked_velocity,
    velocity_english,
    velocity_from,
    velocity_json,
)
from app.core.sharing.merge import merge
from tests.agent.spectra.matching.test_template_velocity import bundled
from tests.app.core.sessions import made

FITTED = Velocity(kms=-172.25, error_kms=9.5, source="template", quality=3)
BY_HAND = Velocity(kms=40.0)


def said(velocity, verdict=Verdict.ACCEPT):
    return Opinion(verdict=verdict, velocity=velocity)


def test_it_is_kept_as_text():
    for velocity in (None, FITTED, BY_HAND, replace(FITTED, source="header", error_kms=0.0)):
        assert velocity_from(velocity_json(velocity)) == velocity
    assert velocity_english(FITTED) == "−172 ± 10 km/s (template, quality 3)"
    assert velocity_english(BY_HAND) == "40 km/s (hand)"


@pytest.mark.parametrize(
    "change",
    [
        {"kms": float("nan")}, {"kms": 1e9}, {"error_kms": -1.0}, {"error_kms": float("inf")},
        {"quality": 0}, {"quality": 5}, {"source": "a friend"},
    ],
)  # fmt: skip
def test_what_is_no_velocity_is_not_kept(tmp_path, change):
    with pytest.raises(SessionError, match="velocity"):
        checked_velocity(replace(FITTED, **change))
    with made(tmp_path / "a.speco3", 1) as session:
        with pytest.raises(SessionError, match="velocity"):
            session.record_verdict(1, said(replace(FITTED, **change)))
        assert session.judgement(1) is None


@pytest.mark.parametrize(
    "text",
    [
        "[]", "{}", "nonsense", '{"kms": 1}', velocity_json(FITTED).replace("-172.25", '"fast"'),
        velocity_json(FITTED).replace("3}", "true}"), velocity_json(FITTED).replace("9.5", "NaN"),
        velocity_json(FITTED).replace('"template"', "[]"),
    ],
)  # fmt: skip
def test_text_that_is_none_is_refused(text):
    with pytest.raises((ValueError, SessionError)):
        velocity_from(text)


def test_the_surest_of_several_counts():
    assert best_velocity([]) is None
    assert best_velocity([BY_HAND, FITTED]) == FITTED
    finer = replace(FITTED, error_kms=2.0)
    assert best_velocity([FITTED, finer, replace(finer, quality=2)]) == finer


def test_it_is_undone_and_redone(location):
    with made(location, 3, "Ada") as session:
        session.record_verdict(1, said(BY_HAND))
        session.record_verdict(1, said(FITTED))
        assert session.judgement(1).opinion.velocity == FITTED
        session.undo()
        assert session.judgement(1).opinion.velocity == BY_HAND
        session.redo()
        assert session.judgement(1).opinion == said(FITTED)
        velocities = [each.opinion.velocity for each in session.history(1)]
        assert velocities == [BY_HAND, FITTED, BY_HAND, FITTED]


def test_it_is_filtered_and_sorted(location):
    with made(location, 4, "Ada") as session:
        session.record_verdict(1, said(BY_HAND))
        session.record_verdict(2, said(FITTED))
        session.record_verdict(3, said(None))
        names = [each.name for each in own_columns(session)]
        assert "mine.velocity" in names
        for text, wanted in [("velocity<0", [2]), ("mine.velocity:0..100", [1])]:
            rows = page(session, parse_filter(text, names), LIST_ORDER).rows
            assert [row.candidate.id for row in rows] == wanted
        rows = page(session, parse_filter(""), parse_sort("mine.velocity:up")).rows
        assert [row.candidate.id for row in rows][:2] == [2, 1]
        assert rows[0].value("mine.velocity") == -172.25


def test_it_comes_along_when_sessions_are_merged(location, tmp_path):
    with made(location, 2, "Ada") as here, made(tmp_path / "b.speco3", 2, "Ben") as there:
        there.record_verdict(1, said(FITTED))
        merge(here, there)
        assert [each.opinion.velocity for each in here.judgements(1)] == [FITTED]


@pytest.mark.parametrize("suffix", ["csv", "fits", "vot", "ecsv", "parquet"])
def test_it_is_exported_with_error_source_and_quality(tmp_path, suffix):
    """The surest of two people's, where they agree about the verdict."""
    place, out = tmp_path / "a.speco3", tmp_path / f"a.{suffix}"
    with made(place, 3, "Ben") as ben:
        ben.record_verdict(1, said(BY_HAND))
    with open_session(place, "Ada") as session:
        session.record_verdict(1, said(FITTED))
        session.record_verdict(2, said(BY_HAND))
        export(session, out, which="all")
    if suffix == "parquet":
        import pyarrow.parquet as pq

        found = pq.read_table(out).to_pydict()
        assert found["velocity_kms"] == [-172.25, 40.0, None]
        assert found["velocity_source"] == ["template", "hand", ""]
        return
    table = Table.read(out)
    kms = np.ma.filled(np.ma.asarray(table["velocity_kms"], dtype=float), np.nan)
    assert kms[:2].tolist() == [-172.25, 40.0] and np.isnan(kms[2])
    assert float(table["velocity_err_kms"][0]) == 9.5
    assert list(map(str, table["velocity_source"][:2])) == ["template", "hand"]
    assert int(table["velocity_quality"][0]) == 3
    if suffix != "csv":
        assert str(table["velocity_kms"].unit) == "km / s"


KINDS = {
    "A": "a_dwarf", "B": "b_dwarf", "WD": "white_dwarf_da", "O": "o_star", "M_DWARF": "m_dwarf",
    "MG": "m_giant_early", "CV": "cv_in_quiescence", "CS": "carbon_star_c_n",
}  # fmt: skip
"""Templates that spectra of these labels are fitted with."""


def fitted_velocities(folder: Path) -> Iterator[Velocity]:
    """Of real spectra, by a template and by lines in turn, where either can be fitted."""
    with (folder / "MANIFEST.csv").open(newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["label"] in KINDS]
    for number, row in enumerate(rows):
        spectrum = measurable(read(folder / row["file"]))
        if number % 2:
            found = velocity_from_lines(spectrum)
            if found.value is not None:
                yield Velocity(kms=found.value, error_kms=found.error, source="lines", quality=2)
            continue
        fit = fit_velocity(spectrum, *bundled(KINDS[row["label"]]))
        if fit.is_trusted:
            yield Velocity(
                kms=fit.velocity_kms, error_kms=fit.error_kms, source="template", quality=4
            )


def test_fitted_velocities_of_real_spectra_are_exported_and_read_by_astropy(
    labelled_spectra, tmp_path
):
    fitted = list(islice(fitted_velocities(labelled_spectra), 25))
    assert {each.source for each in fitted} == {"template", "lines"} and len(fitted) == 25
    assert max(abs(each.kms) for each in fitted) < 1000.0  # of stars
    with made(tmp_path / "a.speco3", 25, "Ada") as session:
        for number, velocity in enumerate(fitted, start=1):
            session.record_verdict(number, said(velocity))
        for suffix in ("csv", "fits"):
            export(session, tmp_path / f"a.{suffix}", which="all")
    for suffix in ("csv", "fits"):
        table = Table.read(tmp_path / f"a.{suffix}")
        for column, name in (("velocity_kms", "kms"), ("velocity_err_kms", "error_kms")):
            wanted = [getattr(each, name) for each in fitted]
            assert np.asarray(table[column], dtype=float) == pytest.approx(wanted, rel=1e-6)
        assert list(map(str, table["velocity_source"])) == [each.source for each in fitted]
        assert table["velocity_quality"].tolist() == [each.quality for each in fitted]


def test_a_catalogue_without_velocities_has_no_columns_for_them(tmp_path):
    with made(tmp_path / "a.speco3", 1, "Ada") as session:
        session.record_verdict(1, said(None))
        report = export(session, tmp_path / "a.csv", which="all")
    assert not [name for name in report.columns if name.startswith("velocity")]


def test_the_log_tells_it(tmp_path):

    with made(tmp_path / "a.speco3", 1, "Ada") as session:
        session.record_verdict(1, said(FITTED))
        assert "−172 ± 10 km/s (template, quality 3)" in next(log_lines(session))
