"""Read, write and hash the card of a model folder, `model.toml`.

The file is untrusted: every key is checked, unknown keys are rejected, paths stay in the folder.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, cast

from agent.atomic_file import write_file
from agent.checked_toml import TomlTable, parse_toml, read_toml
from agent.engines.base import SamplingSettings
from agent.engines.kind import (
    FAMILIES,
    LONGEST_CONTEXT,
    ROLES,
    SIZING_OF,
    Family,
    Role,
    ServerAddress,
)
from agent.engines.registry import engine_names
from agent.errors import ResourceError, WorkbenchError, write_errors
from agent.hashing import text_hash
from agent.models.card import (
    MAX_BYTES,
    MAX_FILES,
    NAME,
    REPO,
    REVISION,
    SHA256,
    Card,
    ModelFile,
    ReportedFigure,
    Source,
    checked_url,
)
from agent.protocol.protocol import PROTOCOL_VERSION
from agent.protocol.rules import RulesName
from agent.rendering.model_image import Sizing
from agent.rendering.render import PUBLISHED, Style

CARD_NAME = "model.toml"
MAX_CARD_BYTES = 256 * 1024
MAX_FIGURES = 500
MAX_TASKS = 500
_ANY_MODEL = "a model's name"
_TOP = (
    "name", "title", "family", "engine", "parameters", "context_length", "protocol", "wording",
    "base", "licence", "trained_on", "simulated_only", "tasks",
)  # fmt: skip


def read_card(path: Path) -> Card:
    """Read a card from a file or from a folder's `model.toml`."""
    file = path / CARD_NAME if path.is_dir() else path
    return _card(read_toml(file, MAX_CARD_BYTES))


def parse_card(text: str, source: str = CARD_NAME) -> Card:
    """Parse a card; errors name it by `source`."""
    return _card(parse_toml(text.encode("utf-8", "replace"), source, MAX_CARD_BYTES))


def write_card(card: Card, folder: Path) -> Path:
    """Write `model.toml` atomically. Raises ResourceError if the card would not read back."""
    text = card_text(card)
    parse_card(text)
    target = folder / CARD_NAME
    with write_errors(target, ResourceError):
        write_file(target, text)
    return target


def card_hash(card: Card, wording_sha256: str = "", *, with_address: bool = False) -> str:
    """Hash what decides the model's answers: files, family, pictures, context and words.

    Name, title, figures and source do not count. The files count by the hashes in the card, the
    wording by its own, where it is here, a model on a server by the name that it has there; older
    records are `with_address` of the server.
    """
    server = card.server
    if server is not None and not with_address:
        server = replace(server, url="")
    relevant = replace(
        card,
        name="model",
        title="",
        parameters=0,
        wording="",
        sampling=SamplingSettings(),
        files=tuple(file for file in card.files if file.role != "other"),
        source=card.source if not card.files else None,
        server=server,
        licence="",
        trained_on="",
        simulated_only=False,
        tasks=(),
        figures=(),
    )
    return text_hash(card_text(relevant) + wording_sha256)


def card_text(card: Card) -> str:
    return "\n".join(_lines(card)) + "\n"


def _lines(card: Card) -> Iterator[str]:
    top = {name: getattr(card, name) for name in _TOP}
    if card.rules == "published":
        top["protocol"] = "published"
    yield from _table_lines("", {key: value for key, value in top.items() if value not in ("", ())})
    yield from _table_lines("[style]", card.style.to_table())
    yield from _table_lines("[sizing]", _sizing_table(card.sizing))
    yield from _table_lines("[sampling]", _as_table(card.sampling))
    if card.source is not None:
        yield from _table_lines("[source]", _as_table(card.source))
    if card.server is not None:
        yield from _table_lines("[server]", _as_table(replace(card.server, others=())))
    for file in card.files:
        yield from _table_lines("[[files]]", _as_table(file))
    for figure in card.figures:
        yield from _table_lines("[[figures]]", _as_table(figure))


def _as_table(value: Any) -> dict[str, Any]:
    pairs = ((item.name, getattr(value, item.name)) for item in fields(value))
    return {name: each for name, each in pairs if each not in ("", ())}


def _sizing_table(sizing: Sizing) -> dict[str, int]:
    square = sizing.factor**2
    if sizing.min_pixels % square or sizing.max_pixels % square:
        raise ResourceError(f"picture limits must be multiples of {square} pixels: {sizing}")
    fewest, most = sizing.min_pixels // square, sizing.max_pixels // square
    return {"factor": sizing.factor, "min_tokens": fewest, "max_tokens": most}


def _table_lines(header: str, values: Mapping[str, Any]) -> Iterator[str]:
    if header:
        yield f"\n{header}"
    for key, value in values.items():
        yield f"{key} = {_toml(value)}"


def _toml(value: object) -> str:
    # JSON strings, numbers and booleans are valid TOML; the reader collapses white space
    value = " ".join(value.split()) if isinstance(value, str) else value
    return json.dumps(value, ensure_ascii=False)


