"""A child that gives way runs behind the program that started it, with all it starts itself."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from agent.child_process.die_with_parent import NICENESS
from agent.child_process.start_child import start_child

CODE = """
import subprocess, sys
from agent.child_process.die_with_parent import give_way
give_way()
subprocess.run([sys.executable, "-c", "import os; print(os.getpriority(os.PRIO_PROCESS, 0))"])
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has classes instead of numbers")
def test_it_and_its_children_are_nicer_than_we_are() -> None:
    with start_child([sys.executable, "-c", CODE], stdout=subprocess.PIPE) as child:
        said = child.communicate()[0]
    assert int(said) == min(os.getpriority(os.PRIO_PROCESS, 0) + NICENESS, 19)
