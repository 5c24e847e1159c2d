"""Converting a published row to an example; values are found at any depth, also in JSON text."""

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from agent.checked_toml import printable
from agent.errors import SpectrumError, WorkbenchError
from agent.examples.examples import Example, example
from agent.protocol.reply import Verdict
from agent.spectra.spectrum import MAX_PIXELS, Spectrum
from agent.tasks.catalogue import load_tasks

MAX_DEPTH = 8
MAX_NODES = 20_000
MAX_JSON = 64 * 1024**2
WAVELENGTH = ("wavelength", "wavelengths", "wave", "lambda", "loglam")
FLUX = ("flux", "fluxes")
REDSHIFT = ("redshift", "z")
ANSWERS = ("ground_truth", "answer", "solution", "target", "label")
TASKS = ("data_source", "task", "class", "target_class", "category", "ability")
NAMES = ("name", "file_name", "filename", "source_name", "file", "object_id", "index")
YES = frozenset(("yes", "y", "true", "1", "positive", "accept"))
NO = frozenset(("no", "n", "false", "0", "negative", "reject"))
ALIASES = {"carbon": "CS", "cc": "CS", "gm": "MG", "gmgiant": "MG"}
_BOX = re.compile(r"\\boxed\{([^{}]{0,40})\}")
_LAMOST = re.compile(r"spec-\d{5}-.{1,40}_sp\d{2}-\d{3}", re.IGNORECASE)
Node = Mapping[str, Any]


def example_of(nodes: Sequence[Node], path: Path, split: str) -> Example:
    """The example of a row with these nodes; raises a WorkbenchError if something is missing."""
    both = (node for node in nodes if _value(node, WAVELENGTH) is not None)
    arrays = next((node for node in both if _value(node, FLUX) is not None), None)
    if arrays is None:
        raise WorkbenchError("no wavelength and flux")
    answer = verdict_of(first_value(nodes, ANSWERS))
    if answer is None:
        raise WorkbenchError("no answer that is YES or NO")
    task = task_of(nodes, path)
    if not task:
        raise WorkbenchError("no known task")
    spectrum = _spectrum(arrays, str(first_value(nodes, NAMES) or path.stem), path)
    return example(spectrum, task=task, answer=answer, split=split)


def verdict_of(value: object) -> Verdict | None:
    """YES or NO from any of its usual spellings."""
    if isinstance(value, bool) or (isinstance(value, int) and value in (0, 1)):
        return "YES" if value else "NO"
    if not isinstance(value, str):
        return None
    boxed = _BOX.search(value)
    word = (boxed[1] if boxed else value).strip(" .\"'`*\n").casefold()
    return "YES" if word in YES else "NO" if word in NO else None


def task_of(nodes: Sequence[Node], path: Path) -> str:
    """The task by the fields of the row, else by its question, else by the file name."""
    names, words = known_tasks()
    for key in TASKS:
        if found := _task_in(first_value(nodes, (key,)), names):
            return found
    text = _text(nodes[0].get("prompt")).casefold()[:20_000]
    positions = {task: text.find(name) for name, task in words.items() if name in text}
    if positions:
        return min(positions, key=lambda task: positions[task])
    return _task_in(path.stem, names)


@cache
def known_tasks() -> tuple[Mapping[str, str], Mapping[str, str]]:
    """Tasks by short name, and by the name that a question uses."""
    known = load_tasks(on_fault=lambda fault: None)
    names = {each.id.casefold(): each.id for each in known} | ALIASES
    names |= {re.sub(r"\W", "", each.name.casefold()): each.id for each in known}
    return names, {each.name.casefold(): each.id for each in known} | {"m-type giant": "MG"}


def _task_in(text: object, names: Mapping[str, str]) -> str:
    if not isinstance(text, str) or len(text) > 200:
        return ""
    whole = re.sub(r"\W", "", text.casefold())
    parts = re.split(r"[^a-z0-9]+", text.casefold())
    return next((names[part] for part in (whole, *reversed(parts)) if part in names), "")


