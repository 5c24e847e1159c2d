"""The file that a DataLink table calls `#this`."""

from __future__ import annotations

from app.services.catalogues.votable_reply import rows_of
from app.services.web.errors import BadReply

START = 4000


def is_datalink(content: bytes) -> bool:
    """Whether an answer is a table of links and not the spectrum itself."""
    start = content[:START].lower()
    return b"<votable" in start and (b'"semantics"' in start or b"datalink" in start)


def this_file(content: bytes) -> str:
    """The address of the file itself. Raises BadReply."""
    for row in rows_of(content, ("access_url", "semantics")):
        if str(row["semantics"] or "").rpartition("#")[2] == "this" and row["access_url"]:
            return str(row["access_url"])
    raise BadReply("its DataLink table names no file of the spectrum itself")
