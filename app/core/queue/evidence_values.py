"""Values of the nearest match of a service, as filters, orders and tables read them.

What an assistant proposes is read alike, by the name `assistant.proposal`.
"""

import json
import re
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from sqlalchemy import JSON, ColumnElement, Connection, Double, case, cast, func, select

from app.core.database.tables import evidence, inspections
from app.core.session.evidence_services import SEPARATION
from app.core.session.proposals import by_assistant
from app.services.catalogues.answer import State
from app.services.catalogues.service import Service, all_services

NAME = re.compile(r"([a-z][a-z0-9_]{0,39})\.([a-z][a-z0-9_]{0,59})")
"""A service and its column, such as `gaia.bp_rp`."""
IS_FOUND = evidence.c.is_newest & (evidence.c.state == State.FOUND)
"""Of a row of the evidence: it is the newest answer, with a match."""
PROPOSAL = "assistant.proposal"
PROPOSED = func.coalesce(inspections.c.verdict, "UNSURE")


def parts_of(name: str) -> tuple[str, str] | None:
    """The service and the column that a name may stand for."""
    found = NAME.fullmatch(name)
    return None if found is None else (found[1], found[2])


def names_of(service: Service) -> list[str]:
    """The columns of a service with their uncertainties, and the separation."""
    names = []
    for each in service.columns:
        names += [each.name, f"{each.name}_error"] if each.error else [each.name]
    return [f"{service.id}.{name}" for name in (*names, SEPARATION)]


FOUND_PREFIX = "found_"  # of the columns of a list that was chosen from a survey


def known_name(name: str) -> str | None:
    """The name if it is a column of a service that we know, or of assistants."""
    if name.lower() == PROPOSAL:
        return PROPOSAL
    parts = parts_of(name.lower())
    service = None if parts is None else all_services().get(parts[0])
    return name.lower() if service is not None and name.lower() in names_of(service) else None


def gives_class_away(name: str) -> bool:
    """Whether blind mode hides a service or one of its columns, what assistants propose, or a
    column with which `spec-o3 find` says how likely a class is."""
    if name == PROPOSAL or name.startswith(FOUND_PREFIX):
        return True
    word, dot, _ = name.partition(".")
    if dot and parts_of(name) is None:
        return False
    service = all_services().get(word)
    return service is not None and service.hides_class


class EvidenceValue:
    """A value of the nearest match, or a proposal: as text, and as a number or NULL."""

    def __init__(self, name: tuple[str, str], *, is_file: bool) -> None:
        self.service, column = name
        self.candidate_id = evidence.c.candidate_id
        self.text: ColumnElement[str]
        self.number: ColumnElement[float]
        self.is_there: ColumnElement[bool] = (evidence.c.service == self.service) & IS_FOUND
        """Of a row with that `candidate_id`: it has this value."""
        if ".".join(name) == PROPOSAL:
            self.candidate_id = inspections.c.candidate_id
            self.is_there = by_assistant(inspections.c.model)
            self.text, self.number = PROPOSED, cast(None, Double)
            return
        path = ["0", "separation_arcsec"] if column == SEPARATION else ["0", "values", column]
        if is_file:
            place = "$[0]" + "".join(f'."{part}"' for part in path[1:])
            value = func.json_extract(evidence.c.matches, place)
            kind = func.json_type(evidence.c.matches, place)
            self.text = value
            self.number = case((kind.in_(("integer", "real")), value))
        else:
            matches = cast(evidence.c.matches, JSON)
            self.text = func.json_extract_path_text(matches, *path)
            kind = func.json_typeof(func.json_extract_path(matches, *path))
            self.number = case((kind == "number", cast(self.text, Double)))


def read_values(connection: Connection, ids: Sequence[int]) -> dict[int, dict[str, Any]]:
    """The values of the nearest matches of these candidates, by name such as `gaia.bp_rp`.

    With them is the newest proposal.
    """
    query = select(evidence.c.candidate_id, evidence.c.service, evidence.c.matches)
    query = query.where(evidence.c.candidate_id.in_(list(ids)), IS_FOUND)
    found: dict[int, dict[str, Any]] = {}
    for number, service, matches in connection.execute(query):
        with suppress(ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError):
            nearest = json.loads(matches)[0]
            values = {f"{service}.{name}": value for name, value in nearest["values"].items()}
            values[f"{service}.{SEPARATION}"] = nearest["separation_arcsec"]
            found.setdefault(number, {}).update(values)
    here = inspections.c.candidate_id.in_(list(ids)), by_assistant(inspections.c.model)
    proposed = select(inspections.c.candidate_id, PROPOSED).where(*here).order_by(inspections.c.at)
    for number, answer in connection.execute(proposed):
        found.setdefault(number, {})[PROPOSAL] = answer
    return found
