from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("pyarrow")

import torch
from typer.testing import CliRunner

from agent.errors import WorkbenchError
from agent.spectra.spectrum import Spectrum
from train.baselines.augment import augmented
from train.baselines.fit import BaselineSettings, best_threshold, fit, split_held_out
from train.baselines.inputs import INPUTS, over_continuum
from train.baselines.networks import INPUT_OF, Kind, SectionTransformer, make_network
from train.baselines.specialist import CARD, grid_of, load_specialist, rows_of
from train.baselines.training import train_specialists
from train.cli import app
from train.evaluate.judges import JudgeSpec
from train.evaluate.judging import judge_set
from train.examples import example, write_examples

KINDS: tuple[Kind, ...] = ("plain-cnn", "branch-cnn", "section-transformer")
LINE = 6564.6


def spectrum(rng: np.random.Generator, has_line: bool, **more: object) -> Spectrum:
    wavelength = np.arange(3800.0, 9000.0, 2.0)
    flux = 10.0 * (wavelength / 6000.0) ** rng.normal(0.0, 1.0)
    if has_line:
        flux *= 1.0 + 3.0 * np.exp(-0.5 * ((wavelength - LINE) / 40.0) ** 2)
    flux *= 1.0 + rng.normal(0.0, 0.05, wavelength.size)
    return Spectrum(wavelength=wavelength, flux=flux, path="line.fits", **more)  # type: ignore[arg-type]


def lines(count: int, seed: int = 0) -> list[Spectrum]:
    """Every other one has a line."""
    rng = np.random.default_rng(seed)
    return [spectrum(rng, number % 2 == 0) for number in range(count)]


@pytest.fixture(scope="module")
def sets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sets") / "train.parquet"
    write_examples(
        path,
        (
            example(one, task="CV", answer="NO" if number % 2 else "YES")
            for number, one in enumerate(lines(64))
        ),
    )
    return path


EPOCHS: dict[Kind, int] = {"plain-cnn": 4, "branch-cnn": 1, "section-transformer": 10}


