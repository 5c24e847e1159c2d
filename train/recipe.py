"""Settings of a stage: a preset, overridden by a TOML file, overridden by `--set key=value`.

A file has one table per stage. The keys are the fields of the stage's settings, a frozen dataclass;
unknown keys are errors.
"""

import dataclasses
import json
import tomllib
import types
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin, get_type_hints

import typer

from agent.checked_toml import near_miss, printable, shown
from agent.errors import WorkbenchError, read_errors

Settings = TypeVar("Settings")
MAX_BYTES = 256 * 1024
PRESETS = ("tiny", "3b", "7b")
Preset = Annotated[str, typer.Option("--preset", help=f"One of {', '.join(PRESETS)}.")]
Config = Annotated[
    Path | None, typer.Option("--config", help="TOML file with a table for this stage.")
]
Sets = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Change one setting; may be repeated."),
]


@contextmanager
def training_packages(what: str) -> Iterator[None]:
    """Say what to install where an import fails; `what` begins the sentence: "the eye needs"."""
    try:
        yield
    except ImportError as error:
        raise WorkbenchError(
            f'{what} {error.name}: pip install "spec-o3-workbench[train]"'
        ) from error


def settings(
    kind: type[Settings],
    stage: str,
    *,
    preset: str = "",
    config: Path | None = None,
    sets: Sequence[str] | None = None,
) -> Settings:
    """The settings of `stage`; raises WorkbenchError for unknown keys and wrong values."""
    values: dict[str, Any] = {}
    if preset:
        values.update(preset_tables(preset).get(stage, {}))
    if config is not None:
        values.update(_stage_of(_read(config), stage, str(config)))
    values.update(from_sets(sets or (), kind, stage))
    return build(kind, values, stage)


def build(kind: type[Settings], values: Mapping[str, Any], where: str) -> Settings:
    """Make a settings dataclass, checking each value against the type of its field."""
    hints = get_type_hints(kind)
    names = [field.name for field in dataclasses.fields(kind)]  # type: ignore[arg-type]
    for name in values:
        if name not in names:
            guess = near_miss(name, names)
            raise WorkbenchError(f"{where}: there is no setting {shown(name)}{guess}")
    checked = {name: _fit(value, hints[name], f"{where}.{name}") for name, value in values.items()}
    try:
        return kind(**checked)
    except TypeError as error:
        missing = str(error).partition("argument")[2].strip(": s")
        raise WorkbenchError(f"{where}: missing {missing or error}") from error


def config_tables(path: Path) -> Mapping[str, Mapping[str, Any]]:
    tables = _read(path)
    return {stage: _stage_of(tables, stage, str(path)) for stage in tables}


def preset_tables(name: str) -> dict[str, Any]:
    if name not in PRESETS:
        guess = near_miss(name, PRESETS)
        raise WorkbenchError(f"no preset {shown(name)}; there are {', '.join(PRESETS)}{guess}")
    path = files("train").joinpath("configs", f"{name}.toml")
    return tomllib.loads(path.read_text(encoding="utf-8"))


def _read(path: Path) -> dict[str, Any]:
    with read_errors(path), path.open("rb") as file:
        content = file.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise WorkbenchError(f"{path}: larger than {MAX_BYTES // 1024} KiB, the limit")
    try:
        return tomllib.loads(content.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise WorkbenchError(f"{path}: not valid TOML: {printable(str(error), 160)}") from error


def _stage_of(tables: Mapping[str, Any], stage: str, where: str) -> Mapping[str, Any]:
    table = tables.get(stage, {})
    if not isinstance(table, dict):
        raise WorkbenchError(f"{where}: {stage} should be a table, [{stage}]")
    return table


def from_sets(sets: Iterable[str], kind: type, stage: str) -> dict[str, Any]:
    """Parse `key=value` and `stage.key=value`; a value that is not TOML is text."""
    values = {}
    for text in sets:
        key, equals, value = text.partition("=")
        key = key.strip()
        if not equals or not key:
            raise WorkbenchError(f"--set {shown(text)}: write it as key=value")
        if "." in key:
            owner, _, key = key.partition(".")
            if owner != stage:
                continue
        values[key] = _toml_value(value.strip())
    return values


def _toml_value(text: str) -> Any:
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except (ValueError, RecursionError):
        return text


def as_set(value: Any) -> str:
    """A value as text for `--set key=`, which parses to the same value."""
    if isinstance(value, str) and _toml_value(value) == value:
        return value
    return json.dumps(value, ensure_ascii=False, default=str)


def _fit(value: Any, hint: Any, where: str) -> Any:
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        options = [one for one in inner if one is not type(None)]
        if value is None or (value == "" and str not in options and type(None) in inner):
            return None
        return _fit(value, options[0], where)
    if origin is tuple:
        return _fit_tuple(value, inner, where)
    if origin is not None and str(origin).endswith("Literal"):
        if value not in inner:
            listed = ", ".join(map(str, inner))
            guess = near_miss(str(value), [str(one) for one in inner])
            raise WorkbenchError(f"{where}: {shown(str(value))} is not one of {listed}{guess}")
        return value
    return _fit_plain(value, hint, where)


def _fit_tuple(value: Any, inner: tuple[Any, ...], where: str) -> tuple[Any, ...]:
    if isinstance(value, str):
        value = [part.strip() for part in value.split(",") if part.strip()]
    if not isinstance(value, list | tuple):
        raise WorkbenchError(f"{where}: expected a list, found {shown(str(value))}")
    if len(inner) == 2 and inner[1] is Ellipsis:
        return tuple(_fit(one, inner[0], where) for one in value)
    if len(value) != len(inner):
        raise WorkbenchError(f"{where}: expected {len(inner)} values, found {len(value)}")
    return tuple(_fit(one, each, where) for one, each in zip(value, inner, strict=True))


def _fit_plain(value: Any, hint: Any, where: str) -> Any:
    if hint is Path and isinstance(value, str):
        return Path(value)
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if hint is str and isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, hint) or (isinstance(value, bool) and hint is not bool):
        names = {str: "text", int: "a whole number", float: "a number", bool: "true or false"}
        wanted = names.get(hint, getattr(hint, "__name__", str(hint)))
        raise WorkbenchError(f"{where}: expected {wanted}, found {shown(str(value))}")
    return value
