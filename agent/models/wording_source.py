"""Reads a wording from files of a published data set: Parquet, JSON, JSON lines, and a tool's YAML.

Files are hostile until checked: sizes are bounded, and nothing in them is run or expanded.
"""

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any

from huggingface_hub import get_token

from agent.checked_toml import printable
from agent.checked_yaml import NotPlain, plain_yaml
from agent.child_process.rows_in_child import rows_in_child
from agent.errors import ResourceError, WorkbenchError, read_errors
from agent.models.card import Card
from agent.models.folders import models_folder, wording_folder
from agent.models.hub import DownloadError, Hub, HubFile, HubUnreachable, Listing, refuse_if_offline
from agent.models.long_work import Progress, counted
from agent.models.wordings import wording_of
from agent.protocol.wording import Wording
from agent.protocol.wording_file import write_wording
from agent.protocol.wording_rows import CLASS_OF_SOURCE, WordingRows

SUFFIXES = (".parquet", ".json", ".jsonl", ".yaml", ".yml")
MAX_FILES = 200
MAX_JSON_BYTES = 128 * 1024**2
MAX_LINE = 16 * 1024**2
MAX_YAML_BYTES = 64 * 1024
ROWS_AT_ONCE = 64
COLUMNS = ("prompt", "data_source", "conversations", "messages")

SOURCES = {"spec-o3": ("Maxwell-Jia/Spec-o3-ColdStartSFT", "Maxwell-Jia/SpecVI-Bench")}
"""Data sets of the hub that hold a wording, the first that does is enough."""
CLASSES = frozenset(CLASS_OF_SOURCE.values())
MAX_FILE_BYTES = 512 * 1024**2
MAX_FETCHED_BYTES = 2 * 1024**3
_PATH = re.compile(r"(?:[A-Za-z0-9_][\w.+ -]{0,199}/){0,4}[A-Za-z0-9_][\w.+ -]{0,199}")
_SETTINGS = re.compile(r"(?:.*[_-])?(?:infos?|config|settings|metadata)", re.IGNORECASE)


def read_source(name: str, paths: Sequence[Path]) -> tuple[Wording, tuple[str, ...]]:
    """The wording in files and folders, and what to tell the user about it."""
    files = [file for path in paths for file in _files(path)]
    rows, tool = WordingRows(), ""
    for file in files:
        if file.suffix in (".yaml", ".yml"):
            tool = tool or tool_of_yaml(file)
        else:
            for row in rows_of(file):
                rows.add(row)
    if not files:
        raise ResourceError(f"{paths[0]} has no {', '.join(SUFFIXES)} file")
    source = source_name(", ".join(file.name for file in files[:5]))
    return rows.wording(name, tool=tool, source=source)


def rows_of(file: Path) -> Iterator[Mapping[str, Any]]:
    """The rows of a file, one by one, without pictures and spectra."""
    try:
        if file.suffix == ".parquet":
            if find_spec("pyarrow") is None:
                raise ResourceError(
                    f"{file.name} needs pyarrow: pip install pyarrow, or take the cold-start "
                    "conversations"
                )
            found: Iterator[Any] = rows_in_child(parquet_rows, file, kind=ResourceError)
        elif file.suffix == ".jsonl":
            found = _line_rows(file)
        else:
            found = _json_rows(file)
        yield from (row for row in found if isinstance(row, Mapping))
    except (OSError, UnicodeError) as error:
        raise ResourceError(f"{file} could not be read: {str(error)[:120]}") from error


def tool_of_yaml(file: Path) -> str:
    """The schema of the first tool in the published configuration, as one line of JSON."""
    yaml: Any = import_module("yaml")  # comes with astropy; slow to load

    try:
        with file.open("rb") as stream:
            content = stream.read(MAX_YAML_BYTES + 1)
        if len(content) > MAX_YAML_BYTES:
            raise ResourceError(f"{file} is longer than {MAX_YAML_BYTES // 1024} KiB")
        schema = plain_yaml(content)["tools"][0]["tool_schema"]
        return json.dumps(schema, ensure_ascii=False, allow_nan=False)
    except OSError as error:
        raise ResourceError(f"{file} could not be read: {error.strerror or error}") from error
    except NotPlain as error:
        raise ResourceError(f"{file} {error}") from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise ResourceError(f"{file} is not plain YAML: {printable(str(error), 120)}") from error
    except (TypeError, KeyError, IndexError) as error:
        raise ResourceError(f"{file} has no tools with a tool_schema") from error


def _files(path: Path) -> list[Path]:
    if path.is_file():
        if path.suffix not in SUFFIXES:
            raise ResourceError(f"{path} is not a {', '.join(SUFFIXES)} file")
        return [path]
    if not path.is_dir():
        raise ResourceError(f"{path} is neither a file nor a folder")
    with read_errors(path, ResourceError):
        inside = sorted(each for each in path.rglob("*") if each.suffix in SUFFIXES)
    if len(inside) > MAX_FILES:
        raise ResourceError(f"{path} has more than {MAX_FILES} files: name the ones to read")
    return [each for each in inside if each.is_file() and _may_tell(each)]


def _may_tell(file: Path) -> bool:
    """Whether a file, by its beginning, holds conversations or a tool's schema and not settings."""
    if file.suffix == ".parquet":
        return True
    with file.open("rb") as stream:
        start = stream.read(65536)
    if file.suffix in (".yaml", ".yml"):
        return b"tool_schema" in start
    return b'"conversations"' in start or b'"prompt"' in start or b'"messages"' in start


