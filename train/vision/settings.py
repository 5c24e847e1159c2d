"""Settings of the eye school, which teaches the vision tower before any words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from agent.checked_toml import near_miss, shown
from agent.errors import WorkbenchError
from train.questions.settings import DistortionSettings
from train.recipe import build, config_tables, from_sets, preset_tables

Table = TypeVar("Table")

RARER = "rare_"  # start of the tables that override others in the last part of training
NAMES = ("lessons", "school", "speech", "questions", f"{RARER}speech", f"{RARER}questions")


@dataclass(frozen=True, kw_only=True)
class LessonSettings:
    """The pictures that the eye learns from."""

    spectra: int = 20_000
    windows: int = 5  # windows of random place and width of each spectrum, beside the whole
    width: tuple[float, float] = (250.0, 2500.0)  # angstrom, log-uniform
    snr: tuple[float, float] = (4.0, 100.0)
    real_share: float = 0.5
    """Share of the spectra of a class in the library that are made from a real star."""
    per_shard: int = 500
    untouched: float = 0.2  # share of the spectra that are not distorted
    misplaced: float = 0.08  # share of the stars whose fluxes are put to wrong wavelengths
    partial: float = 0.4  # share of the spectra of which a part is missing

    @property
    def distortion(self) -> DistortionSettings:
        return DistortionSettings(untouched=self.untouched)

    @property
    def shards(self) -> int:
        return -(-self.spectra // self.per_shard)

    def __post_init__(self) -> None:
        if min(self.spectra, self.per_shard) < 1 or self.windows < 0:
            raise WorkbenchError("eye: spectra and per_shard must be positive")
        low, high = self.width
        if not 0.0 < low <= high:
            raise WorkbenchError(f"eye.width: {low:g} to {high:g} is not a range of widths")


@dataclass(frozen=True, kw_only=True)
class SchoolSettings:
    """The tower, its heads and their training."""

    hidden: int = 192
    ffn: int = 512
    layers: int = 6
    heads: int = 6
    out: int = 192  # width of the tokens that a language model will read
    batch: int = 48
    epochs: float = 1.0
    minutes: float = 0.0  # length of training on fresh lessons, which replaces `epochs`
    room: int = 60_000
    """Number of the newest fresh pictures that are kept to learn from; 42 kB each."""
    lr: float = 2e-3
    weight_decay: float = 0.01
    warmup: int = 150
    kind_weight: float = 0.5
    """Weight of the kind of object in the loss, beside the measured quantities."""
    heads_only: bool = False  # whether the heads alone learn, on the tower as it is
    range_weight: float = 1.0
    """Weight of the ends of the wavelength axis, which are read off its ticks."""
    probe_minutes: float = 15.0  # minutes between two probes on real spectra

    probe_per_kind: int = 30
    """Simulated spectra of each kind of object on which the probe is fitted."""

    def __post_init__(self) -> None:
        if self.hidden % (4 * self.heads) or self.ffn == self.hidden:
            raise WorkbenchError(
                "eye: hidden must be a multiple of four times the heads, and not the ffn width"
            )
        if self.probe_per_kind < 3:
            raise WorkbenchError("eye.probe_per_kind must be 3 or more")
        if min(self.batch, self.layers, self.room) < 1 or not self.epochs > 0 or self.minutes < 0:
            raise WorkbenchError("eye: batch, layers, room and epochs must be positive")


@dataclass(frozen=True, kw_only=True)
class SpeechSettings:
    """The language model that says what the eye sees, and its training."""

    hidden_layers: int = 5
    ffn: int = 576
    heads: int = 6
    vocabulary: int = 2048
    init_std: float = 0.05
    context: int = 4096
    batch: int = 64
    minutes: float = 60.0
    room: int = 60_000
    """Number of the newest conversations that are kept to learn from; 100 kB each."""
    held_out: int = 400  # number of the first conversations on which the model is only tested
    lr: float = 3e-3
    weight_decay: float = 0.01
    warmup: int = 100
    verdict_weight: float = 40.0  # loss weight of the verdict, which is one token of some hundred
    kind_weight: float = 10.0  # loss weight of the kind of object in the answer
    reason_weight: float = 3.0  # loss weight of the reasons in the answer
    misread: float = 0.25
    """Share of the conversations with wrong thoughts, which teach to keep to what was said."""
    save_minutes: float = 10.0

    def __post_init__(self) -> None:
        if min(self.batch, self.room, self.held_out) < 1 or not self.minutes > 0:
            raise WorkbenchError("speech: batch, room, held_out and minutes must be positive")


# Settings of the commands of `eye`: tables of a preset or a file, changed by `--set`.
@dataclass(frozen=True)
class EyeTables:
    """All tables as they are written, and the changes to them, each as `table.key=value`."""

    written: Mapping[str, Mapping[str, Any]]
    changes: tuple[str, ...]

    def read(self, kind: type[Table], *names: str) -> Table:
        """The settings of a table; of several names, later ones override earlier ones."""
        values: dict[str, Any] = {}
        for name in names:
            values |= {**self.written.get(name, {}), **from_sets(self.changes, kind, name)}
        return build(kind, values, names[-1])


def read_tables(
    own: str, sets: Sequence[str] | None, *, preset: str = "", config: Path | None = None
) -> EyeTables:
    """The tables of a command; a change that names no table belongs to `own`, if there is one.

    Raises WorkbenchError for a change of a table that no command has.
    """
    written: dict[str, Mapping[str, Any]] = preset_tables(preset) if preset else {}
    if config is not None:
        for name, table in config_tables(config).items():
            written[name] = {**written.get(name, {}), **table}
    changes = []
    for text in sets or ():
        owner, dot, _ = text.partition("=")[0].strip().partition(".")
        if not dot and own:
            text = f"{own}.{text}"
        elif not dot or owner not in NAMES:
            guess = near_miss(owner, NAMES) if dot else ""
            advice = f"name its table, such as school.minutes=60{guess}"
            raise WorkbenchError(f"--set {shown(text)}: {advice}")
        changes.append(text)
    return EyeTables(written, tuple(changes))
