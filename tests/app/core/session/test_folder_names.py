"""Folders by their names."""

from __future__ import annotations

from app.core.session.folder_names import folders_above, is_within, normalized, summarized


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


def test_folders_at_addresses():
    assert is_within("s3://a/b", "s3://a") and not is_within("s3://ab", "s3://a")
    assert folders_above("s3://a/b/c") == ["s3://a/b", "s3://a"]
    assert folders_above("s3://a") == []
    assert normalized("HTTP://Host/a/") == "http://host/a"
    assert normalized("s3://a/../b") == ""
    many = [f"s3://a/b/{number}" for number in range(20)]
    assert summarized([*many, "/data/x"]) == ("/data/x", "s3://a/b")
    assert len(summarized(f"s3://bucket{number}" for number in range(20))) == 20
