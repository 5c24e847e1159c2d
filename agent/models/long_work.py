"""What downloads and conversions share: they tell how far they are, and no two work in a folder."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

Progress = Callable[[str, int, int], None]
"""Called with what is being done, such as a file, how much of it is done and the total. What it
raises stops the work, which the next call resumes."""
OnBytes = Callable[[int], None]  # called with how many bytes more were read or written


def counted(progress: Progress, what: str, total: int) -> OnBytes:
    """A function that adds up how much was done and passes the sum on."""
    done = 0

    def on_more(count: int) -> None:
        nonlocal done
        done += count
        progress(what, done, total)

    on_more(0)
    return on_more


def kept_bytes(path: Path) -> int:
    """The size of an unfinished file; 0 if there is none."""
    return path.stat().st_size if path.is_file() else 0


@contextmanager
def alone(lock: Path, busy: Exception) -> Iterator[None]:
    """Hold a lock file; raises `busy` if another program holds it."""
    lock.parent.mkdir(parents=True, exist_ok=True)
    held = FileLock(lock, blocking=False)
    try:
        held.acquire()
    except Timeout as error:
        raise busy from error
    except NotImplementedError:
        pass  # a file system without locks: the hashes, or the check, would reveal two writers
    try:
        yield
    finally:
        held.release()
