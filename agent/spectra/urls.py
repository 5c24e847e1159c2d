"""Which addresses a spectrum may be read from; nothing is read here."""

import re
from urllib.parse import unquote, urlsplit

SCHEMES = ("s3", "gs", "http", "https", "memory")
"""Of object stores and web servers, and the memory of this program, for tests; none of a disk."""
MAX_URL = 4096  # characters; as many as the path of a file on Linux

_URL = re.compile(rf"(?:{'|'.join(SCHEMES)})://", re.IGNORECASE)
_WEB_HOST = re.compile(r"[a-z0-9.-]+(?::\d{1,5})?|\[[0-9a-f:.]+\](?::\d{1,5})?")
_IN_BRACKETS = re.compile(r"\[[0-9A-Fa-f:.]+\]")
_BUCKET = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def is_url(text: str) -> bool:
    """Whether it begins as an address that a spectrum may be read from; see `url_problem`."""
    return _URL.match(text) is not None


def url_problem(text: str) -> str:
    """Why this address is not read; empty if it may be."""
    if not is_url(text):
        return f"an address of a spectrum begins with {', '.join(f'{s}://' for s in SCHEMES)}"
    if len(text) > MAX_URL or not text.isprintable() or " " in text or "\\" in text:
        return "the address is too long or has characters that no address has"
    # fsspec would open the address behind "::" itself, which may be a file of this machine.
    if "::" in _IN_BRACKETS.sub("", text) or text.count("://") > 1:
        return "an address in an address is not read"
    try:
        parts = urlsplit(text)
        path = unquote(parts.path)
        _ = parts.port  # raises where it is no number of a port
    except ValueError:
        return "it is not a valid address"
    host = parts.netloc
    if "@" in host:
        return "an address may not contain a password"
    is_host = _WEB_HOST.fullmatch(host.lower()) if _is_web(text) else _BUCKET.fullmatch(host)
    if not is_host:
        return "it is not a valid address"
    folders = path.split("/")  # a server may leave the allowed folder at ".."
    if "." in folders or ".." in folders or "\0" in path or "\\" in path:
        return "an address with . or .. is not read"
    return ""


def url_folder(text: str) -> str:
    """The address up to the last `/`, scheme and web host in small letters; empty if not valid."""
    if url_problem(text):
        return ""
    parts = urlsplit(text)
    host = parts.netloc.lower() if _is_web(text) else parts.netloc
    return f"{parts.scheme}://{host}{parts.path.rpartition('/')[0].rstrip('/')}"


def _is_web(text: str) -> bool:
    return text[:4].lower() == "http"
