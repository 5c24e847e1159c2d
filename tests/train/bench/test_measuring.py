import shutil
from collections import Counter
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.errors import WorkbenchError
from agent.spectra.spectrum import Spectrum
from app.core.importing.sky import unit_vectors
from tests.train.bench.conftest import Made
from tests.train.bench.helpers import ALL, places, simulated, small
from train.bench.archive import FileJob, ListedValues, open_archive
from train.bench.build import build
from train.bench.measuring import (
    SelectionRule,
    content_of,
    digest_of,
    facts_of_file,
    file_stamp,
    measure,
    merged,
)
from train.bench.settings import Size
from train.bench.sources import (
    best_of_each_object,
    catalogue_files,
    catalogued,
    faults_of,
    nearest_within,
    object_numbers,
    sources_of,
)
from train.bench.splits import TEST, TRAIN, Candidates, allocate, candidates_of, choose


def same(one, other) -> bool:
    """NaN equals NaN here."""
    return repr(one.to_pylist()) == repr(other.to_pylist())


class TestMeasuring:
    def copied(self, survey: Path, tmp_path: Path) -> Path:
        shutil.copytree(survey / "spectra", tmp_path / "spectra")
        return tmp_path / "spectra"

    def test_faulty_files_are_named_and_the_rest_goes_on(self, survey: Path, tmp_path: Path):
        folder = self.copied(survey, tmp_path)
        (folder / "broken.fits").write_bytes(b"SIMPLE  =" + bytes(4000))
        (folder / "note.txt").write_text("not a spectrum")
        jobs = open_archive([folder]).jobs
        table = measure(jobs, ALL, tmp_path / "measured")
        faults = {Path(str(each["file"])).name for each in faults_of(table)}
        assert faults == {"broken.fits", "note.txt"}
        assert len(sources_of(jobs, table)) == 12

    def test_goes_on_where_it_stopped(self, survey: Path, tmp_path: Path, monkeypatch):
        folder = self.copied(survey, tmp_path)
        jobs = open_archive([folder]).jobs
        monkeypatch.setattr("train.bench.measuring.ROWS_PER_PART", 1)
        calls: list[str] = []

        def failing(rule: SelectionRule, job):
            if len(calls) == 2:
                raise KeyboardInterrupt
            calls.append(job.path)
            return facts_of_file(rule, job)

        monkeypatch.setattr("train.bench.measuring.facts_of_file", failing)
        with pytest.raises(KeyboardInterrupt):
            measure(jobs, ALL, tmp_path / "measured")
        done = list(calls)

        def noting(rule: SelectionRule, job):
            calls.append(job.path)
            return facts_of_file(rule, job)

        monkeypatch.setattr("train.bench.measuring.facts_of_file", noting)
        table = measure(jobs, ALL, tmp_path / "measured")
        assert len(done) == 2 and calls == [job.path for job in jobs]
        assert same(table, measure(jobs, ALL, tmp_path / "other"))

    def test_a_file_that_changed_is_read_again(self, survey: Path, tmp_path: Path):
        folder = self.copied(survey, tmp_path)
        jobs = open_archive([folder]).jobs
        before = sources_of(jobs, measure(jobs, ALL, tmp_path / "measured"))
        first, second = sorted(folder.rglob("spec-*"))[:2]
        shutil.copy(second, first)
        after = sources_of(jobs, measure(jobs, ALL, tmp_path / "measured"))
        assert len(before) == len(after)
        assert np.count_nonzero(before.content != after.content) == 1
        assert len(set(after.object.tolist())) == len(set(before.object.tolist())) - 1

    def test_more_is_measured_when_more_is_wanted(self, survey: Path, tmp_path: Path):
        jobs = open_archive([survey / "spectra"]).jobs
        few = sources_of(jobs, measure(jobs, SelectionRule("DESI", 0.0), tmp_path / "measured"))
        all_ = sources_of(jobs, measure(jobs, ALL, tmp_path / "measured"))
        assert set(few.survey[few.is_measured]) == {"DESI"}
        assert all_.is_measured.all()
        assert np.isfinite(all_.numbers).mean() > 0.5

    def test_parts_that_are_cut_off_are_made_anew(self, survey: Path, tmp_path: Path):
        jobs = open_archive([survey / "spectra"]).jobs
        whole = measure(jobs, ALL, tmp_path / "measured")
        (part,) = (tmp_path / "measured").glob("part-*.parquet")
        part.write_bytes(part.read_bytes()[:500])
        assert same(measure(jobs, ALL, tmp_path / "measured"), whole)

    @pytest.mark.usefixtures("forked_workers")
    def test_two_workers_measure_the_same(self, survey: Path, tmp_path: Path):
        jobs = open_archive([survey]).jobs
        alone = measure(jobs, ALL, tmp_path / "one")
        assert same(measure(jobs, ALL, tmp_path / "two", workers=2), alone)