def _card(file: TomlTable) -> Card:
    family = cast(Family, file.choice("family", FAMILIES))
    rules: RulesName = "ours"
    protocol = PROTOCOL_VERSION
    if file.is_text("protocol"):
        file.choice("protocol", ("published",))
        rules = "published"
    else:
        protocol = _whole(file, "protocol", PROTOCOL_VERSION, 1, 10**6)
    try:
        card = Card(
            name=file.identifier("name", NAME, _ANY_MODEL),
            title=file.text("title", "", longest=160, shortest=0),
            family=family,
            engine=file.choice("engine", engine_names()),
            parameters=_whole(file, "parameters", 0, 0, 10**13),
            context_length=_whole(file, "context_length", LONGEST_CONTEXT, 256, 2**22),
            protocol=protocol,
            rules=rules,
            wording=file.identifier("wording", NAME, "a wording's name")
            if "wording" in file
            else "",
            style=_style(file.table("style")) if "style" in file else PUBLISHED,
            sizing=_sizing(file.table("sizing")) if "sizing" in file else SIZING_OF[family],
            sampling=_sampling(file.table("sampling"))
            if "sampling" in file
            else SamplingSettings(),
            files=tuple(map(_file, file.tables("files", at_most=MAX_FILES, named_by="path"))),
            base=file.identifier("base", NAME, _ANY_MODEL) if "base" in file else "",
            source=_source(file.table("source")) if "source" in file else None,
            server=_server(file.table("server")) if "server" in file else None,
            licence=file.text("licence", "", longest=200, shortest=0),
            trained_on=file.text("trained_on", "", longest=4000, shortest=0),
            simulated_only=file.flag("simulated_only"),
            tasks=file.texts("tasks", longest=40, at_most=MAX_TASKS, at_least=0),
            figures=tuple(map(_figure, file.tables("figures", at_most=MAX_FIGURES))),
        )
    except ResourceError as error:
        if str(error).startswith(file.source):
            raise
        raise ResourceError(f"{file.source}: {error}") from error
    file.close()
    return card


def _style(table: TomlTable) -> Style:
    values: dict[str, Any] = {"name": table.text("name", longest=60)}
    for item in fields(Style):
        if item.name in table and item.name != "name":
            values[item.name] = _value_like(table, item.name, item.default)
    table.close()
    try:
        return Style.from_table(values)
    except ResourceError as error:
        raise table.fault("", str(error)) from error


def _value_like(table: TomlTable, key: str, default: object) -> object:
    """Read a value of the same type as its default; the style checks the limits itself."""
    if isinstance(default, bool):
        return table.flag(key)
    if isinstance(default, str):
        return table.text(key)
    if isinstance(default, int):
        return _whole(table, key, None, 0, 10**6)
    return table.number(key, low=0, high=10**6)


def _sizing(table: TomlTable) -> Sizing:
    factor = _whole(table, "factor", None, 1, 1024)
    fewest = _whole(table, "min_tokens", None, 1, 10**6)
    most = _whole(table, "max_tokens", None, 1, 10**6)
    table.close()
    try:
        return Sizing.of_tokens(factor, fewest, most)
    except WorkbenchError as error:
        raise table.fault("", str(error)) from error


def _sampling(table: TomlTable) -> SamplingSettings:
    default = SamplingSettings()
    sampling = SamplingSettings(
        temperature=table.number("temperature", default.temperature, low=0, high=10),
        top_p=table.number("top_p", default.top_p, low=1e-6, high=1),
        max_new_tokens=_whole(table, "max_new_tokens", default.max_new_tokens, 1, 10**6),
    )
    table.close()
    return sampling


def _file(table: TomlTable) -> ModelFile:
    has_hash = "sha256" in table
    file = ModelFile(
        role=cast(Role, table.choice("role", ROLES)),
        path=table.text("path", longest=400),
        size=_whole(table, "size", None, 0, MAX_BYTES),
        sha256=table.identifier("sha256", SHA256, "64 hexadecimal digits") if has_hash else "",
    )
    table.close()
    return file


def _source(table: TomlTable) -> Source:
    repo = table.identifier("repo", REPO, "a repository such as owner/name")
    revision = ""
    if "revision" in table:
        revision = table.identifier("revision", REVISION, "a commit, 40 hexadecimal digits")
    table.close()
    return Source(repo=repo, revision=revision)


def _server(table: TomlTable) -> ServerAddress:
    server = ServerAddress(
        url=checked_url(table.text("url", longest=500)),
        model=table.text("model", "", longest=200, shortest=0),
    )
    table.close()
    return server


def _figure(table: TomlTable) -> ReportedFigure:
    figure = ReportedFigure(
        figure=table.text("figure"),
        value=table.number("value", low=-1e12, high=1e12),
        unit=table.text("unit", "", longest=40, shortest=0),
        on=table.text("on", longest=300),
    )
    table.close()
    return figure


def _whole(table: TomlTable, key: str, default: int | None, low: int, high: int) -> int:
    value = table.number(key, default, low=low, high=high)
    if not value.is_integer():
        raise table.fault(key, f"expected a whole number, found {value:g}")
    return int(value)
