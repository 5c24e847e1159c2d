import csv
import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image
from transformers.models.qwen2_5_vl.modeling_qwen2_5_vl import (
    Qwen2_5_VisionTransformerPretrainedModel,
)

from agent.engines.families import Vision
from agent.engines.patches import patches
from agent.errors import WorkbenchError
from agent.spectra.spectrum import Spectrum
from tests.train.vision.conftest import SCHOOL, SMALL, same_weights
from train.models.small_model import CLIP_MEAN, CLIP_STD
from train.vision import probe
from train.vision import train_tower as school
from train.vision.grades import asked_features, measured_values
from train.vision.lessons import simulated
from train.vision.model import Answers, Eye, feature_places, loss_of, patch_rows
from train.vision.probe import (
    Watcher,
    f1_of,
    probe_set,
    reader,
    readings,
    real_spectra,
    simulated_spectra,
)
from train.vision.settings import SpeechSettings
from train.vision.train_text import new_model
from train.vision.train_tower import CURVE, eye_of_model, load_eye, new_eye, rate, teach


def test_the_rate_rises_and_then_falls() -> None:
    shares = [rate(step, step / 100, 10) for step in range(100)]
    assert shares[:10] == pytest.approx([0.1 * (step + 1) for step in range(10)])
    assert shares[10:] == sorted(shares[10:], reverse=True)
    assert 0.0 < shares[-1] < 0.05


