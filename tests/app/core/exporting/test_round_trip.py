"""Whatever is in a session comes back out of every format."""

import math
import tempfile
from contextlib import contextmanager
from pathlib import Path

import pytest
from astropy.table import Table
from hypothesis import given, settings
from hypothesis import strategies as st

from app.core.exporting import export
from app.core.session.records import Opinion, Verdict
from tests.app.core.exporting.catalogues import (
    CONTRACT,
    REALS,
    TYPED,
    listed,
    read_back,
    read_csv,
    same,
)
from tests.night import examples

TEXTS = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12),
    st.sampled_from(
        ["=1+1", "@x", "+", "-", "'", "''", "-1.5", "+a", "\tx", "a\nb", "\n", 'q"u,o"', " x ", "",
         "100%", "%41", "12345678901234567", "Hα 宽 \U0001f31f", "<&]]>", "nan", "None", "# x",
         "nano-eye", "nano-eye;=1+1", "Info", " infx"]
    ),
)  # fmt: skip
REAL = st.floats(allow_nan=True, allow_infinity=True)
WHOLE = st.integers(-(2**63) + 1, 2**63 - 1)
OWN = {"words": TEXTS, "Teff": REAL, "number": WHOLE, "is it": st.booleans()}
DECLARED = [
    {"name": "words", "type": "str", "unit": "", "description": "", "ucd": ""},
    {"name": "Teff", "type": "float", "unit": "K", "description": "T < 1 & 'hot'", "ucd": ""},
    {"name": "number", "type": "int", "unit": "", "description": "", "ucd": "meta.number"},
    {"name": "is it", "type": "bool", "unit": "", "description": "", "ucd": ""},
]
ROW = st.fixed_dictionaries(
    {
        "object_id": TEXTS,
        "ra": st.one_of(st.none(), st.floats(0, 360)),
        "dec": st.one_of(st.none(), st.floats(-90, 90)),
        "row": st.one_of(st.just(0), st.just(39627834455786901)),
        "snr": st.one_of(st.none(), st.floats(0, 1e5)),
        "own": st.fixed_dictionaries(
            {name: st.one_of(st.none(), values) for name, values in OWN.items()}
        ),
    }
)
OPINION = st.builds(
    Opinion,
    verdict=st.sampled_from([*Verdict, None]),
    confidence=st.one_of(st.none(), st.integers(0, 4)),
    flags=st.lists(TEXTS.filter(bool), max_size=3).map(tuple),
    comment=TEXTS,
)


@contextmanager
def judged(rows, opinions):
    """A session and its folder, for each example of hypothesis."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with listed(folder / "a.speco3", rows, DECLARED) as session:
            for number, opinion in enumerate(opinions[: len(rows)], 1):
                session.record_verdict(number, opinion, seconds=1.5)
            yield session, folder


def expected(session, numbers):
    """The catalogue by way of what the session itself hands out."""
    rows = []
    for number in numbers:
        candidate, judgement = session.candidate(number), session.judgement(number)
        row = {name: getattr(candidate, name) for name in ("object_id", "ra", "dec", "path", "row")}
        spent = [line.seconds for line in session.history(number) if line.seconds is not None]
        opinion = Opinion() if judgement is None else judgement.opinion
        row |= {
            "verdict": opinion.verdict and str(opinion.verdict),
            "confidence": opinion.confidence,
            "flags": list(opinion.flags),
            "comment": opinion.comment,
            "reviewer": None if judgement is None else judgement.reviewer,
            "decided_at": judgement.at.replace("+00:00", "Z") if opinion.verdict else None,
            "seconds_spent": round(sum(spent), 3) if spent else None,
            "agent_verdict": candidate.agent_verdict,
            "agent_p_yes": candidate.agent_p_yes,
            "agent_model": candidate.agent_model,
            "agent_stopped_by": candidate.agent_stopped_by,
            "agent_seen_before": False,
        }
        rows.append(row | {"snr": candidate.snr} | dict(candidate.own))
    return rows


def flags_of(text):
    """Back from one cell."""
    parts = (text or "").split(";")
    return [part.replace("%3B", ";").replace("%25", "%") for part in parts if part]


def check(found, wanted, fits_names=False):
    for name in wanted[0] if wanted else ():
        called = name.replace(" ", "_") if fits_names else name
        if called not in found:  # nobody has a signal to noise
            assert name == "snr" and all(row[name] is None for row in wanted)
            continue
        cells = found[called]
        assert len(cells) == len(wanted)
        for cell, row in zip(cells, wanted, strict=True):
            given = row[name]
            if name == "flags":
                assert flags_of(cell) == given
            elif isinstance(given, float) and math.isnan(given):
                assert cell is None or math.isnan(cell), name
            else:
                assert same(given, cell), (name, given, cell)


@settings(max_examples=examples(25))
@given(rows=st.lists(ROW, max_size=6), opinions=st.lists(OPINION, max_size=6))
@pytest.mark.parametrize("suffix", TYPED)
def test_what_goes_in_comes_out(suffix, rows, opinions):
    with judged(rows, opinions) as (session, folder):
        out = folder / f"out.{suffix}"
        assert export(session, out, which="all").rows == len(rows)
        wanted = expected(session, range(1, len(rows) + 1))
        found = read_back(out)
        assert list(found)[: len(CONTRACT)] == CONTRACT
        if suffix == "fits" and any(row["is it"] is None for row in wanted):
            numbers = {None: None, True: 1, False: 0}  # where a truth value may be missing
            wanted = [row | {"is it": numbers[row["is it"]]} for row in wanted]
        check(found, wanted, fits_names=suffix == "fits")


@settings(max_examples=examples(40))
@given(rows=st.lists(ROW, max_size=6), opinions=st.lists(OPINION, max_size=6))
def test_what_goes_into_csv_comes_out(rows, opinions):
    with judged(rows, opinions) as (session, folder):
        export(session, folder / "out.csv", which="all")
        found = read_csv(folder / "out.csv")
        wanted = expected(session, range(1, len(rows) + 1))
        typed = {name: [csv_value(name, cell) for cell in cells] for name, cells in found.items()}
        check(typed, wanted)


def test_plain_astropy_reads_texts_that_begin_like_nan(file_location, tmp_path):
    own = {"words": "nano-eye", "Teff": 1.0, "number": 1, "is it": True}
    with listed(file_location, [{"own": own}], DECLARED) as session:
        export(session, tmp_path / "out.csv", which="all")
    assert Table.read(tmp_path / "out.csv")["words"][0] == "'nano-eye"
    assert read_csv(tmp_path / "out.csv")["words"] == ["nano-eye"]


def csv_value(name, text):
    if not text:
        return None
    if name in ("Teff", "snr", *REALS):
        return float(text)
    if name in ("row", "confidence", "number"):
        return int(text)
    return text == "True" if name in ("is it", "agent_seen_before") else text
