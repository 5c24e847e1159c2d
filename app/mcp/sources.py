"""Which spectra a client may name: files below the given folders, and those of the session."""

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any

from agent.checked_toml import is_unicode
from agent.errors import WorkbenchError
from agent.spectra.readers import read_numbered
from agent.spectra.spectrum import Spectrum
from agent.spectra.urls import is_url, url_folder
from app.core.session.proposals import is_assistant
from app.core.session.records import Candidate
from app.core.session.session import Session
from app.core.session.spectra_folders import allowed_folders, is_within
from app.core.spectra.packing import packed_spectrum
from app.core.spectra.prefetch import read_by_key, spectrum_key

MAX_NAME = 1000
MAX_SEEN = 20_000  # entries of one folder that are looked at
# The same for a file outside and for none, so that a client cannot learn what exists.
NO_FILE = "no spectrum file of that name is below the folders this server may read"
NO_FOLDER = "no folder of that name is below the folders this server may read"


class SourceError(WorkbenchError):
    """A client asked for a spectrum that it may not read, or for none at all."""


class Sources:
    """The spectra of one server. Links are resolved first, so that none leads out of a folder."""

    def __init__(self, folders: Sequence[Path], session: Session | None = None) -> None:
        for folder in folders:
            if not folder.is_dir():
                raise SourceError(f"{folder} is not a folder: --spectra names folders")
        self.folders = tuple(dict.fromkeys(os.path.realpath(folder) for folder in folders))
        self.session = session
        self.told: set[int] = set()  # candidates of which the client knows an agent's answer

    def read(self, file: str, candidate: int | None, row: int) -> Spectrum:
        """Read a row of a file, or the spectrum of a candidate. Raises WorkbenchError."""
        if bool(file) == (candidate is not None):
            raise SourceError("name either a file or a candidate of the session")
        if candidate is None:
            real = self._real(file)
            if real is None or not Path(real).is_file():
                raise SourceError(NO_FILE)
            return read_numbered(real, row)
        session = self.needed_session()
        found = session.candidate(candidate)
        packed = packed_spectrum(session, candidate)
        if packed is not None:
            return packed
        self._refuse_outside(session, found)
        return read_by_key(spectrum_key(found))

    def note_told(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Note of which candidates these rows tell what an agent says."""
        for row in rows:
            models = [each["model"] for each in row.get("inspections", ())]
            if row["agent_verdict"] or not all(map(is_assistant, models)):
                self.told.add(row["candidate"])

    def needed_session(self) -> Session:
        if self.session is None:
            raise SourceError("this server was started without a session")
        return self.session

    def entries(self, folder: str, start: int, count: int) -> tuple[list[str], list[str], bool]:
        """Folders and files, as a client may name them, and whether there are more.

        Without a name, the folders that were given.
        """
        if not folder:
            return [*self.folders[start : start + count]], [], len(self.folders) > start + count
        try:
            with os.scandir(self.folder(folder)) as found:
                every = sorted(islice(found, MAX_SEEN), key=lambda entry: entry.name)
        except OSError as error:
            raise SourceError(NO_FOLDER) from error
        some = [
            entry
            for entry in every
            if not entry.name.startswith(".") and is_unicode(entry.name) and self._is_inside(entry)
        ]
        page = some[start : start + count]
        above = folder.rstrip("/")
        folders = [f"{above}/{entry.name}" for entry in page if Path(entry.path).is_dir()]
        files = [f"{above}/{entry.name}" for entry in page if Path(entry.path).is_file()]
        return folders, files, len(some) > start + count

    def folder(self, name: str) -> Path:
        """A folder that this server may read. Raises SourceError."""
        real = self._real(name)
        if real is None or not Path(real).is_dir():
            raise SourceError(NO_FOLDER)
        return Path(real)

    def _real(self, name: str) -> str | None:
        """The place of a file or folder, links resolved; None if it is in none of our folders."""
        is_plain = len(name) <= MAX_NAME and is_unicode(name) and "\0" not in name
        # Windows would send this person's credentials to a computer that a path names.
        if not is_plain or is_url(name) or name.startswith(("\\\\", "//")):
            return None
        for folder in self.folders:
            real = os.path.realpath(Path(folder, name))
            with suppress(OSError):  # a name longer than the disk allows
                if is_within(real, folder) and Path(real).exists():
                    return real
        return None

    def _is_inside(self, entry: os.DirEntry[str]) -> bool:
        if not entry.is_symlink():
            return True
        real = os.path.realpath(entry.path)
        return any(is_within(real, folder) for folder in self.folders)

    def _refuse_outside(self, session: Session, candidate: Candidate) -> None:
        if not candidate.path or not isinstance(session.location, Path):
            return  # a team's server is not a file that anybody sends
        path = candidate.path
        real = url_folder(path) if is_url(path) else os.path.realpath(path)
        roots = (*allowed_folders(session), *self.folders)
        if not any(is_within(real, root) for root in roots):
            raise SourceError(
                f"the spectrum of candidate {candidate.id} is outside the session's own folder: "
                "start the server with --spectra and the folder it is in"
            )