def spectrum(**values: object) -> Spectrum:
    wavelength = np.arange(4000.0, 5000.0)
    return Spectrum(wavelength=wavelength, flux=np.ones(1000), **values)  # type: ignore[arg-type]


def test_a_list_adds_only_what_the_file_does_not_state():
    stated = ListedValues(object_id="listed", ra=10.0, dec=2.0, snr=30.0, z=0.1, survey="BOSS")
    seen = merged(spectrum(ra=5.0, object_id="own", z=0.2), stated)
    assert (seen.object_id, seen.z, seen.snr) == ("own", 0.2, 30.0)
    # Without a declination the position of the file is not usable.
    assert (seen.ra, seen.dec) == (10.0, 2.0)
    assert seen.survey == "SDSS"


def test_equal_fluxes_have_equal_content_in_any_format():
    one = spectrum()
    assert content_of(one) == content_of(replace(one, format="other", path="x"))
    assert content_of(one) != content_of(replace(one, flux=one.flux * 2))


def test_a_stamp_and_a_digest_change_with_file_and_list(tmp_path: Path):
    path = tmp_path / "a.txt"
    assert file_stamp(str(path)) == (0, 0)
    path.write_text("1 2")
    assert file_stamp(str(path))[0] == 3
    one, same, other = (digest_of(ListedValues(**own)) for own in ({"ra": 1.0}, {"ra": 1.0}, {}))
    assert one == same != other


def test_only_spectra_of_the_rule_are_measured(survey: Path):
    rule, jobs = SelectionRule("DESI", 0.0), open_archive([survey / "spectra"]).jobs
    facts = [each for job in jobs for each in facts_of_file(rule, job)]
    assert {each["survey"] for each in facts if each["numbers"] is not None} == {"DESI"}
    assert {each["survey"] for each in facts} == {"DESI", "LAMOST"}


def test_rows_that_a_file_does_not_have_are_faults(survey: Path, tmp_path: Path):
    shutil.copy(next((survey / "spectra").rglob("spec-*")), tmp_path / "one.fits.gz")
    job = FileJob(str(tmp_path / "one.fits.gz"), (-1, 7), (ListedValues(), ListedValues()))
    assert all(each["fault"] for each in facts_of_file(ALL, job))
    refused = replace(job, refusal="outside")
    assert [each["fault"] for each in facts_of_file(ALL, refused)] == ["outside", "outside"]


def test_arrays_take_place_and_survey_from_the_list(tmp_path: Path):
    folder = simulated(tmp_path / "arrays", "BOSS", seed=1, count=3)
    (job,) = open_archive([folder]).jobs
    seen = facts_of_file(ALL, job)
    assert [each["survey"] for each in seen] == ["SDSS"] * 3
    assert all(0 <= each["ra"] < 360 for each in seen)


ARCSEC = 1 / 3600


def test_columns_are_of_the_readable_spectra(survey: Path, tmp_path: Path):
    (tmp_path / "broken.fits").write_bytes(b"nothing")
    jobs = open_archive([survey, tmp_path]).jobs
    table = measure(jobs, ALL, tmp_path / "measured")
    (fault,) = faults_of(table)
    assert Path(str(fault["file"])).name == "broken.fits" and fault["fault"]
    sources = sources_of(jobs, table)
    assert len(sources) == 12 and sources.knows_truth and sources.is_measured.all()
    for job, row, label in zip(sources.job, sources.row, sources.label, strict=True):
        stated = dict(zip(jobs[job].rows, jobs[job].stated, strict=True))
        assert stated[row].label == label


def test_the_best_spectrum_of_each_object_is_chosen(made: Made):
    sources = made.bench.sources
    best = best_of_each_object(sources, SelectionRule("", 10.0))
    assert set(sources.survey[best]) == {"LAMOST"}
    assert best.tolist() == sorted(best.tolist())
    for index in best:
        same = (sources.object == sources.object[index]) & sources.is_measured
        assert sources.snr[index] == sources.snr[same].max() > 10
    assert len(set(sources.object[best].tolist())) == best.size
    bright = best_of_each_object(sources, SelectionRule("LAMOST", 40.0))
    assert 0 < bright.size < best.size and (sources.snr[bright] > 40).all()
    assert not np.isnan(sources.numbers[bright]).all(axis=1).any()


