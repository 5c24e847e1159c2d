"""How the place of a session or a model is shown: without passwords and keys."""

import re
from pathlib import Path

_is_secret = re.compile(r"(?i)pass|pwd|key|token|secret|sig|auth|access").search


def shown_location(location: Path | str) -> str:
    """A path as it is; of an address everything but the password, and the keys after its `?`.

    PostgreSQL finds a password that is left out in ~/.pgpass or PGPASSWORD.
    """
    text = str(location)
    scheme, mark, rest = text.partition("://")
    if not mark or isinstance(location, Path):
        return text
    # Somebody's password may itself contain / ? # and @, so it ends at the last @.
    before, at, after = rest.rpartition("@")
    user = before.partition(":")[0] if "postgres" in scheme.lower() else ""
    whole, question, query = after.partition("?")
    query, anchor, model = query.partition("#")
    kept = [each for each in query.split("&") if each and not _is_secret(each.partition("=")[0])]
    return "".join(
        (scheme, mark, user, at if user else "", whole)
        + ((question, "&".join(kept)) if kept else ())
        + (anchor, model)
    )
