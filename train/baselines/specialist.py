"""Trained specialist networks: saving, loading and probabilities."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast, get_args

import numpy as np
from numpy.typing import NDArray

from agent.confidence.judged import sigmoid
from agent.errors import WorkbenchError
from agent.spectra.measure.continuum import pseudo_continuum
from agent.spectra.spectrum import FloatArray, Spectrum

if TYPE_CHECKING:
    from torch import Tensor, nn

    from train.baselines.fit import NetworkKind

CARD = "specialist.json"
VERSION = 1
MAX_CARD = 1_000_000
Row = NDArray[np.float32]

# LAMOST's log grid from 3700 Å, with the length that published networks of this kind use.
LOG_START, LOG_STEP, LOG_PIXELS = 3.5682, 1e-4, 3700
LOG_GRID: FloatArray = np.power(10.0, LOG_START + LOG_STEP * np.arange(LOG_PIXELS))
LINEAR_GRID: FloatArray = np.linspace(3900.0, 9000.0, 3000)
COARSE_GRID: FloatArray = np.power(10.0, np.log10(3700.0) + 2e-4 * np.arange(1940))
"""To about 9040 Å with twice the step: 193 sections of 20 pixels, 10 pixels apart."""
CLIP = 1.0
SPREAD_FLOOR = 0.2


@dataclass(frozen=True, kw_only=True)
class Head:
    """Threshold and calibration of one task's networks."""

    threshold: float  # threshold of the calibrated probability, chosen on held-out training objects
    slope: float
    intercept: float
    networks: int
    held_out_f1: float
    epochs: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Specialist:
    """Networks of one kind, one or more per task; `p_yes` is calibrated for even odds."""

    kind: NetworkKind
    heads: Mapping[str, Head]
    networks: Mapping[str, Sequence[nn.Module]]

    def threshold(self, task: str) -> float:
        return self._head(task).threshold

    def p_yes(self, task: str, spectra: Sequence[Spectrum]) -> NDArray[np.float64]:
        """By the mean logits of the task's networks."""
        import torch

        from train.baselines.fit import predict

        head = self._head(task)
        rows = rows_of(self.kind, spectra)
        logits = torch.stack([predict(one, rows) for one in self.networks[task]]).mean(dim=0)
        return sigmoid(head.slope * logits.double().numpy() + head.intercept)

    def _head(self, task: str) -> Head:
        if task not in self.heads:
            known = ", ".join(self.heads)
            raise WorkbenchError(f"this {self.kind} was not trained for {task}, only for {known}")
        return self.heads[task]


def rows_of(kind: NetworkKind, spectra: Sequence[Spectrum]) -> Tensor:
    import torch

    prepare, _ = INPUTS[kind]
    return torch.from_numpy(np.stack([prepare(spectrum) for spectrum in spectra]))


def grid_of(kind: NetworkKind) -> FloatArray:
    """Wavelengths of a network's input, in angstrom and vacuum."""
    return INPUTS[kind][1]


def save_specialist(folder: Path, specialist: Specialist, about: Mapping[str, Any]) -> None:
    """Save weights as safetensors and the rest as JSON; `about` describes the training."""
    from safetensors.torch import save_file

    folder.mkdir(parents=True, exist_ok=True)
    for task, networks in specialist.networks.items():
        for number, network in enumerate(networks):
            weights = {name: value.contiguous() for name, value in network.state_dict().items()}
            save_file(weights, folder / f"{task}-{number}.safetensors")
    card = {
        "version": VERSION,
        "kind": specialist.kind,
        "tasks": {task: asdict(head) for task, head in specialist.heads.items()},
        "about": dict(about),
    }
    (folder / CARD).write_text(json.dumps(card, indent=1) + "\n", encoding="utf-8")


def load_specialist(folder: Path) -> Specialist:
    """Load a specialist without running any code of the folder; raises WorkbenchError."""
    import torch
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    from train.baselines.fit import make_network

    kind, heads = _read_heads(folder)
    networks: dict[str, list[torch.nn.Module]] = {task: [] for task in heads}
    for task, head in heads.items():
        for number in range(head.networks):
            network = make_network(kind, len(grid_of(kind)))
            path = folder / f"{task}-{number}.safetensors"
            try:
                network.load_state_dict(load_file(path))
            except (OSError, SafetensorError, RuntimeError) as error:
                reason = " ".join(str(error).split())[:200]
                raise WorkbenchError(f"{path} cannot be loaded: {reason}") from error
            network.train(False)
            networks[task].append(network)
    return Specialist(kind, heads, networks)