def numbers(ra, dec, content=None, names=None):
    content = np.arange(len(ra)) if content is None else np.array(content)
    names = [""] * len(ra) if names is None else names
    return object_numbers(np.array(ra, float), np.array(dec, float), content, names).tolist()


def test_friends_of_friends_are_one_object():
    found = numbers([10, 10, 10, 10], [0, 2 * ARCSEC, 4 * ARCSEC, 8 * ARCSEC])
    assert found[0] == found[1] == found[2] != found[3]


def test_the_limit_is_three_arcsec_at_any_declination_and_across_zero():
    for dec in (0.0, 60.0, 89.0):
        step = ARCSEC / np.cos(np.radians(dec))
        one, other = numbers([360 - step, step, 5], [dec, dec, dec])[:2]
        assert one == other
        one, other = numbers([360 - 1.6 * step, 1.6 * step, 5], [dec, dec, dec])[:2]
        assert one != other


def test_the_same_content_is_the_same_object_wherever_it_is():
    found = numbers([1, 100, 200], [0, 0, 0], content=[7, 8, 7])
    assert found[0] == found[2] != found[1]


def test_names_count_only_where_no_place_is_known():
    nan = float("nan")
    found = numbers([1, nan, nan, nan, 50], [0, nan, nan, nan, 0], names=["a", "a", "b", "b", "a"])
    assert found[2] == found[3]
    assert len({found[0], found[1], found[4]}) == 3


def test_many_at_one_place_are_one_object_at_once():
    assert set(numbers([0.0] * 100_000, [0.0] * 100_000)) == {0}


def test_places_that_are_all_alike_are_refused():
    rng = np.random.default_rng(1)
    with pytest.raises(WorkbenchError, match="in degrees"):
        numbers(rng.uniform(0, 1e-6, 10_000), np.zeros(10_000))


def test_agrees_with_every_pair_compared():
    ra, dec = places(200)
    ra = np.concatenate([ra, ra[:50] + 2.0 * ARCSEC])
    dec = np.concatenate([dec, dec[:50]])
    found = np.array(numbers(ra, dec))
    there = unit_vectors(ra, dec)
    near = np.linalg.norm(there[:, None] - there[None], axis=2) < np.radians(3 * ARCSEC)
    assert ((found[:, None] == found[None]) == near).all()


def test_a_catalogue_matches_what_lies_near():
    of = unit_vectors(np.array([10.0]), np.array([20.0]))
    ra = np.array([10.0, 10.0, np.nan])
    dec = np.array([20.0 + 2.9 * ARCSEC, 20.0 + 3.1 * ARCSEC, np.nan])
    assert nearest_within(ra, dec, of).tolist() == [True, False, False]
    assert nearest_within(ra, dec, of[:0]).tolist() == [False] * 3


def test_members_are_found_by_place_or_by_name(made: Made, tmp_path: Path):
    sources = made.bench.sources
    ra, dec = float(sources.ra[0]), float(sources.dec[0])
    (tmp_path / "a.csv").write_text(f"_RA,DEJ2000\n{ra},{dec + 2 / 3600}\n12.0,nan\n")
    (tmp_path / "b.csv").write_text(f"designation\n{sources.object_id[5]}\n")
    files = catalogue_files([f"CV={tmp_path / 'a.csv'}", f"cv={tmp_path / 'b.csv'}"])
    found = catalogued(sources, ["CV"], files, 0.0, 0)["CV"]
    objects = {int(sources.object[0]), int(sources.object[5])}
    assert set(sources.object[found].tolist()) == objects
    assert found.sum() == sum(int(each) in objects for each in sources.object)


def test_a_part_of_the_members_is_missing_from_a_simulated_catalogue(made: Made):
    sources = made.bench.sources
    is_true = sources.label == "CV"
    all_ = catalogued(sources, ["CV"], {}, 0.0, 1)["CV"]
    assert (all_ == is_true).all()
    most = catalogued(sources, ["CV"], {}, 0.4, 1)["CV"]
    assert 0.4 < most.sum() / is_true.sum() < 0.8 and not (most & ~is_true).any()
    assert set(sources.object[most]).isdisjoint(sources.object[is_true & ~most])
    assert (catalogued(sources, ["CV"], {}, 0.4, 1)["CV"] == most).all()


