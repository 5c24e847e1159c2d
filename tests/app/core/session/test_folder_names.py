"""Folders by their names."""

from __future__ import annotations

from app.core.session.folder_names import is_within, summarized


def test_many_folders_are_summarized():
    few = [f"/data/{number}" for number in range(8)]
    assert summarized([*few, "/data/1/deeper", "/data/1"]) == tuple(few)
    many = [f"/data/survey/{a}/{b}" for a in range(30) for b in range(30)]
    assert summarized([*many, "/home/ada"]) == ("/data/survey", "/home/ada")
    assert "/" not in summarized([f"/{number}/x" for number in range(20)])


def test_a_folder_that_only_begins_alike_is_another():
    assert is_within("/data/a", "/data")
    assert is_within("/data", "/data")
    assert is_within("/data", "/")
    assert not is_within("/data2/a", "/data")
