"""Labelled spectra in Parquet files, which every stage of training reads or writes.

An example is one spectrum with one question and its answer. Files are read in row groups, so a set
of 100,000 examples needs the memory of a few hundred.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from agent.atomic_file import atomic_path
from agent.checked_toml import printable
from agent.errors import WorkbenchError, write_errors
from agent.hashing import spectrum_hash
from agent.protocol.reply import Verdict
from agent.spectra.spectrum import MAX_PIXELS, Spectrum
from agent.trajectory.trajectory import Trajectory

if TYPE_CHECKING:
    import pyarrow
    import pyarrow.parquet

VERSION = "1"
ROWS_PER_GROUP = 256
EXAMPLE_TEXTS = ("key", "task", "answer", "label", "subtype", "split")
SPECTRUM_TEXTS = ("object_id", "survey", "release", "class_name", "subclass", "flux_unit")
TEXTS = (*EXAMPLE_TEXTS, "file", *SPECTRUM_TEXTS, "sha256")
NUMBERS = ("ra", "dec", "snr", "z", "resolution")
ARRAYS = ("wavelength", "flux", "ivar", "mask")
MAX_TEXT = 1000
MAX_GROUP_BYTES = 1024**3


@dataclass(frozen=True, eq=False, kw_only=True)
class Example:
    """A spectrum, a task and the answer. Make one with `example`.

    `key` is its name within a set; `label` is the true class, or "" if only the answer is known.
    `spectrum.path` is the name of its file and the title of its pictures.
    """

    key: str
    task: str
    answer: Verdict
    spectrum: Spectrum
    label: str = ""
    subtype: str = ""
    split: str = ""

    @property
    def is_positive(self) -> bool:
        return self.answer == "YES"

    @property
    def sha256(self) -> str:
        """The hash of the spectrum's numbers, by which trajectories refer to it."""
        return spectrum_hash(self.spectrum)


def example(
    spectrum: Spectrum,
    *,
    task: str,
    answer: Verdict,
    key: str = "",
    label: str = "",
    subtype: str = "",
    split: str = "",
) -> Example:
    """An example with its numbers rounded as files store them: float32, wavelengths float64."""
    rounded = replace(
        spectrum, flux=spectrum.flux.astype(np.float32),
        ivar=None if spectrum.ivar is None else spectrum.ivar.astype(np.float32),
        path=Path(spectrum.path).name, row=0, rows=1,
    )  # fmt: skip
    key = key or f"{task}-{spectrum_hash(rounded)[:16]}"
    named = {"label": label, "subtype": subtype, "split": split}
    return Example(key=key, task=task, answer=answer, spectrum=rounded, **named)


def write_examples(path: Path, examples: Iterable[Example]) -> int:
    """Write a set one row group at a time; the file appears complete or not at all."""
    import pyarrow.parquet as parquet

    written, rest = 0, iter(examples)
    with write_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        with (
            atomic_path(path) as part,
            parquet.ParquetWriter(
                part,
                _schema(),
                compression="zstd",
                use_dictionary=list(TEXTS),
                use_byte_stream_split=[f"{name}.list.element" for name in ("wavelength", "flux")],
            ) as file,
        ):
            while group := list(islice(rest, ROWS_PER_GROUP)):
                file.write_table(_table(group), row_group_size=ROWS_PER_GROUP)
                written += len(group)
    return written


def read_examples(path: Path) -> Iterator[Example]:
    """The examples of a file in order."""
    with open_set(path) as file:
        for group in range(file.num_row_groups):
            yield from examples_of(path, file.read_row_group(group))


def count_examples(path: Path) -> int:
    with open_set(path) as file:
        return int(file.metadata.num_rows)


def column(path: Path, *names: str) -> list[dict[str, Any]]:
    """Text and number columns of a file, one dict per row, without its arrays."""
    unknown = [name for name in names if name not in (*TEXTS, *NUMBERS, "simulated")]
    if unknown:
        raise WorkbenchError(f"a set of examples has no text or number column {unknown[0]!r}")
    with open_set(path) as file:
        return cast(list[dict[str, Any]], file.read(columns=list(names)).to_pylist())


@contextmanager
def open_set(path: Path) -> Iterator[pyarrow.parquet.ParquetFile]:
    """A set of examples; raises WorkbenchError for other files and versions, and damaged ones."""
    try:
        import pyarrow
        import pyarrow.parquet as parquet
    except ImportError as error:
        raise WorkbenchError(
            'sets of examples need pyarrow: pip install "spec-o3-workbench[train]"'
        ) from error
    try:
        with parquet.ParquetFile(path) as file:
            version = (file.schema_arrow.metadata or {}).get(b"spec_o3_examples", b"").decode()
            if version not in ("", VERSION):
                raise WorkbenchError(f"{path} is a set of the unknown version {version[:20]}")
            if not version:
                raise WorkbenchError(f"{path} is a Parquet file, but not a set of examples")
            groups = map(file.metadata.row_group, range(file.num_row_groups))
            if any(each.total_byte_size > MAX_GROUP_BYTES for each in groups):
                raise WorkbenchError(f"{path}: a group of rows is larger than 1 GiB")
            yield file
    except (OSError, ValueError, KeyError, TypeError, pyarrow.ArrowException) as error:
        reason = printable(str(error), 160)
        raise WorkbenchError(f"{path} cannot be read as a set of examples: {reason}") from error


