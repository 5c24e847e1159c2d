import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

pytest.importorskip("torch")
pytest.importorskip("pyarrow")

import numpy as np
import torch

from agent.errors import WorkbenchError
from agent.examples.examples import example, write_examples
from agent.spectra.spectrum import Spectrum
from tests.night import BY_NIGHT
from tests.train.baselines.helpers import KINDS, LINE, lines
from train.baselines.fit import (
    BaselineSettings,
    NetworkKind,
    SectionTransformer,
    augment,
    best_threshold,
    fit,
    make_network,
    split_held_out,
)
from train.baselines.specialist import (
    CARD,
    INPUTS,
    grid_of,
    load_specialist,
    over_continuum,
    rows_of,
)
from train.baselines.training import examples_hash, read_rows
from train.cli import app
from train.evaluate.judges import JudgeSpec, judge_set


def test_a_spectrum_of_two_tasks_is_one_row(tmp_path: Path):
    first, second = lines(2)
    asked = [
        example(first, task="CV", answer="YES", key="a"),
        example(second, task="CV", answer="NO", key="b"),
        example(first, task="WD", answer="NO", key="c"),
    ]
    path = tmp_path / "two.parquet"
    write_examples(path, asked)
    rows, tasks = read_rows("plain-cnn", [path])
    assert rows.shape == (2, grid_of("plain-cnn").size)
    assert tasks["CV"].rows.tolist() == [0, 1] and tasks["CV"].answers.tolist() == [1.0, 0.0]
    assert tasks["WD"].rows.tolist() == [0] and tasks["WD"].answers.tolist() == [0.0]
    write_examples(tmp_path / "other.parquet", asked[:2])
    assert examples_hash([path]) != examples_hash([tmp_path / "other.parquet"])


def test_sets_without_examples_are_refused(tmp_path: Path):
    write_examples(tmp_path / "none.parquet", [])
    with pytest.raises(WorkbenchError, match="no examples to train on"):
        read_rows("plain-cnn", [tmp_path / "none.parquet"])


def test_trains_and_skips_finished_networks(sets: Path, tmp_path: Path):
    arguments = ["baselines", str(sets), "--out", str(tmp_path), "--preset", "tiny"]
    quick = ["--set", "kinds=plain-cnn", "--set", "epochs=1"]
    first = CliRunner().invoke(app, [*arguments, *quick])
    assert first.exit_code == 0, first.output
    assert (tmp_path / "plain-cnn" / CARD).is_file()
    again = CliRunner().invoke(app, [*arguments, *quick])
    assert "already trained" in again.output


BY_DAY: tuple[NetworkKind, ...] = ("branch-cnn",)
"""The plain one learns the same line in the fixture `folder`, and test_specialist.py asks it; the
transformer takes ten seconds."""
EPOCHS: dict[NetworkKind, int] = {"plain-cnn": 4, "branch-cnn": 1, "section-transformer": 10}


class TestLearning:
    @pytest.mark.parametrize("kind", KINDS if BY_NIGHT else BY_DAY)
    def test_each_kind_learns_a_line(self, kind: NetworkKind):
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
        kind: NetworkKind = "plain-cnn"
        rows = rows_of(kind, lines(16))
        answers = torch.tensor([1.0 - number % 2 for number in range(16)])
        settings = BaselineSettings(epochs=1, batch=8)
        one, two = (fit(kind, rows, answers, settings, seed=4) for _ in range(2))
        assert torch.equal(one.logits, two.logits)

    def test_held_out_rows_are_not_trained_on(self):
        answers = torch.tensor([1.0, 0.0] * 20)
        learn, held = split_held_out(answers, 0.2, 3)
        assert not set(learn.tolist()) & set(held.tolist())
        assert sorted([*learn.tolist(), *held.tolist()]) == list(range(40))
        assert answers[held].mean() == 0.5

    def test_too_few_examples_are_refused(self):
        with pytest.raises(WorkbenchError, match="four examples"):
            split_held_out(torch.tensor([1.0, 0.0, 0.0, 0.0, 0.0]), 0.2, 0)

    def test_threshold_by_hand(self):
        p_yes = np.array([0.9, 0.8, 0.7, 0.2])
        answers = np.array([True, False, True, False])
        assert best_threshold(p_yes, answers, odds=0.5) == pytest.approx(0.45)
        assert best_threshold(p_yes, answers, odds=50.0) == pytest.approx(0.85)


def test_augmentation_keeps_rows_apart():
    rows = torch.zeros(3, 500)
    rows[1, 250] = 100.0
    changed = augment(rows, torch.Generator().manual_seed(1))
    assert changed[0].abs().max() == 0.0
    assert abs(int(changed[1].argmax()) - 250) <= 5


def test_masked_sections_are_hidden_and_filled():
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        network = make_network("section-transformer", 1940)
    assert isinstance(network, SectionTransformer)
    rows = rows_of("section-transformer", lines(8))
    mask = network._mask(8, torch.Generator().manual_seed(0))
    assert 0.3 < mask.float().mean() < 0.4
    rows = rows[:4]
    start = network.filling_loss(rows, torch.Generator().manual_seed(0)).item()
    optimizer = torch.optim.AdamW(network.parameters(), lr=2e-3)
    for step in range(20):
        loss = network.filling_loss(rows, torch.Generator().manual_seed(step))
        optimizer.zero_grad()
        torch.autograd.backward(loss)
        optimizer.step()
    assert network.filling_loss(rows, torch.Generator().manual_seed(0)).item() < 0.8 * start


class TestSpecialists:
    def test_judges_what_it_was_trained_for(self, folder: Path, sets: Path, tmp_path: Path):
        spec = JudgeSpec(name="cnn", kind="specialist", source=str(folder))
        found = judge_set(spec, sets, tmp_path / "cnn.jsonl")
        assert len(found) == 48 and sum(one.is_right for one in found) >= 45
        assert all(one.p_yes is not None for one in found)

    def test_reads_back_the_same(self, folder: Path):
        one, two = load_specialist(folder), load_specialist(folder)
        spectra = lines(6, seed=2)
        np.testing.assert_array_equal(one.p_yes("CV", spectra), two.p_yes("CV", spectra))
        with pytest.raises(WorkbenchError, match="not trained for WD, only for CV"):
            one.p_yes("WD", spectra)

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
        assert abs(float(INPUTS["branch-cnn"][1][row.argmax()]) - LINE) < 90.0
