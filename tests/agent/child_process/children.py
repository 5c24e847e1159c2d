"""A parent and its child, run as `python -m tests.agent.child_process.children HOW`.

The parent prints the child's number and ends when its input does.
"""

import re
import subprocess
import sys
import threading
import time

from agent.child_process import die_with_parent as module
from agent.child_process.die_with_parent import die_with_parent
from agent.child_process.start_child import start_child

THIS = [sys.executable, "-P", "-m", "tests.agent.child_process.children"]


def child(how: str) -> None:
    if how == "watched":
        module._is_killed_by_kernel = lambda: False
        module.POLL_S = 0.05
    die_with_parent()
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    if how == "spinning":  # in C, with Python's lock
        re.match(r"(a+)+$", "a" * 60 + "b")
    time.sleep(600)


def parent(how: str) -> None:
    process = start_child([*THIS, "child", how], stdout=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.readline()
    sys.stdout.write(f"{process.pid}\n")
    sys.stdout.flush()
    sys.stdin.read()


def parent_whose_thread_ends(how: str) -> None:
    thread = threading.Thread(target=parent, args=[how])
    thread.start()
    thread.join()
    time.sleep(600)


if __name__ == "__main__":
    {"child": child, "parent": parent, "thread": parent_whose_thread_ends}[sys.argv[1]](sys.argv[2])