def _schema() -> pyarrow.Schema:
    import pyarrow

    arrays = {"wavelength": pyarrow.float64(), "mask": pyarrow.bool_()}
    fields = [pyarrow.field(name, pyarrow.string(), nullable=False) for name in TEXTS]
    fields += [pyarrow.field(name, pyarrow.float64()) for name in NUMBERS]
    fields += [pyarrow.field("simulated", pyarrow.bool_(), nullable=False)]
    kinds = [pyarrow.list_(arrays.get(name, pyarrow.float32())) for name in ARRAYS]
    fields += map(pyarrow.field, ARRAYS, kinds)
    return pyarrow.schema(fields, metadata={"spec_o3_examples": VERSION})


def _table(group: list[Example]) -> pyarrow.Table:
    import pyarrow

    schema = _schema()
    rows = [_row(one) for one in group]
    return pyarrow.table(
        {field.name: _column_of([row[field.name] for row in rows], field.type) for field in schema},
        schema=schema,
    )


def _column_of(values: list[Any], kind: pyarrow.DataType) -> pyarrow.Array:
    # Lists are built straight from numpy: going through Python numbers takes twenty times as long.
    import pyarrow

    if not pyarrow.types.is_list(kind):
        return pyarrow.array(values, kind)
    sizes = [0 if value is None else value.size for value in values]
    present = [value for value in values if value is not None]
    joined = np.concatenate(present) if present else np.empty(0)
    flat = pyarrow.array(joined.astype(kind.value_type.to_pandas_dtype()), kind.value_type)
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32)
    missing = pyarrow.array(np.array([value is None for value in values]))
    return pyarrow.ListArray.from_arrays(offsets, flat, type=kind, mask=missing)


def _row(one: Example) -> dict[str, Any]:
    spectrum = one.spectrum
    return {
        **{name: getattr(one, name) for name in EXAMPLE_TEXTS},
        "file": spectrum.path,
        "sha256": one.sha256,
        "simulated": spectrum.simulated,
        **{name: getattr(spectrum, name) for name in (*SPECTRUM_TEXTS, *NUMBERS, *ARRAYS)},
    }


def examples_of(path: Path, table: pyarrow.Table) -> Iterator[Example]:
    plain = table.select([*TEXTS, *NUMBERS, "simulated"]).to_pylist()
    arrays = {name: table[name].combine_chunks() for name in ARRAYS}
    for number, row in enumerate(plain):
        yield _example(path, row, {name: _array(arrays[name][number]) for name in ARRAYS})


def _array(value: Any) -> NDArray[Any] | None:
    return value.values.to_numpy(zero_copy_only=False) if value.is_valid else None


def _example(path: Path, row: Mapping[str, Any], arrays: Mapping[str, Any]) -> Example:
    if any(len(row[name] or "") > MAX_TEXT for name in TEXTS):
        raise WorkbenchError(f"{path}: a text is longer than {MAX_TEXT} characters")
    if row["answer"] not in ("YES", "NO"):
        answer = f"the answer of {row['key']} is {row['answer'][:20]!r}"
        raise WorkbenchError(f"{path}: {answer}, not YES or NO")
    if arrays["wavelength"] is None or arrays["wavelength"].size > MAX_PIXELS:
        raise WorkbenchError(f"{path}: {row['key']} has no usable spectrum")
    spectrum = Spectrum(
        **{name: arrays[name] for name in ARRAYS},
        **{name: row[name] for name in (*NUMBERS, *SPECTRUM_TEXTS)},
        format="examples",
        path=Path(row["file"]).name,
        simulated=row["simulated"],
    )
    one = Example(spectrum=spectrum, **{name: row[name] for name in EXAMPLE_TEXTS})
    if one.sha256 != row["sha256"]:
        raise WorkbenchError(f"{path}: the spectrum of {one.key} does not match its hash")
    return one


class ExampleStore:
    """Examples of several files by the hash of their spectrum, read on demand.

    A spectrum may have examples of several tasks: `of` finds that of a trajectory, the hash alone
    the first one.
    """

    def __init__(self, paths: Iterable[Path]) -> None:
        self._locations: dict[str, tuple[Path, int, int]] = {}
        self._by_task: dict[tuple[str, str], tuple[Path, int, int]] = {}
        for path in paths:
            with open_set(path) as file:
                for group in range(file.num_row_groups):
                    names = file.read_row_group(group, columns=["task", "sha256"]).to_pylist()
                    for row, name in enumerate(names):
                        location = path, group, row
                        self._locations.setdefault(str(name["sha256"]), location)
                        self._by_task.setdefault((name["task"], str(name["sha256"])), location)
        self._group = lru_cache(maxsize=8)(_read_group)

    def __contains__(self, sha256: str) -> bool:
        return sha256 in self._locations

    def __getitem__(self, sha256: str) -> Example:
        if sha256 not in self._locations:
            raise WorkbenchError(f"no spectrum with the hash {sha256[:16]} in these sets")
        return self._read(self._locations[sha256])

    def of(self, trajectory: Trajectory) -> Example:
        """The example with the spectrum and the task of a trajectory."""
        sha256 = trajectory.spectrum.sha256
        location = self._by_task.get((trajectory.task, sha256))
        if location is None:
            wanted = f"{trajectory.task} example with the hash {sha256[:16]}"
            raise WorkbenchError(f"no {wanted} in these sets")
        return self._read(location)

    def _read(self, location: tuple[Path, int, int]) -> Example:
        path, group, row = location
        return self._group(path, group)[row]


def _read_group(path: Path, group: int) -> list[Example]:
    with open_set(path) as file:
        return list(examples_of(path, file.read_row_group(group)))
