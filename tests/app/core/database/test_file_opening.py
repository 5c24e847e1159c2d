"""Files that are not sessions, or are damaged, are refused before SQLite reads them."""

import shutil
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from app.core.errors import SessionError
from app.core.session.records import Opinion, Verdict
from app.core.session.session import open_session
from tests.app.core.sessions import made

ACCEPT, REJECT, _ = (Opinion(verdict=verdict) for verdict in Verdict)


def test_a_backup_put_beside_the_log_of_another(file_location, tmp_path):
    """After a crash the log is waiting; what it would be copied into is not what it was for."""
    backup = tmp_path / "backup.speco3"
    made(backup, 300).close()
    crashed = tmp_path / "crashed.speco3"
    with made(file_location, 200) as session:
        for number in range(1, 200):
            session.record_verdict(number, ACCEPT)
        subprocess.run(["cp", f"{file_location}-wal", f"{crashed}-wal"], check=True)
    backup.replace(crashed)
    before = [Path(f"{crashed}{suffix}").read_bytes() for suffix in ("", "-wal")]
    with pytest.raises(SessionError, match="Nothing was changed"):
        open_session(crashed, "Ada")
    assert [Path(f"{crashed}{suffix}").read_bytes() for suffix in ("", "-wal")] == before
    Path(f"{crashed}-wal").unlink()
    open_session(crashed, "Ada").close()


@pytest.mark.parametrize("share", [0, 0.001, 0.02, 0.3, 0.6, 0.9, 0.999])
def test_a_file_cut_short(file_location, share):
    made(file_location, 300).close()
    whole = file_location.read_bytes()
    file_location.write_bytes(whole[: int(len(whole) * share)])
    with pytest.raises(SessionError):
        open_session(file_location, "Ada")
    assert len(file_location.read_bytes()) == int(len(whole) * share)


def test_an_empty_file_and_one_without_its_facts(file_location):
    """As somebody leaves them who was killed while they were made: what to do is said."""
    file_location.write_bytes(b"")
    with pytest.raises(SessionError, match=r"is empty: its creation was interrupted\. Delete it"):
        open_session(file_location, "Ada")
    file_location.unlink()
    made(file_location, 0).close()
    with closing(sqlite3.connect(file_location)) as connection:
        connection.execute("DELETE FROM facts WHERE key <> 'tables'")
        connection.commit()
    with pytest.raises(SessionError, match="its creation was interrupted"):
        open_session(file_location, "Ada", read_only=True)


def test_in_a_folder_that_cannot_be_written(file_location):
    made(file_location).close()
    copy = file_location.with_name("copy.speco3")
    shutil.copy(file_location, copy)
    with open_session(copy, "Ben", read_only=True) as reader:
        assert reader.count() == 5


def test_what_is_no_session_is_refused(tmp_path):
    other = tmp_path / "other.speco3"
    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE facts (a)")
    connection.close()
    text = tmp_path / "text.speco3"
    text.write_text("hello")
    for path, told in (
        (other, "another program"), (text, "not a session"), (tmp_path, "is not a file"),
    ):  # fmt: skip
        with pytest.raises(SessionError, match=told):
            open_session(path, "Ada")
    with pytest.raises(SessionError, match="does not exist"):
        open_session(tmp_path / "none.speco3", "Ada")
