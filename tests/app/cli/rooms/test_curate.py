import pytest

pytest.importorskip("pyarrow")

from app.cli import window
from app.cli.main import workbench
from tests.agent.curation.pools import drafts, example_set, pool

__all__ = ["drafts", "example_set", "pool"]


def run(*words: str) -> int:
    with pytest.raises(SystemExit) as ended:
        workbench(["curate"])(list(words), standalone_mode=False)
    return ended.value.code


def test_it_opens_the_room_on_the_pool(pool, monkeypatch):
    given = {}
    monkeypatch.setattr(window, "open_window", lambda **more: given.update(more) or 0)
    assert run("curate", str(pool.place), "--reviewer", " Ada ") == 0
    assert given == {"pool": pool.place, "reviewer": "Ada"}


def test_what_is_no_pool_is_told_without_a_window(tmp_path, monkeypatch):
    from agent.errors import WorkbenchError

    with pytest.raises(WorkbenchError, match="is not a pool"):
        workbench(["curate"])(["curate", str(tmp_path)], standalone_mode=False)
