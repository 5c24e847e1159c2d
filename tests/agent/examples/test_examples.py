from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("pyarrow")

from agent.errors import WorkbenchError
from agent.examples.examples import (
    ROWS_PER_GROUP,
    Example,
    ExampleStore,
    column,
    count_examples,
    example,
    read_examples,
    write_examples,
)
from agent.spectra.spectrum import Spectrum
from agent.trajectory.trajectory import ModelRef, SpectrumRef, Trajectory


def spectrum(number: int, **more: object) -> Spectrum:
    rng = np.random.default_rng(number)
    wavelength = np.linspace(3700.0, 9000.0, 60 + number % 7)
    return Spectrum(
        wavelength=wavelength, flux=rng.normal(1.0, 0.1, wavelength.size),
        path=f"/some/where/spec-{number}.fits", ra=10.0 + number, dec=-5.0, snr=12.5,
        survey="LAMOST", simulated=True, **more,
    )  # fmt: skip


def made(number: int, **more: object) -> Example:
    task, answer = ("CV", "YES") if number % 2 else ("WD", "NO")
    return example(spectrum(number, **more), task=task, answer=answer, label="CV")


def same(one: Example, other: Example) -> bool:
    return (one.key, one.task, one.answer, one.label, one.sha256) == (
        other.key, other.task, other.answer, other.label, other.sha256,
    )  # fmt: skip


class TestRoundTrip:
    def test_keeps_numbers_and_names(self, tmp_path: Path):
        ivar = np.linspace(0.0, 9.0, 61)
        mask = np.arange(61) % 5 == 0
        one = made(1, ivar=ivar, mask=mask, z=0.25, resolution=1800.0, flux_unit="counts")
        write_examples(tmp_path / "set.parquet", [one])
        (back,) = read_examples(tmp_path / "set.parquet")
        assert same(one, back)
        assert back.spectrum.path == "spec-1.fits"
        assert back.spectrum.ivar is not None
        assert np.array_equal(back.spectrum.ivar, ivar.astype(np.float32))
        assert back.spectrum.mask is not None
        assert np.array_equal(back.spectrum.mask, mask)
        assert (back.spectrum.z, back.spectrum.resolution) == (0.25, 1800.0)
        assert back.spectrum.simulated

    def test_mixes_spectra_with_and_without_errors(self, tmp_path: Path):
        both = [made(0), made(7, ivar=np.ones(60)), made(2)]
        write_examples(tmp_path / "set.parquet", both)
        back = list(read_examples(tmp_path / "set.parquet"))
        assert [one.spectrum.ivar is None for one in back] == [True, False, True]
        assert all(map(same, both, back))

    def test_over_several_groups(self, tmp_path: Path):
        path = tmp_path / "set.parquet"
        number = ROWS_PER_GROUP + 10
        assert write_examples(path, (made(each) for each in range(number))) == number
        assert count_examples(path) == number
        tasks = [one.task for one in read_examples(path)]
        assert tasks.count("CV") == tasks.count("WD") == number // 2
        assert len(column(path, "key", "ra")) == number

    def test_same_examples_make_the_same_file(self, tmp_path: Path):
        for name in ("one", "two"):
            write_examples(tmp_path / name, (made(each) for each in range(5)))
        assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()

    def test_an_interrupted_write_leaves_the_old_file(self, tmp_path: Path):
        path = tmp_path / "set.parquet"
        write_examples(path, [made(1)])

        def broken():
            yield made(2)
            raise RuntimeError("stop")

        with pytest.raises(RuntimeError, match="stop"):
            write_examples(path, broken())
        assert [one.key for one in read_examples(path)] == [made(1).key]
        assert [each.name for each in tmp_path.iterdir()] == ["set.parquet"]


class TestStore:
    def test_finds_by_hash(self, tmp_path: Path):
        path = tmp_path / "set.parquet"
        all_of_them = [made(each) for each in range(ROWS_PER_GROUP + 3)]
        write_examples(path, all_of_them)
        store = ExampleStore([path])
        assert all(same(store[one.sha256], one) for one in all_of_them[::37])
        assert "0" * 64 not in store
        with pytest.raises(WorkbenchError, match="no spectrum with the hash"):
            store["0" * 64]

    def test_one_spectrum_asked_about_twice(self, tmp_path: Path):
        path = tmp_path / "set.parquet"
        both = [
            example(spectrum(1), task=task, answer=answer)  # type: ignore[arg-type]
            for task, answer in (("CV", "YES"), ("WD", "NO"))
        ]
        write_examples(path, both)
        store = ExampleStore([path])
        ref = SpectrumRef(sha256=both[0].sha256)
        same = {"spectrum": ref, "model": ModelRef(name="x"), "stopped_by": "answer"}
        records = [Trajectory(task=task, **same) for task in ("CV", "WD", "CS")]
        assert [store.of(record).answer for record in records[:2]] == ["YES", "NO"]
        with pytest.raises(WorkbenchError, match="no CS example"):
            store.of(records[2])


class TestRefusals:
    def test_other_files(self, tmp_path: Path):
        import pyarrow
        from pyarrow import parquet

        parquet.write_table(pyarrow.table({"a": [1]}), tmp_path / "other.parquet")
        with pytest.raises(WorkbenchError, match="not a set of examples"):
            list(read_examples(tmp_path / "other.parquet"))
        (tmp_path / "text").write_text("no parquet")
        with pytest.raises(WorkbenchError, match="cannot be read"):
            count_examples(tmp_path / "text")

    def test_damaged_ones(self, tmp_path: Path):
        path, draw = tmp_path / "set.parquet", np.random.default_rng(1)
        write_examples(path, map(made, range(20)))
        whole = path.read_bytes()
        for _ in range(60):
            spoilt = np.frombuffer(whole, np.uint8).copy()
            spoilt[draw.integers(4, spoilt.size - 8, 5)] = draw.integers(0, 256, 5)
            path.write_bytes(spoilt.tobytes())
            with suppress(WorkbenchError):
                list(read_examples(path))
                column(path, "key")
                ExampleStore([path])

    def test_changed_numbers(self, tmp_path: Path):
        from pyarrow import parquet

        path = tmp_path / "set.parquet"
        write_examples(path, [made(1)])
        table = parquet.read_table(path)
        at = table.schema.get_field_index("sha256")
        parquet.write_table(table.set_column(at, "sha256", [["0" * 64]]), path)
        with pytest.raises(WorkbenchError, match="does not match its hash"):
            list(read_examples(path))

    def test_an_answer_that_is_not_one(self, tmp_path: Path):
        path = tmp_path / "set.parquet"
        write_examples(path, [replace(made(1), answer="MAYBE")])  # type: ignore[arg-type]
        with pytest.raises(WorkbenchError, match="MAYBE"):
            list(read_examples(path))

    def test_an_unknown_column(self, tmp_path: Path):
        path = tmp_path / "set.parquet"
        write_examples(path, [made(1)])
        with pytest.raises(WorkbenchError, match="no text or number column 'flux'"):
            column(path, "flux")
