"""Pictures of conversations, drawn from the spectra and cached in a bounded folder.

File names are hashes of the contents, so processes and epochs share them.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from pathlib import Path, PurePath

from PIL import Image

from agent.atomic_file import write_file
from agent.errors import TrajectoryError, WorkbenchError, write_errors
from agent.examples.examples import ExampleStore
from agent.hashing import picture_hash, text_hash
from agent.inspection.pictures import redraw
from agent.rendering.model_image import Sizing, prepare
from agent.rendering.render import Style, png_bytes
from agent.trajectory.trajectory import Trajectory


def drawing_record(trajectory: Trajectory, style: Style, sizing: Sizing) -> Trajectory:
    """What the pictures depend on; hashes are dropped for another style or size."""
    same = Style.from_table(trajectory.style) == style and trajectory.sizing == sizing
    looks = tuple(
        replace(look, text="", measured={}, picture=look.picture if same else "", seconds=0.0)
        for look in trajectory.looks
    )
    return replace(
        trajectory,
        style=style.to_table(),
        sizing=sizing,
        overview=trajectory.overview if same else "",
        steps=looks,
        replies=(),
    )


def picture_names(record: Trajectory) -> tuple[str, ...]:
    """File names of the pictures of a record, the whole spectrum first."""
    shown = {
        "spectrum": record.spectrum.sha256,
        "title": PurePath(record.spectrum.path).name or record.spectrum.object_id,
        "z": record.spectrum.z,
        "style": dict(record.style),
        "sizing": asdict(record.sizing),
    }
    every = [{**shown, "range": window} for window in (None, *(e.range for e in record.looks))]
    return tuple(text_hash(json.dumps(each, sort_keys=True)) for each in every)


@dataclass(frozen=True)
class PictureFolder:
    """A bounded folder of pictures, to which this process may add `room` bytes."""

    path: Path
    room: int

    def __post_init__(self) -> None:
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise WorkbenchError(f"cannot use {self.path}: {error.strerror or error}") from error

    def load(self, name: str) -> Image.Image | None:
        try:
            with Image.open(self._file(name), formats=("PNG",)) as stored:
                return stored.convert("RGB")
        except (OSError, SyntaxError):
            return None

    def size(self, name: str) -> tuple[int, int] | None:
        """Width and height, without reading the pixels."""
        try:
            with Image.open(self._file(name), formats=("PNG",)) as stored:
                return stored.size
        except (OSError, SyntaxError):
            return None

    def save(self, name: str, picture: Image.Image, *, always: bool = False) -> None:
        """Save a picture if there is room; `always` is for one that cannot be redrawn."""
        content = png_bytes(picture)
        if not always:
            if _added.get(self.path, 0) + len(content) > self.room:
                return
            _added[self.path] = _added.get(self.path, 0) + len(content)
        file = self._file(name)
        with write_errors(file):
            file.parent.mkdir(exist_ok=True)
            write_file(file, content)

    def _file(self, name: str) -> Path:
        return self.path / name[:2] / f"{name}.png"


_added: dict[Path, int] = {}  # bytes this process has added to each folder


def room_left(path: Path, cache_mb: int, processes: int) -> int:
    """Bytes that each process may add to a folder bounded by `cache_mb`."""
    used = sum(file.stat().st_size for file in path.glob("*/*.png")) if path.is_dir() else 0
    return max(0, cache_mb * 1_000_000 - used) // max(1, processes)


@dataclass(frozen=True)
class PictureSource:
    """Loads pictures from the folder, or draws them from the spectra in the sets."""

    folder: PictureFolder
    sets: tuple[Path, ...]

    def pictures(self, record: Trajectory | None, names: Sequence[str]) -> list[Image.Image]:
        """The pictures of a conversation; without `record` they cannot be redrawn."""
        cached = [self.folder.load(name) for name in names]
        found = [picture for picture in cached if picture is not None]
        if len(found) == len(names):
            return found
        if record is None:
            raise WorkbenchError(f"pictures of this run are missing from {self.folder.path}")
        return self.draw(record, names)

    def draw(self, record: Trajectory, names: Sequence[str]) -> list[Image.Image]:
        """Draw pictures and save them; raises TrajectoryError if one differs from the recorded."""
        store = _store(self.sets)
        if record.spectrum.sha256 not in store:
            raise TrajectoryError(
                f"no set holds the spectrum {record.spectrum.sha256[:16]} "
                f"({record.spectrum.object_id or record.spectrum.path or 'without a name'}): "
                "name the set it came from with --sets"
            )
        drawn = redraw(record, store[record.spectrum.sha256].spectrum)
        for name, picture in zip(names, drawn, strict=True):
            self.folder.save(name, picture)
        return drawn

    def keep(self, pictures: Sequence[Image.Image], sizing: Sizing) -> tuple[str, ...]:
        """Save given pictures, resized for the model, and return their names."""
        names = []
        for picture in pictures:
            sized = prepare(picture, sizing)
            names.append(picture_hash(sized))
            if self.folder.size(names[-1]) is None:
                self.folder.save(names[-1], sized, always=True)
        return tuple(names)


@lru_cache(maxsize=2)
def _store(sets: tuple[Path, ...]) -> ExampleStore:
    """The spectra of these sets; one store per process, because it caches what it read."""
    return ExampleStore(sets)