@pytest.mark.parametrize("text", ["CV", "CV=", "CV=/no/such/file.csv", "XX=/etc/hostname"])
def test_what_is_no_catalogue_is_refused(text: str):
    with pytest.raises(WorkbenchError):
        catalogue_files([text])


def test_a_list_of_strangers_makes_sets_without_truth(made: Made, tmp_path: Path):
    """Catalogues from files and spectra from lists, as with a real survey."""
    sources = made.bench.sources
    places = np.column_stack([sources.ra, sources.dec])
    texts = []
    for task in ("CV", "CS", "WD"):
        its = places[sources.label == task]
        np.savetxt(tmp_path / f"{task}.csv", its, delimiter=",", header="ra,dec", comments="")
        texts.append(f"{task}={tmp_path / task}.csv")
    archives = []
    for each in made.archives[:1]:
        folder = tmp_path / each.name
        folder.mkdir()
        for path in each.glob("*.npz"):
            (folder / path.name).write_bytes(path.read_bytes())
        (folder / "candidates.csv").write_bytes((each / "candidates.csv").read_bytes())
        archives.append(folder / "candidates.csv")
    bench = build(tmp_path / "out", archives, small(), catalogues=catalogue_files(texts))
    assert not bench.simulated and not bench.sources.knows_truth
    assert all(found.members_accepted is None for found in bench.tasks.values())
    assert {row.answer for row in bench.files["test"]} == {"YES", "NO"}


def test_without_any_catalogue_the_first_missing_one_is_named(made: Made, tmp_path: Path):
    (folder,) = made.archives[:1]
    (tmp_path / "list.csv").write_text("file\n" + "\n".join(p.name for p in folder.glob("*.npz")))
    with pytest.raises(WorkbenchError, match="--catalogue CV=FILE"):
        build(tmp_path, [tmp_path / "list.csv"], small(), catalogues={}, spectra_folder=folder)


COUNT = 400


def sources() -> SimpleNamespace:
    return SimpleNamespace(object=np.arange(COUNT))


def candidates(rng: np.random.Generator, positives: int, negatives: int) -> Candidates:
    order = rng.permutation(COUNT)
    return Candidates(order[:positives], order[positives : positives + negatives], negatives)


@given(
    st.lists(st.tuples(st.integers(0, 150), st.integers(0, 250)), min_size=1, max_size=5),
    st.integers(0, 1000),
)
def test_no_object_goes_to_two_splits_whatever_the_tasks(counts, seed):
    rng = np.random.default_rng(seed)
    assigned, rows = {}, []
    size = Size((20, 25), (10, 50))
    for number, (positives, negatives) in enumerate(counts):
        own = candidates(rng, positives, negatives)
        made = choose(str(number), size, own, sources(), assigned, rng)
        rows += made
        assert len({(row.source, row.task) for row in made}) == len(made)
        assert sum(row.split == TEST and row.answer == "YES" for row in made) <= 10
    train = {row.source for row in rows if row.split == TRAIN}
    assert not train & {row.source for row in rows if row.split == TEST}


def test_negatives_keep_their_odds_where_positives_are_few():
    rng = np.random.default_rng(1)
    rows = choose("CV", Size((40, 40), (20, 100)), candidates(rng, 30, 300), sources(), {}, rng)
    count = Counter((row.split, row.answer) for row in rows)
    assert count == {(TRAIN, "YES"): 20, (TRAIN, "NO"): 20, (TEST, "YES"): 10, (TEST, "NO"): 50}


def test_too_few_are_shared_out_in_the_odds_of_the_splits():
    assert allocate(500, (100, 300)) == (100, 300)
    assert allocate(40, (100, 300)) == (10, 30)
    assert allocate(0, (0, 0)) == (0, 0)


def test_filling_up_takes_the_next_highest_p():
    pool = np.arange(6)
    p = np.array([0.9, 0.1, 0.7, 0.85, 0.5, 0.95])
    no = np.zeros(6, dtype=bool)
    known = np.array([False, False, False, False, False, True])
    args = (pool, p, no, known, no)
    rng = np.random.default_rng(0)
    found = candidates_of(*args, small(fill=True), rng)
    assert set(found.negatives[: found.accepted]) == {0, 3}
    assert found.negatives[found.accepted :].tolist() == [2, 4, 1]
    assert set(candidates_of(*args, small(fill=False), rng).negatives) == {0, 3}
