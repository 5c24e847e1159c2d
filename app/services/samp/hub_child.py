"""A SAMP hub in a process of its own, which ends with the program that started it.

The library's hub waits for programs that hang, in threads that would keep the window from closing.
"""

import sys
import warnings
from typing import Any

from agent.child_process.die_with_parent import give_way
from app.services.samp.hub import READY, TAKEN, lock_path, read_lock_file
from app.services.samp.library import LOOPBACK, samp_library

LABEL = "Spec-o3 Workbench"
POOL = 5
RETRIES = 2
WAITED_FOR = "samp::sync::call"  # the library's tag of a call whose sender waits for the answer


class _Answers(dict[str, Any]):
    """The answer to each call that is waited for, None until it is there."""

    def __setitem__(self, call: str, answer: object) -> None:
        if answer is not None or call not in self:
            super().__setitem__(call, answer)


def hub_server(**settings: Any) -> Any:
    """The library's hub, which would drop an answer that comes before it waits for it."""

    class Hub(samp_library().SAMPHubServer):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__(addr=LOOPBACK, web_profile=False, **settings)
            self._sync_msg_ids_heap = _Answers()

        def _get_new_hub_msg_id(self, sender: str, tag: str) -> str:
            call: str = super()._get_new_hub_msg_id(sender, tag)
            if tag == WAITED_FOR:
                # The library does so after it has sent the call, and may be late.
                self._sync_msg_ids_heap[call] = None
            return call

    return Hub()


def main() -> int:
    """Run the hub until the standard input ends."""
    give_way()  # a flood of messages does not take the processor from the window
    from astropy import log

    log.setLevel("ERROR")
    warnings.simplefilter("ignore")  # about programs that went away
    samp_library().conf.n_retries = RETRIES
    hub = hub_server(lockfile=str(lock_path()), label=LABEL, pool_size=POOL)
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
