"""A wording in a folder: `wording.toml` with the hashes of the texts beside it.

The folder is untrusted: names are known ones, sizes are bounded, and a text that was changed is
refused, as the hash that is recorded with an inspection would not be its own.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path

from agent.atomic_file import atomic_folder
from agent.checked_toml import TomlTable, read_toml
from agent.errors import ResourceError, write_errors
from agent.hashing import text_hash
from agent.protocol.wording import MAX_CLASSES, MAX_WORDS, REPLIES, Wording

WORDING_NAME = "wording.toml"
MAX_BYTES = 4 * MAX_WORDS
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,79}")
_CLASS = r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}"
_PATH = re.compile(
    rf"system\.txt|tool\.json|tasks/{_CLASS}\.txt|replies/(?:{'|'.join(REPLIES)})\.txt"
)
_SHA256 = re.compile(r"[0-9a-f]{64}")


def has_wording(folder: Path) -> bool:
    return (folder / WORDING_NAME).is_file()


def read_wording(folder: Path) -> Wording:
    """Read a wording. Raises ResourceError if it is none, or not as it was written."""
    file = read_toml(folder / WORDING_NAME)
    name = file.identifier("name", NAME, "a name of letters, digits, dots, + and -")
    source = file.text("source", "", longest=400, shortest=0)
    licence = file.text("licence", "", longest=200, shortest=0)
    listed = file.tables("files", at_least=3, at_most=MAX_CLASSES + len(REPLIES) + 2)
    texts = dict(_text(folder, entry) for entry in listed)
    file.close()
    if not {"system.txt", "tool.json"} <= texts.keys():
        raise ResourceError(f"{folder}: a wording needs system.txt and tool.json")
    return Wording(
        name=name,
        system=texts["system.txt"],
        tool=texts["tool.json"],
        tasks=_of(texts, "tasks"),
        replies=_of(texts, "replies"),
        source=source,
        licence=licence,
    )


def write_wording(wording: Wording, folder: Path) -> Path:
    """Write a wording, whole or not at all; one that was there is replaced."""
    with write_errors(folder, ResourceError), atomic_folder(folder) as new:
        for path, text in wording.files.items():
            (new / path).parent.mkdir(exist_ok=True)
            (new / path).write_bytes(text.encode("utf-8", "surrogatepass"))
        (new / WORDING_NAME).write_bytes("".join(_lines(wording)).encode())
        read_wording(new)
    return folder


def _text(folder: Path, entry: TomlTable) -> tuple[str, str]:
    path = entry.identifier("path", _PATH, "the path of a text of a wording")
    expected = entry.identifier("sha256", _SHA256, "64 hexadecimal digits")
    entry.close()
    try:
        if not (folder / path).is_file():
            raise ResourceError(f"{folder / path}: not a file")
        with (folder / path).open("rb") as stream:
            content = stream.read(MAX_BYTES + 1)
        text = content.decode("utf-8")
    except (OSError, ValueError) as error:
        raise ResourceError(f"{folder / path} could not be read: {str(error)[:120]}") from error
    if len(content) > MAX_BYTES:
        raise ResourceError(f"{folder / path} is longer than {MAX_BYTES // 1024} KiB")
    if text_hash(text) != expected:
        raise ResourceError(
            f"{folder / path} is not the text that was read from its source (its SHA-256 differs); "
            f"read it again: spec-o3 models wording {folder.name} --from ..."
        )
    return path, text


def _of(texts: dict[str, str], kind: str) -> dict[str, str]:
    """The texts of a folder by the names of their files."""
    found = {path: text for path, text in texts.items() if path.startswith(f"{kind}/")}
    return {Path(path).stem: text for path, text in sorted(found.items())}


def _lines(wording: Wording) -> Iterator[str]:
    yield "# Read by `spec-o3 models wording`; the terms of its source apply.\n"
    for key in ("name", "source", "licence"):
        value = " ".join(getattr(wording, key).split())
        yield f"{key} = {json.dumps(value, ensure_ascii=False)}\n"
    for path, text in sorted(wording.files.items()):
        yield f'\n[[files]]\npath = "{path}"\nsha256 = "{text_hash(text)}"\n'
