"""Runs the commands of one job of a workflow here: run_workflow.py checks wheel [KEY=VALUE...].

Its actions (checkout, Python) are taken as done; KEY=VALUE chooses from the job's matrix.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import yaml

WORKFLOWS = Path(__file__).resolve().parents[1] / ".github" / "workflows"
OWN_SUDO = 'command -v sudo >/dev/null || sudo() { "$@"; }\n'


def main(workflow: str, job: str, *chosen: str) -> None:
    read = yaml.safe_load((WORKFLOWS / f"{workflow}.yml").read_text(encoding="utf-8"))
    matrix = dict(each.split("=", 1) for each in chosen)
    for step in read["jobs"][job]["steps"]:
        if "run" not in step or step.get("if") == "runner.os == 'Windows'":
            continue
        told = re.sub(r"\$\{\{ matrix\.(\w+) \}\}", lambda found: matrix[found[1]], step["run"])
        own = {key: value for key, value in step.get("env", {}).items() if "${{" not in value}
        print(f"$ {told.strip()}", flush=True)
        command = ["bash", "-eo", "pipefail", "-c", OWN_SUDO + told]
        subprocess.run(command, cwd=WORKFLOWS.parents[1], env=os.environ | own, check=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
