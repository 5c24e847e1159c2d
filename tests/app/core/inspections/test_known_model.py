"""Records of a model on a server that were made when its address was part of its identity."""

from __future__ import annotations

from dataclasses import replace

from agent.models.registry import find_model
from agent.trajectory.trajectory import ModelRef
from app.core.inspections.known_model import as_recorded, recorded_by
from app.core.inspections.store import add_inspection, count_pending
from tests.app.core.inspected import NANO, said
from tests.app.core.sessions import made

OLD = ModelRef(
    name="Qwen-big",
    engine="remote",
    sha256="2ebdf374192185fc88a9b067284d3c3d90449ca312efe344ad6756a8bd4bca06",
)
"""As an earlier version wrote it for the first of these addresses."""
ADDRESS = "http://gpu-1:8000/v1#Qwen/big"


def test_what_an_older_record_has_is_not_inspected_again(tmp_path):
    now = find_model(f"http://gpu-2:8000/v1,{ADDRESS}").ref
    with made(tmp_path / "night.speco3") as session:
        assert as_recorded(session, now) == now
        for number in (1, 2, 3):
            add_inspection(session, number, said(model=OLD, number=number))
        found = as_recorded(session, now)
        assert (found.name, found.sha256) == (OLD.name, OLD.sha256)
        assert count_pending(session, found) == 2
        assert as_recorded(session, found).sha256 == OLD.sha256
        told = recorded_by(said(model=now), found)
        assert (told.model.sha256, told.model.address) == (OLD.sha256, now.address)
        other = said(model=NANO)
        assert recorded_by(other, found) is other


def test_a_name_that_an_older_record_has_from_the_server_itself(tmp_path):
    """Without `#MODEL` it was written as the server says it."""
    with made(tmp_path / "night.speco3") as session:
        add_inspection(session, 1, said(model=replace(OLD, name="Qwen/big")))
        found = as_recorded(session, find_model(ADDRESS).ref)
        assert (found.name, count_pending(session, found)) == ("Qwen/big", 4)


def test_of_two_first_addresses_the_one_with_more_records_counts(tmp_path):
    now = find_model(f"{ADDRESS},http://gpu-2:8000/v1").ref
    assert now.also[0] == OLD.sha256
    second = replace(OLD, sha256=now.also[1])
    with made(tmp_path / "night.speco3") as session:
        add_inspection(session, 1, said(model=second))
        add_inspection(session, 2, said(model=second))
        add_inspection(session, 3, said(model=OLD))
        assert as_recorded(session, now).sha256 == second.sha256
        assert as_recorded(session, NANO) is NANO


def test_another_model_or_another_server_is_not_taken_for_it(tmp_path):
    with made(tmp_path / "night.speco3") as session:
        add_inspection(session, 1, said(model=OLD))
        for other in ("http://gpu-1:8000/v1#Qwen/small", "http://gpu-3:8000/v1#Qwen/big"):
            ref = find_model(other).ref
            assert as_recorded(session, ref) is ref
