"""How much the eye sees: a linear probe on its output, and how well it reads each quantity."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from agent.rendering.style import EYE
from agent.spectra.spectrum import FloatArray, Spectrum, Window
from train.simulate.realism.library import Library
from train.simulate.sky import LABELS
from train.vision.grades import asked_features, feature_windows, measured_values
from train.vision.lessons import picture, simulated
from train.vision.model import Eye, feature_places
from train.vision.settings import LessonSettings, SchoolSettings

WINDOWS: tuple[Window | None, ...] = (
    None, (3700.0, 4400.0), (4200.0, 4900.0), (4700.0, 5400.0), (5200.0, 6000.0),
    (5800.0, 6600.0), (6300.0, 7000.0), (6800.0, 7600.0), (7400.0, 8200.0), (8000.0, 8800.0),
)  # fmt: skip
CLASSES = ("CV", "CS", "SS", "MG", "WD")
BATCH = 64
STRENGTH = 0.02  # inverse of the probe's ridge penalty


@dataclass(frozen=True, eq=False)
class ProbeSet:
    """Pictures of every spectrum in the fixed windows; `known` tells which could be drawn."""

    pictures: NDArray[np.uint8]
    ranges: FloatArray
    known: NDArray[np.bool_]
    labels: NDArray[np.str_]

    def __len__(self) -> int:
        return int(self.labels.size)


def real_spectra(folder: Path) -> tuple[list[Spectrum], list[str]]:
    """The labelled spectra of a folder with a MANIFEST.csv, and their labels."""
    spectra, labels = [], []
    for _, base, spectrum in Library(folder).readable():
        spectra.append(spectrum)
        labels.append(base.label)
    return spectra, labels


def simulated_spectra(per_kind: int, seed: int) -> tuple[list[Spectrum], list[str]]:
    """Simulated spectra of every kind, drawn without any real star, and their kinds."""
    labels = list(LABELS) * per_kind
    settings = LessonSettings()
    rngs = (np.random.default_rng([seed, number]) for number in range(len(labels)))
    spectra = [simulated(each, settings, rng) for each, rng in zip(labels, rngs, strict=True)]
    return spectra, labels


def probe_set(spectra: Sequence[Spectrum], labels: Sequence[str]) -> ProbeSet:
    size = (len(spectra), len(WINDOWS))
    pictures = np.full((*size, EYE.height, EYE.width), 255, np.uint8)
    ranges, known = np.ones((*size, 2)) * (4000.0, 7000.0), np.zeros(size, bool)
    for row, spectrum in enumerate(spectra):
        low, high = spectrum.range
        for column, window in enumerate(WINDOWS):
            part = (low, high) if window is None else (max(low, window[0]), min(high, window[1]))
            if part[1] - part[0] < 200.0:
                continue
            drawn = picture(spectrum, None if window is None else part, EYE)
            if drawn is not None:
                pictures[row, column], known[row, column] = drawn, True
                ranges[row, column] = part
    return ProbeSet(pictures, ranges, known, np.array(labels))


@torch.no_grad()
def seen(eye: Eye, probes: ProbeSet) -> tuple[FloatArray, FloatArray]:
    """States (n, windows, width) and log-probabilities of the kinds (n, windows, kinds)."""
    at = np.argwhere(probes.known)
    states, kinds = [], []
    device = next(eye.parameters()).device
    for start in range(0, len(at), BATCH):
        rows, columns = at[start : start + BATCH].T
        ranges = torch.from_numpy(probes.ranges[rows, columns]).float()
        places = feature_places(ranges, torch.from_numpy(feature_windows()).float())
        with torch.autocast(device.type, torch.bfloat16):
            pictures = torch.from_numpy(probes.pictures[rows, columns])
            answers = eye.answers(pictures.to(device), places.to(device))
        states.append(answers.state.float().cpu().numpy())
        kinds.append(answers.kinds.float().log_softmax(-1).cpu().numpy())
    shape = probes.known.shape
    all_states = np.zeros((*shape, states[0].shape[1]), np.float32)
    all_kinds = np.zeros((*shape, kinds[0].shape[1]), np.float32)
    all_states[probes.known] = np.concatenate(states)
    all_kinds[probes.known] = np.concatenate(kinds)
    return all_states, all_kinds


def f1_of(
    truth: NDArray[np.str_], said: NDArray[np.str_], classes: Sequence[str] = CLASSES
) -> dict[str, float]:
    """F1 of each class, per cent, and their mean under `macro`."""
    scores = {}
    for label in classes:
        hits = int(np.count_nonzero((truth == label) & (said == label)))
        wrong = int(np.count_nonzero((truth == label) != (said == label)))
        scores[label] = 200.0 * hits / max(2 * hits + wrong, 1)
    return {**scores, "macro": float(np.mean(list(scores.values())))}


def probe(
    eye: Eye, learned: ProbeSet, asked: Sequence[ProbeSet]
) -> list[dict[str, dict[str, float]]]:
    """F1 of the linear probe and of the eye's own head on each of the asked sets."""
    eye.eval()
    states, _ = seen(eye, learned)
    scaler = StandardScaler()
    model = LogisticRegression(C=STRENGTH, max_iter=300)
    model.fit(scaler.fit_transform(_flat(states, learned)), learned.labels)
    results = []
    for one in asked:
        states, kinds = seen(eye, one)
        said = model.predict(scaler.transform(_flat(states, one)))
        named = np.array(LABELS)[kinds.sum(axis=1).argmax(axis=1)]
        results.append({"probe": f1_of(one.labels, said), "head": f1_of(one.labels, named)})
    eye.train()
    return results


