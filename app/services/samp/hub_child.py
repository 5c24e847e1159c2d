"""A SAMP hub in a process of its own, which ends with the program that started it.

The library's hub waits for programs that hang, in threads that would keep the window from closing.
"""

from __future__ import annotations

import sys
import warnings

from agent.child_process.die_with_parent import give_way
from app.services.samp.hub import READY, TAKEN, lock_path, read_lock_file
from app.services.samp.library import LOOPBACK, samp_library

LABEL = "Spec-o3 Workbench"
POOL = 5
RETRIES = 2


def main() -> int:
    """Run the hub until the standard input ends."""
    give_way()  # a flood of messages does not take the processor from the window
    from astropy import log

    log.setLevel("ERROR")
    warnings.simplefilter("ignore")  # about programs that went away
    library = samp_library()
    library.conf.n_retries = RETRIES
    hub = library.SAMPHubServer(
        addr=LOOPBACK, lockfile=str(lock_path()), label=LABEL, web_profile=False, pool_size=POOL
    )
    hub.start()
    try:
        # The library goes on without a lock file where another hub was quicker.
        written = read_lock_file()
        is_ours = written is not None and written.secret == hub.params["samp.secret"]
        sys.stdout.buffer.write((READY if is_ours else TAKEN) + b"\n")
        sys.stdout.flush()
        if is_ours:
            sys.stdin.buffer.read()
    finally:
        hub.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
