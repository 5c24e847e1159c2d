"""Previews between two processes: what is shown is what was found."""

from __future__ import annotations

import json

from app.core.importing.child.preview_message import preview_message, preview_of
from app.core.importing.formats.contents import ListColumn, Refused
from app.core.importing.reports import Preview
from app.core.importing.roles import guess_roles


class File:
    """What a preview asks of a list."""

    format = "CSV"
    estimate = 1234
    columns = (
        ListColumn(name="plate", kind="int", unit="", description="a plate", ucd="meta.id"),
        ListColumn(name="mjd", kind="int"),
        ListColumn(name="fiberid", kind="int"),
        ListColumn(name="snr", kind="float", unit="1"),
        ListColumn(name="is_new", kind="bool"),
        ListColumn(name="note", kind="str"),
    )


def sent(*arguments, **more):
    """The preview as it arrives: a line of JSON lies between."""
    return preview_of(json.loads(json.dumps(preview_message(*arguments, **more))))


def test_all_of_a_preview_arrives():
    rows = [(1, 2, 3, 0.5, True, "α\t'"), (2**63 - 1, 0, None, None, None, None)]
    roles = guess_roles(File.columns, rows)
    assert roles.naming is not None
    refused = [[7, "it has 3 cells, not 6"]]
    assert sent(File(), rows, roles, sha256="ab", refused=refused, warnings=["two"]) == Preview(
        format="CSV",
        columns=File.columns,
        rows=tuple(rows),
        roles=roles,
        estimate=1234,
        sha256="ab",
        refused=(Refused(7, "it has 3 cells, not 6"),),
        warnings=("two",),
    )


def test_a_list_without_roles():
    found = sent(File(), [], problem="choose one", needs_roles=True)
    assert (found.problem, found.needs_roles) == ("choose one", True)
    assert (found.roles.columns, found.roles.naming, found.rows) == ({}, None, ())


def test_only_what_is_shown_is_sent():
    row = (1, 2, 3, 0.5, True, "x" * 100_000)
    found = sent(File(), [row] * 100)
    assert found.rows == ((*row[:-1], "x" * 300),) * 20
