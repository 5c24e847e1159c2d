"""Reads the bytes of a spectrum at an address: from a web server, or through fsspec.

Whoever serves them is not trusted: the size is bounded before memory is taken, times are limited,
other hosts are not gone to, and nothing is kept on this disk.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from agent.checked_toml import printable
from agent.errors import ReadError
from agent.spectra.urls import url_folder, url_problem
from agent.web.body import in_time, is_packed, whole_body

MAX_BYTES = 64 * 2**20
CONNECT_S = 10.0
SILENCE_S = 30.0
WHOLE_S = 120.0
MAX_REDIRECTS = 3
NEEDS = 'is read through fsspec: pip install "spec-o3-workbench[cloud]"'
TOO_LARGE = f"it is larger than {MAX_BYTES // 2**20} MB: download it and give its path"
# How each store is told not to wait for ever; what it lists is not kept either
OPTIONS: dict[str, dict[str, Any]] = {
    "s3": {"config_kwargs": {"connect_timeout": CONNECT_S, "read_timeout": SILENCE_S}},
    "gs": {"requests_timeout": SILENCE_S},
}


def read_url(url: str) -> bytes:
    """All bytes of a file at an address. Raises ReadError, without its name."""
    if problem := url_problem(url):
        raise ReadError(problem)
    scheme, _, path = url.partition("://")
    if scheme.lower() in ("http", "https"):
        return _from_web(url)
    return _from_store(scheme.lower(), path)


def _from_store(scheme: str, path: str) -> bytes:
    options = OPTIONS.get(scheme, {})
    try:
        try:
            content = _stored(scheme, path, options)
        except Exception as error:
            if type(error).__name__ != "NoCredentialsError":  # of botocore
                raise
            content = _stored(scheme, path, options | {"anon": True})
    except ReadError:
        raise
    except FileNotFoundError as error:
        raise ReadError("the store has no such file") from error
    except PermissionError as error:
        raise ReadError("the store does not permit you to read it") from error
    except ImportError as error:
        raise ReadError(f"{scheme}:// {NEEDS}") from error
    except Exception as error:  # of whichever library serves the scheme
        raise ReadError(f"it cannot be read ({_reason(error)})") from error
    if len(content) > MAX_BYTES:
        raise ReadError(TOO_LARGE)
    return content


def _stored(scheme: str, path: str, options: Mapping[str, Any]) -> bytes:
    import fsspec

    store = fsspec.filesystem(scheme, use_listings_cache=False, **options)
    size = store.info(path)["size"]
    if not isinstance(size, int) or size > MAX_BYTES:
        raise ReadError(TOO_LARGE)
    return bytes(store.cat_file(path, start=0, end=MAX_BYTES + 1))


def _from_web(url: str) -> bytes:
    import httpx

    try:
        with httpx.Client(
            timeout=httpx.Timeout(SILENCE_S, connect=CONNECT_S),
            headers={"accept-encoding": "identity", "user-agent": "spec-o3-workbench"},
        ) as client:
            for _ in range(MAX_REDIRECTS + 1):
                with client.stream("GET", url) as answer:
                    if not answer.is_redirect:
                        return _body(answer)
                    url = _redirected(url, str(answer.headers.get("location", "")))
    except (httpx.HTTPError, httpx.InvalidURL, OSError, ValueError) as error:
        raise ReadError(f"it cannot be read ({_reason(error)})") from error
    raise ReadError("the server redirects in a loop")


def _body(answer: Any) -> bytes:
    if answer.status_code != 200:
        raise ReadError(f"the server answers with status {answer.status_code}")
    if is_packed(answer.headers):
        raise ReadError("the server sends it compressed, which was not asked for")
    too_late = ReadError(f"it was not sent within {WHOLE_S:g} s")
    pieces = in_time(answer.iter_raw(), WHOLE_S, too_late)
    announced = answer.headers.get("content-length", "")
    return whole_body(pieces, MAX_BYTES, ReadError(TOO_LARGE), announced)


def _redirected(url: str, where: str) -> str:
    """The new address, on the same server; what was allowed is this server."""
    from urllib.parse import urljoin

    target = urljoin(url, where)
    old, new = urlsplit(url), urlsplit(target)
    if url_problem(target) or (old.scheme, old.netloc) != (new.scheme, new.netloc):
        shown = printable(url_folder(target) or "an address that is not read", 100)
        raise ReadError(f"the server sends us to {shown}: give that address if you trust it")
    return target


def _reason(error: Exception) -> str:
    return printable(str(error).strip().partition("\n")[0], 160) or type(error).__name__
