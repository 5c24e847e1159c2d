"""Links in an answer: where a service may lead us, and what a DataLink table names."""

from __future__ import annotations

from urllib.parse import urljoin, urlsplit

from app.services.catalogues.votable_reply import rows_of
from app.services.web.errors import BadReply, NotAllowed
from app.services.web.urls import check_base, host_of, is_local

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


def checked_lead(base: str, to: str) -> str:
    """The address, encrypted where the service is. Raises NotAllowed.

    Another public server is allowed by https; a place on the user's own network only where the
    user has chosen that very server.
    """
    url = urljoin(base, to)
    if urlsplit(url).scheme not in ("http", "https"):
        raise NotAllowed("the answer gives an address that is no web address")
    if host_of(url) == host_of(base):
        if base.startswith("https:") and url.startswith("http:"):
            url = "https:" + url.removeprefix("http:")
        check_base(url)
        return url
    if is_local(urlsplit(url).hostname or ""):
        raise NotAllowed("the answer leads to a server on your own network")
    url = "https:" + url.removeprefix("http:") if url.startswith("http:") else url
    check_base(url)
    return url
