"""The services that can be asked, as files in resources/services and of plug-ins describe them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from agent.checked_toml import TomlTable, read_toml
from agent.errors import WorkbenchError
from agent.plugins import Plugin, plugins, report
from app.services.web.urls import check_base

FOLDER = Path(__file__).resolve().parents[3] / "resources" / "services"
NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
KINDS = ("tap", "dust", "ztf", "gaia_epochs", "atlas", "tess", "picture")
CURVES = ("ztf", "gaia_epochs", "atlas", "tess")  # kinds whose answers are light curves
MOST_OF_PLUGIN = 20  # services of one plug-in


@dataclass(frozen=True, kw_only=True)
class ServiceColumn:
    name: str  # Ours: letters, digits and `_`, as in the filter `gaia.bp_rp < 0.5`.
    column: str  # the catalogue's
    unit: str = ""
    ucd: str = ""
    description: str = ""
    error: str = ""  # the catalogue's column with its uncertainty
    limit: str = ""  # that with a sign such as `<` where the value is a limit
    band: str = ""  # that with the passband
    flag: str = ""  # that which says, where it is not empty, that the number is something else
    is_flagged: bool = False  # whether this is that other thing: the value where the flag is set
    is_text: bool = False


@dataclass(frozen=True, kw_only=True)
class Service:
    id: str
    name: str
    kind: str  # how it is asked, one of KINDS
    url: str
    release: str  # The user may set another: Gaia's changes in December 2026.
    sends: str  # one sentence on what leaves the machine
    table: str = ""
    ra: str = ""
    dec: str = ""
    pm_ra: str = ""
    pm_dec: str = ""
    """Columns of the proper motion (mas a year, that of right ascension times cos dec)."""
    epoch: float = 2000.0  # year of the catalogue's positions
    radius_arcsec: float = 2.0
    columns: tuple[ServiceColumn, ...] = ()
    page: str = ""
    """Address of the archive's page of an object; {ra}, {dec} and names of columns are put in."""
    per_second: float = 1.0
    timeout_s: float = 30.0
    hides_class: bool = False
    """Whether its answer gives the class away, so that blind mode can hide it."""

    def changed(self, url: str = "", release: str = "", table: str = "") -> Service:
        """The service with the user's settings; what is empty stays. Raises NotAllowed."""
        made = replace(
            self, url=url or self.url, release=release or self.release, table=table or self.table
        )
        check_base(made.url)
        return made


@cache
def all_services() -> Mapping[str, Service]:
    """The services by id, in the order of their files; those of plug-ins come last."""
    read = [_service(read_toml(path)) for path in sorted(FOLDER.glob("*.toml"))]
    known = {each.id: each for each in read}
    for plugin in plugins("evidence"):
        for path in sorted(plugin.value.glob("*.toml"))[:MOST_OF_PLUGIN]:
            _add_from(plugin, path, known)
    return known


def _add_from(plugin: Plugin, path: Path, known: dict[str, Service]) -> None:
    """Add a service of a plug-in; a faulty file, or an id that is taken, is told and left out."""
    try:
        made = _service(read_toml(path))
        check_base(made.url)
        if made.id in known:
            raise WorkbenchError(f"there is a service {made.id} already")
    except (WorkbenchError, OSError) as error:
        report(plugin.kind, plugin.name, plugin.package, f"{path.name}: {error}")
    else:
        known[made.id] = made


def _service(table: TomlTable) -> Service:
    names = ("release", "table", "ra", "dec", "pm_ra", "pm_dec")
    optional: Any = {name: table.text(name, "", shortest=0) for name in names}
    made = Service(
        id=table.identifier("id", NAME, "a lower-case name"),
        name=table.text("name"),
        kind=table.choice("kind", KINDS),
        url=table.text("url", longest=300),
        **optional,
        sends=table.text("sends", longest=300),
        epoch=table.number("epoch", 2000.0, low=1900.0, high=2100.0),
        radius_arcsec=table.number("radius_arcsec", 2.0, low=0.1, high=60.0),
        page=table.text("page", "", shortest=0, longest=300),
        per_second=table.number("per_second", 1.0, low=0.01, high=10.0),
        timeout_s=table.number("timeout_s", 30.0, low=1.0, high=600.0),
        hides_class=table.flag("hides_class"),
        columns=tuple(_column(each) for each in table.tables("columns", at_most=40)),
    )
    table.close()
    return made


def _column(table: TomlTable) -> ServiceColumn:
    names = ("unit", "ucd", "error", "limit", "band", "flag")
    optional: Any = {name: table.text(name, "", shortest=0) for name in names}
    made = ServiceColumn(
        name=table.identifier("name", NAME, "a lower-case name"),
        column=table.text("column"),
        description=table.text("description", "", shortest=0, longest=200),
        **optional,
        is_flagged=table.flag("is_flagged"),
        is_text=table.flag("is_text"),
    )
    table.close()
    return made
