"""What GitHub runs is what a developer can run: targets of the Makefile, scripts and commands."""

import re
import shlex
import shutil
import subprocess
import tomllib
from itertools import pairwise
from pathlib import Path

import pytest
import yaml
from packaging.specifiers import SpecifierSet
from typer.main import get_command

from app.cli.main import workbench

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
if not WORKFLOWS:
    pytest.skip("a source archive has no workflows", allow_module_level=True)
NOT_OURS = (["python", "-m", "pip"], ["gh", "release", "create"])


def jobs(path):
    return yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"]


def exists(words):
    match words:
        case ["sudo", *rest]:
            return exists(rest)
        case ["make", target, *_]:
            makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
            return re.search(rf"^{target}:", makefile, re.MULTILINE) is not None
        case ["sh", script, *_] | ["python", script, *_] if script != "-m":
            return (ROOT / script).is_file()
        case ["spec-o3", name, *_]:
            return name in get_command(workbench()).commands
    files = [word for option, word in pairwise(words) if option == "-c"]
    return words[:3] in NOT_OURS and all((ROOT / name).is_file() for name in files)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_every_step_is_a_command_that_exists(path):
    steps = [step for job in jobs(path).values() for step in job.get("steps", ())]
    told = [line for step in steps for line in step.get("run", "").splitlines()]
    assert told and [line for line in told if not exists(shlex.split(line))] == []
    called = [job["uses"] for job in jobs(path).values() if "uses" in job]
    assert all((ROOT / name).is_file() for name in called)


def test_the_oldest_python_is_tested_and_what_is_tested_may_be_installed():
    tested = jobs(ROOT / ".github" / "workflows" / "checks.yml")["tests"]["strategy"]["matrix"]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = SpecifierSet(project["requires-python"])
    assert str(wanted) == f">={tested['python'][0]}"
    assert all(wanted.contains(version) for version in tested["python"])


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_only_what_publishes_may_write(path):
    assert yaml.safe_load(path.read_text(encoding="utf-8"))["permissions"] == {"contents": "read"}
    trusted = {name for name, job in jobs(path).items() if "permissions" in job}
    assert trusted == ({"pypi", "downloads"} if path.stem == "release" else set())


@pytest.mark.skipif(not shutil.which("actionlint"), reason="actionlint is not installed here")
def test_actionlint_has_nothing_to_say():
    done = subprocess.run(["actionlint", *WORKFLOWS], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_who_reports_is_asked_for_commands_that_exist():
    forms = sorted((ROOT / ".github").glob("*/*.yml"))
    forms = [path for path in forms if path not in WORKFLOWS]
    for path in forms:
        form = yaml.safe_load(path.read_text(encoding="utf-8"))
        assert form.keys() == {"name", "description", "body"}
        assert all(each["attributes"]["label"] for each in form["body"])
    pages = [*forms, ROOT / ".github" / "PULL_REQUEST_TEMPLATE.md"]
    asked = re.findall(r"`((?:spec-o3|make) [^`]+)`", " ".join(map(Path.read_text, pages)))
    assert {"spec-o3 selftest", "make check"} <= set(asked)
    assert [command for command in asked if not exists(shlex.split(command))] == []