def test_an_eye_learns_and_is_read_again(
    lessons: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    watched: list[Eye] = []

    def watch(eye: Eye) -> dict[str, float]:
        watched.append(eye)
        return {"real probe": 12.5}

    monkeypatch.setattr(school, "TOLD_EVERY", 16)
    eye = teach(lessons, tmp_path, SCHOOL, 1, watch=watch, tell=told.append)
    assert watched == [eye]
    assert same_weights(eye, load_eye(tmp_path, SCHOOL))
    entry = json.loads((tmp_path / CURVE).read_text(encoding="utf-8"))
    assert entry["real probe"] == 12.5
    assert entry["pictures"] == entry["step"] * SCHOOL.batch
    ranks = [float(line.split("rank ")[1].split(",")[0]) for line in told if "rank" in line]
    assert ranks[-1] < 0.9 * ranks[0]


def test_weights_of_another_shape_are_refused(lessons: list[Path], tmp_path: Path) -> None:
    teach(lessons, tmp_path, replace(SCHOOL, epochs=0.2), 1)
    with pytest.raises(WorkbenchError, match="no eye of this shape"):
        load_eye(tmp_path, replace(SCHOOL, layers=3))
    with pytest.raises(WorkbenchError, match="no eye of this shape"):
        load_eye(tmp_path / "missing", SCHOOL)


def test_an_eye_of_a_model_keeps_its_tower_while_its_heads_are_new(
    lessons: list[Path], tmp_path: Path
) -> None:
    speech = SpeechSettings(hidden_layers=1, ffn=96, heads=2)
    first = new_eye(SCHOOL)
    new_model(first, speech, SCHOOL, tmp_path / "model", 3)
    eye = eye_of_model(tmp_path / "model", SCHOOL)
    assert same_weights(first.tower, eye.tower)
    few, more = (replace(SCHOOL, epochs=0.2, warmup=warmup) for warmup in (99, 1))
    taught = teach(lessons, tmp_path / "few", few, 1, eye=eye, heads_first=True)
    assert same_weights(first.tower, taught.tower)
    again = eye_of_model(tmp_path / "model", SCHOOL)
    moved = teach(lessons, tmp_path / "more", more, 1, eye=again, heads_first=True)
    assert not same_weights(first.tower, moved.tower)
    with pytest.raises(WorkbenchError, match="no eye of this shape"):
        eye_of_model(tmp_path / "model", replace(SCHOOL, layers=3))


# Spectra that an eye is watched on, and how well it reads quantities.
ALPHA = asked_features().index("EW_H_alpha")


def test_f1_of_each_class_and_their_mean() -> None:
    truth = np.array(["CV", "CV", "WD", "A"])
    said = np.array(["CV", "WD", "WD", "CV"])
    scores = f1_of(truth, said, ("CV", "WD"))
    assert scores == pytest.approx({"CV": 50.0, "WD": 200 / 3, "macro": 0.5 * (50 + 200 / 3)})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three spectra as a labelled folder, one of them unreadable."""
    with (tmp_path / "MANIFEST.csv").open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(("file", "label"))
        for number, label in enumerate(("CV", "MG")):
            spectrum = simulated(label, SMALL, np.random.default_rng(number))
            table = np.column_stack([spectrum.wavelength, spectrum.flux])
            name = f"{label}.csv"
            np.savetxt(tmp_path / name, table, delimiter=",", header="wavelength,flux", comments="")
            rows.writerow((name, label))
        (tmp_path / "broken.csv").write_text("nothing", encoding="utf-8")
        rows.writerow(("broken.csv", "WD"))
    return tmp_path


def test_the_readable_spectra_of_a_folder_are_drawn(folder: Path) -> None:
    probes = probe_set(*real_spectra(folder))
    assert probes.labels.tolist() == ["CV", "MG"]
    assert probes.known[:, 0].all()
    assert (probes.pictures[probes.known] < 128).any(axis=(1, 2)).all()
    assert (probes.pictures[~probes.known] == 255).all()


def test_simulated_probes_hold_every_kind() -> None:
    probes = probe_set(*simulated_spectra(1, 3))
    assert len(set(probes.labels.tolist())) == len(probes)


def test_a_watcher_tells_both_sets_by_both_judges(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(probe, "WINDOWS", probe.WINDOWS[:2])  # all are drawn above
    scores = Watcher(folder, SCHOOL)(new_eye(SCHOOL))
    assert set(scores) == {"real probe", "real head", "simulated probe", "simulated head"}
    assert all(0.0 <= score <= 100.0 for score in scores.values())


@pytest.fixture(scope="module")
def spectra() -> list[Spectrum]:
    labels = ("CV", "WD", "A", "MG")
    return [simulated(labels[n % 4], SMALL, np.random.default_rng([5, n])) for n in range(12)]


def test_a_reader_that_knows_the_whole_and_is_blind_to_windows(
    spectra: list[Spectrum], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It looks at no picture, so none is drawn."""
    monkeypatch.setattr(probe, "picture", lambda *others: np.zeros((1, 1), dtype=np.uint8))
    truth = np.array([measured_values(each, 0.0) for each in spectra])
    blind = np.zeros(len(asked_features()))
    by_range = {each.range: row for each, row in zip(spectra, truth, strict=True)}

    def read(pictures, ranges):
        assert len(pictures) == len(ranges)
        return np.array([by_range.get(tuple(each), blind) for each in ranges])

    row = readings(read, spectra)[ALPHA]
    assert row.quantity == "EW_H_alpha" and row.spectra >= 10
    assert row.whole == pytest.approx(1.0) and math.isnan(row.window)


def test_an_eye_is_read_for_every_quantity(
    spectra: list[Spectrum], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(probe, "LEAST", 4)
    rows = readings(reader(new_eye(SCHOOL).eval()), spectra[:5])
    assert [row.quantity for row in rows] == list(asked_features())
    assert all(math.isnan(row.window) or abs(row.window) <= 1.0 for row in rows)
    assert not math.isnan(rows[ALPHA].window)


@pytest.fixture
def grey() -> torch.Tensor:
    return torch.from_numpy(np.random.default_rng(0).integers(0, 255, (2, 56, 84), dtype=np.uint8))


def test_rows_are_those_of_inspections(grey: torch.Tensor) -> None:
    rows, grid = patch_rows(grey)
    red, green, blue = CLIP_MEAN
    vision = Vision(patch=14, mean=(red, green, blue), std=(CLIP_STD[0], CLIP_STD[1], CLIP_STD[2]))
    for number, picture in enumerate(grey.numpy()):
        own = patches(Image.fromarray(np.repeat(picture[..., None], 3, axis=2)), vision)
        assert (1, *grid) == own.grid
        found = rows.reshape(2, -1, rows.shape[1])[number].numpy()
        assert found == pytest.approx(own.rows, abs=1e-5)


def test_tokens_are_those_of_transformers(grey: torch.Tensor) -> None:
    eye = Eye(SCHOOL, 3, 4).eval()
    tower = Qwen2_5_VisionTransformerPretrainedModel(eye.tower.config).train(False)
    tower.load_state_dict(eye.tower.state_dict())
    rows, (down, across) = patch_rows(grey)
    grid = torch.tensor([[1, down, across]] * len(grey))
    with torch.no_grad():
        expected = tower(rows, grid_thw=grid).pooler_output
        found = eye.tokens(grey).reshape(expected.shape)
    assert torch.allclose(found, expected, atol=1e-4)


def test_each_answer_depends_on_the_picture_and_on_the_place(grey: torch.Tensor) -> None:
    torch.manual_seed(1)
    eye = Eye(SCHOOL, 3, 4).eval()
    places = torch.rand(2, 3, 2)
    with torch.no_grad():
        ranks, errors, above, kinds, ends, _ = eye.answers(grey, places)
        blank = eye.answers(torch.full_like(grey, 255), places).ranks
        moved = eye.answers(grey, places + 0.3).ranks
    assert ranks.shape == errors.shape == above.shape[:2] == (2, 3)
    assert (kinds.shape, ends.shape) == ((2, 4), (2, 2))
    assert errors.min() > 0.0
    assert not torch.allclose(ranks, blank, atol=1e-4)
    assert not torch.allclose(ranks, moved, atol=1e-4)


def test_places_are_fractions_of_the_axis() -> None:
    features = torch.tensor([[6500.0, 6600.0], [100.0, 200.0]])
    places = feature_places(torch.tensor([[6000.0, 7000.0]]), features)
    assert places[0, 0].tolist() == pytest.approx([0.5, 0.6])
    assert places[0, 1].tolist() == pytest.approx([-0.5, -0.5])


def unlearned(pictures: int) -> Answers:
    ranks, kinds, ends, state = (torch.zeros(pictures, size) for size in (3, 4, 2, 5))
    return Answers(ranks, ranks + 0.5, torch.zeros(pictures, 3, 6), kinds, ends, state)


NO_BORDERS = torch.full((3, 6), torch.nan)


def test_a_window_counts_more_than_its_share_of_the_quantities() -> None:
    """Of 9 quantities of a whole spectrum and 1 of a window, the window has a quarter."""
    nine = torch.zeros(2, 9)
    above = torch.zeros(2, 9, 6)
    said = unlearned(2)._replace(ranks=nine, errors=nine + 1.0, above=above)
    ranks = torch.full((2, 9), torch.nan)
    ranks[0], ranks[1, 0] = 0.0, 1.0
    parts = loss_of(
        said, ranks, torch.zeros(9, 6), torch.tensor([-1, -1]), torch.zeros(2, 2), SCHOOL
    )[1]
    assert parts["rank"] == pytest.approx(0.95 / 4)


def test_errors_are_learned_from_what_is_wrong_and_cost_the_ranks_nothing() -> None:
    torch.manual_seed(2)
    eye = Eye(SCHOOL, 3, 4)
    pictures = torch.full((2, 56, 84), 255, dtype=torch.uint8)
    answers = eye.answers(pictures, torch.rand(2, 3, 2))
    answers.errors.sum().backward()
    assert eye.error[0].weight.grad is not None
    assert all(weight.grad is None for weight in eye.tower.parameters())
    near, far = (
        loss_of(
            unlearned(1)._replace(errors=torch.full((1, 3), error)),
            torch.full((1, 3), 0.1), NO_BORDERS, torch.tensor([-1]), torch.zeros(1, 2), SCHOOL,
        )[1]["error"]
        for error in (0.1, 0.9)
    )  # fmt: skip
    assert near < far


def test_unknown_answers_cost_nothing() -> None:
    said = unlearned(2)
    ranks = torch.tensor([[0.5, torch.nan, torch.nan], [torch.nan] * 3])
    total, parts = loss_of(
        said, ranks, NO_BORDERS, torch.tensor([1, -1]), torch.zeros(2, 2), SCHOOL
    )
    assert torch.isfinite(total)
    assert parts["rank"] == pytest.approx(0.45)  # |0.5| - beta / 2
    assert parts["axis"] == 0.0


def test_a_batch_of_which_nothing_is_known_still_has_a_loss() -> None:
    nothing = torch.full((1, 3), torch.nan)
    total, parts = loss_of(
        unlearned(1), nothing, NO_BORDERS, torch.tensor([-1]), torch.zeros(1, 2), SCHOOL
    )
    assert parts["rank"] == parts["kind"] == 0.0
    assert torch.isfinite(total)


def test_a_border_is_learned_where_a_quantity_has_one() -> None:
    said = unlearned(1)
    said.above.requires_grad_(True)
    borders = torch.tensor([[0.2, 0.8], [torch.nan] * 2, [0.0, torch.nan]])
    borders = torch.cat([borders, NO_BORDERS[:, 2:]], dim=1)
    ranks = torch.tensor([[0.5, 0.5, torch.nan]])
    total, _ = loss_of(said, ranks, borders, torch.tensor([-1]), torch.zeros(1, 2), SCHOOL)
    total.backward()
    # The first is above its lower border and below its upper one; of the others nothing is known.
    assert said.above.grad.sign().tolist() == [[[-1, 1, 0, 0, 0, 0], [0] * 6, [0] * 6]]