@pytest.fixture(scope="module")
def folder(sets: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    settings = BaselineSettings(
        kinds=("plain-cnn",), epochs=4, patience=6, batch=8, lr=2e-3, seeds=2
    )
    (folder,) = train_specialists([sets], tmp_path_factory.mktemp("out"), settings, seed=0)
    return folder


class TestInputs:
    @pytest.mark.parametrize("name", INPUTS)
    def test_the_unit_of_flux_does_not_matter(self, name: str):
        prepare, grid = INPUTS[name]
        one = lines(1)[0]
        scaled = Spectrum(wavelength=one.wavelength, flux=one.flux * 1e-17)
        row = prepare(one)
        assert row.shape == grid.shape
        assert row.dtype == np.float32
        np.testing.assert_allclose(row, prepare(scaled), atol=2e-3)

    @pytest.mark.parametrize("name", INPUTS)
    def test_nothing_good_gives_a_row_of_one_value(self, name: str):
        prepare, _ = INPUTS[name]
        wavelength = np.linspace(4000.0, 5000.0, 50)
        broken = Spectrum(wavelength=wavelength, flux=np.full(50, np.nan))
        assert np.ptp(prepare(broken)) == 0.0

    def test_the_line_stands_above_the_continuum(self):
        row = over_continuum(lines(1)[0])
        assert abs(float(INPUTS["over-continuum"][1][row.argmax()]) - LINE) < 90.0


class TestLearning:
    @pytest.mark.parametrize("kind", KINDS)
    def test_each_kind_learns_a_line(self, kind: Kind):
        rows = rows_of(kind, lines(64))
        answers = torch.tensor([1.0 - number % 2 for number in range(64)])
        settings = BaselineSettings(epochs=EPOCHS[kind], patience=10, batch=8, lr=2e-3)
        found = fit(kind, rows, answers, settings, seed=1)
        fresh = rows_of(kind, lines(20, seed=9))
        with torch.no_grad():
            said = found.network(fresh) > 0
        right = said == torch.tensor([number % 2 == 0 for number in range(20)])
        assert int(right.sum()) >= 18

    def test_the_same_seed_learns_the_same(self):
        kind: Kind = "plain-cnn"
        rows = rows_of(kind, lines(30))
        answers = torch.tensor([1.0 - number % 2 for number in range(30)])
        settings = BaselineSettings(epochs=1, batch=8)
        one, two = (fit(kind, rows, answers, settings, seed=4) for _ in range(2))
        assert torch.equal(one.logits, two.logits)

    def test_masked_sections_are_hidden_and_filled(self):
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(0)
            network = make_network("section-transformer", 1940)
        assert isinstance(network, SectionTransformer)
        rows = rows_of("section-transformer", lines(8))
        mask = network._mask(8, torch.Generator().manual_seed(0))
        assert 0.3 < mask.float().mean() < 0.4
        start = network.filling_loss(rows, torch.Generator().manual_seed(0)).item()
        optimizer = torch.optim.AdamW(network.parameters(), lr=2e-3)
        for step in range(20):
            loss = network.filling_loss(rows, torch.Generator().manual_seed(step))
            optimizer.zero_grad()
            torch.autograd.backward(loss)
            optimizer.step()
        assert network.filling_loss(rows, torch.Generator().manual_seed(0)).item() < 0.8 * start

    def test_what_is_held_out_is_never_learned(self):
        answers = torch.tensor([1.0, 0.0] * 20)
        learn, held = split_held_out(answers, 0.2, 3)
        assert not set(learn.tolist()) & set(held.tolist())
        assert sorted([*learn.tolist(), *held.tolist()]) == list(range(40))
        assert answers[held].mean() == 0.5

    def test_too_few_examples_are_refused(self):
        with pytest.raises(WorkbenchError, match="four examples"):
            split_held_out(torch.tensor([1.0, 0.0, 0.0, 0.0, 0.0]), 0.2, 0)

    def test_augmentation_keeps_rows_apart(self):
        rows = torch.zeros(3, 500)
        rows[1, 250] = 100.0
        changed = augmented(rows, torch.Generator().manual_seed(1))
        assert changed[0].abs().max() == 0.0
        assert abs(int(changed[1].argmax()) - 250) <= 5

    def test_threshold_by_hand(self):
        p_yes = np.array([0.9, 0.8, 0.7, 0.2])
        answers = np.array([True, False, True, False])
        assert best_threshold(p_yes, answers, odds=0.5) == pytest.approx(0.45)
        assert best_threshold(p_yes, answers, odds=50.0) == pytest.approx(0.85)


class TestSpecialists:
    def test_judges_what_it_was_trained_for(self, folder: Path, sets: Path, tmp_path: Path):
        spec = JudgeSpec(name="cnn", kind="specialist", source=str(folder))
        found = judge_set(spec, sets, tmp_path / "cnn.jsonl")
        assert sum(one.is_right for one in found) >= 60
        assert all(one.p_yes is not None for one in found)

    def test_reads_back_the_same(self, folder: Path):
        one, two = load_specialist(folder), load_specialist(folder)
        spectra = lines(6, seed=2)
        np.testing.assert_array_equal(one.p_yes("CV", spectra), two.p_yes("CV", spectra))
        with pytest.raises(WorkbenchError, match="not trained for WD; it knows CV"):
            one.p_yes("WD", spectra)

    def test_attribution_points_at_the_line_and_adds_up(self, folder: Path):
        specialist = load_specialist(folder)
        (one,) = lines(1, seed=5)
        wavelength, speaks = specialist.attribution("CV", one)
        near = np.abs(wavelength - LINE) < 90.0
        assert np.abs(speaks[near]).mean() > 2.0 * np.abs(speaks[~near]).mean()
        row = rows_of("plain-cnn", [one])
        flat = row.mean(dim=1, keepdim=True).expand_as(row)
        change = specialist.logits("CV", row) - specialist.logits("CV", flat)
        assert speaks.sum() == pytest.approx(float(change), rel=0.25)

    def test_faulty_folders_are_refused(self, folder: Path, tmp_path: Path):
        with pytest.raises(WorkbenchError, match="holds no specialist"):
            load_specialist(tmp_path)
        card = json.loads((folder / CARD).read_text())
        (tmp_path / CARD).write_text(json.dumps(card))
        with pytest.raises(WorkbenchError, match="cannot be loaded"):
            load_specialist(tmp_path)
        for change in ({"kind": "other"}, {"version": 99}, {"tasks": {"../x": {}}}):
            (tmp_path / CARD).write_text(json.dumps(card | change))
            with pytest.raises(WorkbenchError):
                load_specialist(tmp_path)

    def test_grids_are_as_long_as_the_inputs(self):
        assert all(grid_of(kind).size == INPUTS[INPUT_OF[kind]][1].size for kind in KINDS)


class TestCommand:
    def test_trains_and_goes_on(self, sets: Path, tmp_path: Path):
        arguments = ["baselines", str(sets), "--out", str(tmp_path), "--preset", "tiny"]
        quick = ["--set", "kinds=plain-cnn", "--set", "epochs=1"]
        first = CliRunner().invoke(app, [*arguments, *quick])
        assert first.exit_code == 0, first.output
        assert (tmp_path / "plain-cnn" / CARD).is_file()
        again = CliRunner().invoke(app, [*arguments, *quick])
        assert "was there already" in again.output
