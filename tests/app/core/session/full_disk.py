"""A small disk that can be filled, and a session that fills what there is."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from app.core.errors import SessionError
from app.core.session.records import Opinion, Verdict
from tests.app.core.session.recorder import CANDIDATES


@pytest.fixture
def full_disk():
    """A disk of 1 MiB, and how to fill it: a function of the bytes to leave free."""
    folder = Path(tempfile.mkdtemp(prefix="spec-o3-disk-"))
    mounting = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder]
    if shutil.which("mount") is None or subprocess.run(mounting, capture_output=True).returncode:
        folder.rmdir()
        pytest.skip("no small disk can be mounted here: that takes root's rights")
    ballast = folder / "ballast"

    def leave(bytes_free):
        ballast.unlink(missing_ok=True)
        if bytes_free is not None:
            about = os.statvfs(folder)
            ballast.write_bytes(bytes(about.f_bavail * about.f_frsize - bytes_free))

    try:
        yield folder, leave
    finally:
        subprocess.run(["umount", folder], check=True)
        folder.rmdir()


def until_refused(session):
    with pytest.raises(SessionError) as told:
        for number in range(10_000):
            opinion = Opinion(verdict=Verdict.ACCEPT, comment=f"{number}" * 500)
            session.record_verdict(number % CANDIDATES + 1, opinion)
    return told