def _spectrum(arrays: Mapping[str, Any], name: str, path: Path) -> Spectrum:
    wavelength, flux = (_numbers(_value(arrays, keys)) for keys in (WAVELENGTH, FLUX))
    if wavelength.shape != flux.shape or wavelength.size > MAX_PIXELS:
        raise WorkbenchError("wavelength and flux differ in length, or are too long")
    if "loglam" in arrays and not any(key in arrays for key in WAVELENGTH[:-1]):
        wavelength = 10.0**wavelength
    usable = np.flatnonzero(np.isfinite(wavelength) & (wavelength > 0))
    _, unique = np.unique(wavelength[usable], return_index=True)
    order = usable[unique]
    z = _value(arrays, REDSHIFT)
    is_z = isinstance(z, int | float) and not isinstance(z, bool) and -0.1 < z < 10
    try:
        return Spectrum(
            wavelength=wavelength[order],
            flux=flux[order],
            z=float(z) if is_z else None,
            object_id=printable(name, 80),
            survey=_survey_of(name, path),
            format="SpecVI-Bench",
            path=printable(Path(name).name, 120),
        )
    except SpectrumError as error:
        raise WorkbenchError(f"no usable spectrum: {error}") from error


def _numbers(value: object) -> np.ndarray[Any, np.dtype[np.float64]]:
    try:
        return np.array(parsed_json(value), dtype=np.float64).reshape(-1)
    except (TypeError, ValueError) as error:
        raise WorkbenchError("wavelength or flux are not numbers") from error


def first_value(nodes: Sequence[Node], names: tuple[str, ...]) -> object:
    """Value of the first of these names that occurs, at the shallowest depth."""
    for name in names:
        for node in nodes:
            value = node.get(name)
            if isinstance(value, str | int | bool) and value != "":
                return value
    return None


def nodes_of(row: Node) -> list[Node]:
    """The row and every table in it, by depth, also in JSON text; limited in depth and number."""
    found: list[Node] = []
    level: list[Any] = [row]
    seen = 0
    for _ in range(MAX_DEPTH):
        below: list[Any] = []
        for node in level:
            if isinstance(node, Mapping):
                found.append(node)
                below += [_table_in(value) for value in node.values()]
            else:
                below += [_table_in(value) for value in node[:100]]
            seen += 1
            if seen > MAX_NODES:
                return found
        level = [node for node in below if _is_inner(node)]
    return found


def _is_inner(node: object) -> bool:
    is_list = isinstance(node, list) and bool(node) and isinstance(node[0], Mapping | str | list)
    return is_list or isinstance(node, Mapping)


def _table_in(value: object) -> Any:
    """The value with JSON text of tables parsed; text of plain numbers is parsed when needed."""
    is_array = isinstance(value, str) and value.lstrip()[:1] == "[" and "{" not in value[:50]
    return value if is_array else parsed_json(value)


def parsed_json(value: object) -> Any:
    """The content of JSON text; any other value unchanged."""
    if not isinstance(value, str) or value.lstrip()[:1] not in ("{", "[") or len(value) > MAX_JSON:
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def _value(node: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    return next((node[name] for name in names if node.get(name) is not None), None)


def _text(prompt: object) -> str:
    prompt = parsed_json(prompt)
    if isinstance(prompt, str):
        return prompt
    turns = prompt if isinstance(prompt, list) else []
    texts = [turn.get("content") for turn in turns if isinstance(turn, Mapping)]
    return "\n".join(each for each in texts if isinstance(each, str))


def _survey_of(name: str, path: Path) -> str:
    for survey in ("SDSS", "DESI", "LAMOST"):
        if survey.casefold() in path.name.casefold():
            return survey
    return "LAMOST" if _LAMOST.search(name) else ""