def _line_rows(file: Path) -> Iterator[Any]:
    with file.open("rb") as stream:
        while line := stream.readline(MAX_LINE + 1):
            if len(line) > MAX_LINE:
                raise ResourceError(f"{file} has a line longer than {MAX_LINE // 1024**2} MiB")
            if line.strip():
                yield _decoded(line.decode("utf-8"), file)


def _decoded(text: str, file: Path) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ResourceError(f"{file} is not JSON: {printable(str(error), 100)}") from error


def _json_rows(file: Path) -> Iterator[Any]:
    """The rows of a list, decoded one after the other."""
    if file.stat().st_size > MAX_JSON_BYTES:
        raise ResourceError(f"{file} is larger than {MAX_JSON_BYTES // 1024**2} MiB")
    text = file.read_text(encoding="utf-8")
    space = re.compile(r"\s*")
    at = _after(space, text, 0)
    if text[at : at + 1] == "{":
        yield from _line_rows(file)
        return
    if text[at : at + 1] != "[":
        raise ResourceError(f"{file} is not a list of rows")
    decoder = json.JSONDecoder()
    at = _after(space, text, at + 1)
    while text[at : at + 1] != "]":
        try:
            row, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            raise ResourceError(f"{file} is not JSON: {printable(str(error), 100)}") from error
        yield row
        at = _after(space, text, at)
        if text[at : at + 1] == ",":
            at = _after(space, text, at + 1)
        elif text[at : at + 1] != "]":
            raise ResourceError(f"{file} is not JSON: it breaks off after a row")


def _after(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found else at


def parquet_rows(file: Path) -> Iterator[Any]:
    """For a child process: few bytes may stand for very many rows."""
    import pyarrow
    import pyarrow.parquet as parquet

    try:
        with parquet.ParquetFile(file) as opened:
            wanted = [name for name in opened.schema_arrow.names if name in COLUMNS]
            for batch in opened.iter_batches(ROWS_AT_ONCE, columns=wanted):
                yield from batch.to_pylist()
    except (OSError, ValueError, pyarrow.ArrowException) as error:
        raise ResourceError(f"{file} could not be read: {printable(str(error), 160)}") from error


def source_name(text: str) -> str:
    """Where a wording comes from, without what the reader of its card refuses."""
    return re.sub(r"[^\w .,:()@/+-]", "_", printable(" ".join(text.split()), 300))


# Fetches a published wording from the hub: the smallest files that hold it, which are not kept.
def get_wording(card: Card, progress: Progress = lambda file, done, total: None) -> tuple[str, ...]:
    """Fetch the wording that a card names, unless it is here; returns what to tell the user.

    Raises a WorkbenchError that says why it could not be fetched.
    """
    if not card.wording or card.wording not in SOURCES or wording_of(card) is not None:
        return ()
    reasons = []
    for repo in SOURCES[card.wording]:
        try:
            wording, notes = wording_from_hub(card.wording, repo, progress)
        except HubUnreachable:
            raise
        except WorkbenchError as error:
            reasons.append(f"{repo}: {error}")
            continue
        write_wording(wording, wording_folder(card.wording))
        return notes
    raise DownloadError("; ".join(reasons))


def wording_from_hub(
    name: str, repo: str, progress: Progress = lambda file, done, total: None
) -> tuple[Wording, tuple[str, ...]]:
    """The wording in a data set of the hub, and what to tell the user about it."""
    refuse_if_offline()
    models_folder().mkdir(parents=True, exist_ok=True)
    rows, tool, read = WordingRows(), "", []
    with (
        Hub(token=get_token(), of_data=True) as hub,
        TemporaryDirectory(prefix=".wording-", dir=models_folder()) as folder,
    ):
        listing = hub.listing(repo, is_wanted=_is_wanted)
        for number, file in enumerate(_candidates(listing)):
            # A file of one class, by its name, whose words are known already.
            last = re.split(r"[_-]", PurePosixPath(file.path).stem.casefold())[-1]
            if file.path.endswith(".parquet") and CLASS_OF_SOURCE.get(last) in rows.texts:
                continue
            path = Path(folder) / f"{number}{PurePosixPath(file.path).suffix}"
            hub.fetch(listing, file, path, counted(progress, file.path, file.size))
            try:
                if path.suffix in (".yaml", ".yml"):
                    tool = tool or tool_of_yaml(path)
                else:
                    for row in rows_of(path):
                        rows.add(row)
            except ResourceError as error:
                reason = str(error).replace(f"{folder}{os.sep}", "")
                rows.unread[f"{file.path}: {reason}"] += 1
                continue
            finally:
                path.unlink(missing_ok=True)
            read.append(file.path)
            if rows.has_tool and rows.texts.keys() >= CLASSES:
                break
        source = source_name(f"{repo} at {listing.revision[:12]}: {', '.join(read[:8])}")
        return rows.wording(name, tool=tool, source=source, licence=listing.licence)


def _is_wanted(name: str) -> bool:
    path = PurePosixPath(name)
    return (
        path.suffix in SUFFIXES
        and _PATH.fullmatch(name) is not None
        and not (path.suffix == ".json" and _SETTINGS.fullmatch(path.stem))
    )


def _candidates(listing: Listing) -> Iterator[HubFile]:
    """The files that may hold words, conversations before pictures, small ones first."""
    left = MAX_FETCHED_BYTES
    ordered = sorted(listing.files, key=lambda file: (file.path.endswith(".parquet"), file.size))
    for file in ordered:
        if file.size <= min(left, MAX_FILE_BYTES):
            left -= file.size
            yield file
