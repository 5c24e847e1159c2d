"""Which services the user has turned on, and with which address and release.

All are off at first. The window and the commands read the same settings file.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from app.core.reviewer_name import saved_settings
from app.services.catalogues.service import Service, all_services
from app.services.web.errors import NotAllowed

ON, CHANGES = "services", "service_changes"
"""The settings: ids of services, and a table as `"gaia.release" = "DR4"`."""
CHANGED = ("url", "release", "table")
MAX_CHANGES = 60
MAX_TEXT = 300
TABLE = re.compile(r"[\w.]{1,100}|\"[\w/+.-]{1,100}\"", re.ASCII)


@dataclass(frozen=True, kw_only=True)
class Choice:
    """Ids that are turned on, and what the user has changed about services."""

    on: frozenset[str] = frozenset()
    changes: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """By id: url, release or table."""

    def service(self, name: str) -> Service:
        """A service as the user has set it. Raises KeyError, NotAllowed."""
        return all_services()[name].changed(**self.changes.get(name, {}))

    def services(self) -> list[Service]:
        """Those turned on. Raises NotAllowed."""
        return [self.service(name) for name in all_services() if name in self.on]


def read_choice(path: Path | None = None) -> Choice:
    """The choice in the user's settings; nothing is on if there are none or they are invalid."""
    values = saved_settings(path)
    return choice_from(values.get(ON, ()), values.get(CHANGES, {}))


def choice_from(on: Any, changes: Any) -> Choice:
    """The choice in two values of the settings; what is invalid there is left out."""
    known = all_services()
    names = on if isinstance(on, list | tuple) else ()
    found: dict[str, dict[str, str]] = {}
    for key, value in changes.items() if isinstance(changes, Mapping) else ():
        name, _, what = str(key).partition(".")
        if name in known and is_change(known[name], what, value):
            found.setdefault(name, {})[what] = value
    return Choice(
        on=frozenset(each for each in names if isinstance(each, str) and each in known),
        changes=found,
    )


def is_change(service: Service, what: str, value: object) -> bool:
    """Whether this may be set: an address over https, a release, or a table by its name."""
    if what not in CHANGED or not isinstance(value, str) or not 0 < len(value) <= MAX_TEXT:
        return False
    if what == "table":
        return TABLE.fullmatch(value) is not None
    if what == "release":
        return value.isprintable()
    try:
        service.changed(url=value)
    except NotAllowed:
        return False
    return True
