"""Gets a file that an archive has at one of several addresses."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from app.services.archives.archive import MAX_FILE, PATIENCE_S, FetchedFile
from app.services.web.client import Request, WebClient
from app.services.web.errors import NotFound
from app.services.web.pace import ShouldStop

_UNSAFE = re.compile(r"[^A-Za-z0-9_.+-]+")
MAX_STEM = 100


def get_first(
    urls: Sequence[str],
    client: WebClient,
    should_stop: ShouldStop,
    *,
    per_second: float,
    with_secret: Callable[[str], str] = str,
    max_bytes: int = MAX_FILE,
) -> FetchedFile:
    """The file at the first address that has one. Raises ServiceError, or Stopped.

    `with_secret` adds a token to the address; what is returned and raised is without it.
    """
    missing: NotFound | None = None
    for url in urls:
        try:
            reply = client.ask(
                Request(
                    url=with_secret(url),
                    max_bytes=max_bytes,
                    total_s=PATIENCE_S,
                    per_second=per_second,
                ),
                should_stop,
            )
        except NotFound as error:
            missing = error
        else:
            return FetchedFile(content=reply.content, url=url)
    raise missing or NotFound("there is no address of it")


def safe_stem(text: str) -> str:
    """A name for a file, of letters and digits that every system takes."""
    return _UNSAFE.sub("_", text).strip("._")[:MAX_STEM] or "spectrum"