def tasks_of(folder: Path) -> tuple[str, ...]:
    """The tasks it was trained for, read from its card only."""
    return tuple(_read_heads(folder)[1])


def _read_heads(folder: Path) -> tuple[NetworkKind, dict[str, Head]]:
    from train.baselines.fit import NetworkKind

    card = _card(folder)
    kind = card.get("kind")
    if kind not in get_args(NetworkKind) or not isinstance(card.get("tasks"), dict):
        raise WorkbenchError(f"{folder / CARD} describes an unknown kind of specialist")
    heads = {task: _head(folder, task, record) for task, record in card["tasks"].items()}
    return cast("NetworkKind", kind), heads


def _card(folder: Path) -> dict[str, Any]:
    path = folder / CARD
    try:
        if path.stat().st_size > MAX_CARD:
            raise WorkbenchError(f"{path} is too large for a card")
        card = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise WorkbenchError(f"{folder} holds no specialist: {path.name}: {error}") from error
    if not isinstance(card, dict) or card.get("version") != VERSION:
        raise WorkbenchError(f"{path} does not have version {VERSION}")
    return card


def _head(folder: Path, task: object, record: object) -> Head:
    try:
        assert isinstance(task, str)
        assert task.isalnum()
        assert isinstance(record, dict)
        head = Head(
            threshold=float(record["threshold"]),
            slope=float(record["slope"]),
            intercept=float(record["intercept"]),
            networks=int(record["networks"]),
            held_out_f1=float(record["held_out_f1"]),
            epochs=tuple(int(epoch) for epoch in record["epochs"]),
        )
        assert 0.0 <= head.threshold <= 1.0
        assert 1 <= head.networks <= 100
    except (AssertionError, KeyError, TypeError, ValueError, OverflowError) as error:
        raise WorkbenchError(f"{folder / CARD}: the task {str(task)[:40]!r} is damaged") from error
    return head


# The input of each network: its wavelength grid and its normalisation. Bad pixels are
# interpolated, and the end values are repeated beyond the spectrum. No network gets a redshift or
# errors.
def on_grid(spectrum: Spectrum, grid: FloatArray) -> FloatArray:
    """Flux on a grid with bad pixels interpolated; zeros if there are no good pixels."""
    good = spectrum.good
    if np.count_nonzero(good) < 2:
        return np.zeros_like(grid)
    return np.interp(grid, spectrum.wavelength[good], spectrum.flux[good])


def minimum_to_maximum(spectrum: Spectrum) -> Row:
    """Flux on the log grid, scaled to 0 to 1."""
    flux = on_grid(spectrum, LOG_GRID)
    # Without this clipping one cosmic ray would flatten the rest.
    low, high = np.quantile(flux, [1e-4, 1.0 - 1e-4])
    if not high > low:
        return np.zeros(flux.size, dtype=np.float32)
    return np.asarray((np.clip(flux, low, high) - low) / (high - low), dtype=np.float32)


def over_continuum(spectrum: Spectrum) -> Row:
    """Flux over continuum minus 1 on the linear grid, clipped to -1 to 1."""
    continuum = pseudo_continuum(spectrum)
    level = float(np.nanmedian(continuum)) if np.isfinite(continuum).any() else 0.0
    if not level > 0:
        return np.zeros(LINEAR_GRID.size, dtype=np.float32)
    flux = on_grid(spectrum, LINEAR_GRID)
    below = np.interp(LINEAR_GRID, spectrum.wavelength, np.nan_to_num(continuum, nan=level))
    ratio = flux / np.maximum(below, 0.05 * level) - 1.0
    return np.asarray(np.clip(ratio, -CLIP, CLIP), dtype=np.float32)


def standardised(spectrum: Spectrum) -> Row:
    """Flux on the coarse grid with mean 0 and standard deviation 1."""
    # Surveys have different flux units, so the flux is divided by its median first. The floor
    # keeps pure noise small.
    flux = on_grid(spectrum, COARSE_GRID)
    level = float(np.median(np.abs(flux)))
    if not level > 0:
        return np.zeros(flux.size, dtype=np.float32)
    flux = np.clip(flux / level, -20.0, 20.0)
    spread = max(float(flux.std()), SPREAD_FLOOR)
    return np.asarray((flux - flux.mean()) / spread, dtype=np.float32)


INPUTS: dict[NetworkKind, tuple[Callable[[Spectrum], Row], FloatArray]] = {
    "plain-cnn": (minimum_to_maximum, LOG_GRID),
    "branch-cnn": (over_continuum, LINEAR_GRID),
    "section-transformer": (standardised, COARSE_GRID),
}