def _flat(states: FloatArray, probes: ProbeSet) -> FloatArray:
    return np.concatenate([states.reshape(len(probes), -1), probes.known], axis=1)


PROBE_SEED, TEST_SEED = 90_001, 90_002


class Watcher:
    """Probes an eye on the real spectra of a folder, and on simulated ones of another seed."""

    def __init__(self, folder: Path, settings: SchoolSettings) -> None:
        count = settings.probe_per_kind
        self._learned = probe_set(*simulated_spectra(count, PROBE_SEED))
        self._asked = {
            "real": probe_set(*real_spectra(folder)),
            "simulated": probe_set(*simulated_spectra(count, TEST_SEED)),
        }

    def __call__(self, eye: Eye) -> dict[str, float]:
        """Macro-F1, per cent, by set and judge."""
        results = probe(eye, self._learned, list(self._asked.values()))
        return {
            f"{name} {judge}": round(scores["macro"], 1)
            for name, judges in zip(self._asked, results, strict=True)
            for judge, scores in judges.items()
        }


AROUND_A = 350.0  # half width of a window, beyond the quantity's own range
LEAST = 10  # spectra below which a correlation says nothing
Read = Callable[[NDArray[np.uint8], FloatArray], FloatArray]
"""Ranks (n, features) of pictures and the ranges of their axes."""


@dataclass(frozen=True)
class QuantityReading:
    """Rank correlation of what the eye reads with what is measured; NaN where too few are known."""

    quantity: str
    whole: float
    window: float
    spectra: int


def readings(read: Read, spectra: Sequence[Spectrum]) -> list[QuantityReading]:
    """One row for each quantity, over spectra of stars at rest."""
    truth = np.array([measured_values(each, 0.0) for each in spectra])
    whole = _read_all(read, spectra, [each.range for each in spectra])
    rows = []
    for number, (low, high) in enumerate(feature_windows().tolist()):
        windows = [
            (max(each.range[0], low - AROUND_A), min(each.range[1], high + AROUND_A))
            for each in spectra
        ]
        is_in = [start < low and high < end for start, end in windows]
        known = np.isfinite(truth[:, number]) & is_in
        near = np.full(len(spectra), np.nan)
        at = np.flatnonzero(known).tolist()
        seen = _read_all(read, [spectra[each] for each in at], [windows[each] for each in at])
        near[at] = seen[:, number]
        of_whole = _correlation(truth[known, number], whole[known, number])
        of_window = _correlation(truth[known, number], near[known])
        name, count = asked_features()[number], int(known.sum())
        rows.append(QuantityReading(name, of_whole, of_window, count))
    return rows


def _read_all(read: Read, spectra: Sequence[Spectrum], windows: Sequence[Window]) -> FloatArray:
    """(spectra, features); NaN where a window holds nothing to draw."""
    found = np.full((len(spectra), len(asked_features())), np.nan)
    drawn = [picture(one, window, EYE) for one, window in zip(spectra, windows, strict=True)]
    at = [number for number, each in enumerate(drawn) if each is not None]
    for start in range(0, len(at), BATCH):
        rows = at[start : start + BATCH]
        pictures = np.stack([each for each in (drawn[row] for row in rows) if each is not None])
        found[rows] = read(pictures, np.array([windows[row] for row in rows]))
    return found


def _correlation(truth: FloatArray, said: FloatArray) -> float:
    from scipy.stats import spearmanr

    both = np.isfinite(truth) & np.isfinite(said)
    if both.sum() < LEAST or np.ptp(truth[both]) == 0.0 or np.ptp(said[both]) == 0.0:
        return float("nan")
    return float(spearmanr(truth[both], said[both]).statistic)


def reader(eye: Eye) -> Read:
    device = next(eye.parameters()).device
    windows = torch.from_numpy(feature_windows()).float()

    @torch.no_grad()
    def read(pictures: NDArray[np.uint8], ranges: FloatArray) -> FloatArray:
        places = feature_places(torch.from_numpy(ranges).float(), windows)
        answers = eye.answers(torch.from_numpy(pictures).to(device), places.to(device))
        return np.asarray(answers.ranks.float().cpu().numpy(), dtype=np.float64)

    return read
