"""The services of which a session has answers: those we know, and catalogues in files."""

import json
import zlib
from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, select

from agent.checked_toml import printable
from agent.hashing import bytes_hash
from app.core.database.tables import evidence, service_replies
from app.core.session.stored_opinions import damaged
from app.services.catalogues.service import NAME, Service, ServiceColumn, all_services

SEPARATION = "separation"  # Of the nearest match, in arcsec; beside the columns of each service.
FILE = "file"  # the kind of a catalogue in a file of the user's
MAX_SERVICES = 40
MAX_REPLY = 40 * 2**20  # More is never unpacked: a stranger's session may hold anything.
MAX_DESCRIPTION = 2**20
MAX_COLUMNS, MAX_WORDS = 200, 200


def session_services(connection: Connection) -> dict[str, Service]:
    """The services with answers in the session, by id."""
    names = select(evidence.c.service).distinct().order_by(evidence.c.service)
    there = connection.execute(names.limit(MAX_SERVICES)).scalars().all()
    known = all_services()
    found = {name: known[name] for name in known if name in there}
    for name in there:
        if name not in known and NAME.fullmatch(str(name)):
            found[name] = _described(connection, name)
    return found


def _described(connection: Connection, name: str) -> Service:
    """A catalogue as it was described when it was matched."""
    query = (
        select(service_replies.c.content, service_replies.c.sha256, evidence.c.release)
        .join(evidence, evidence.c.reply_id == service_replies.c.id)
        .where(evidence.c.service == name)
        .order_by(service_replies.c.id.desc())
        .limit(1)
    )
    row = connection.execute(query).one_or_none()
    if row is None:
        return Service(id=name, name=name, kind=FILE, url="", release="", sends="")
    content = unpacked(row.content, row.sha256, MAX_DESCRIPTION)
    try:
        about = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise damaged(f"the description of the catalogue {name}") from error
    columns = about.get("columns") if isinstance(about, dict) else None
    if not isinstance(columns, list) or len(columns) > MAX_COLUMNS:
        raise damaged(f"the description of the catalogue {name}")
    return Service(
        id=name,
        name=words_of(about, "file") or name,
        kind=FILE,
        url="",
        release=str(row.release),
        sends="",
        columns=tuple(_column(each) for each in columns if isinstance(each, dict)),
    )


def _column(entry: Mapping[str, Any]) -> ServiceColumn:
    words: Any = {
        key: words_of(entry, key) for key in ("name", "column", "unit", "ucd", "description")
    }
    if not NAME.fullmatch(words["name"]):
        raise damaged("the description of a catalogue")
    return ServiceColumn(**words, is_text=entry.get("is_text") is True)


def words_of(entry: Mapping[str, Any], key: str, at_most: int = MAX_WORDS) -> str:
    """A text of a stored description on one line; empty if there is none."""
    value = entry.get(key)
    return printable(" ".join(value.split()), at_most) if isinstance(value, str) else ""


def unpacked(packed: bytes, sha256: str, at_most: int = MAX_REPLY) -> bytes:
    """The content of a reply. Raises SessionError unless it is as it came."""
    unpacker = zlib.decompressobj()
    try:
        content = unpacker.decompress(packed, at_most)
    except zlib.error as error:
        raise damaged("the reply of a service") from error
    if not unpacker.eof or bytes_hash(content) != sha256:
        raise damaged("the reply of a service")
    return content
