"""The files that start Ray on clusters, read by what will read them."""

import re
import subprocess
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from app.cli.main import workbench

FOLDER = Path(__file__).parents[2] / "packaging" / "cluster"
FILES = ("ray.yaml", "slurm.sh", "skypilot.yaml")


def read(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


def test_these_are_all():
    assert {path.name for path in FOLDER.iterdir()} == set(FILES)


def test_ray_up_takes_its_file():
    util = pytest.importorskip("ray.autoscaler._private.util")
    config = util.prepare_config(yaml.safe_load(read("ray.yaml")))
    util.validate_config(config)
    assert config["max_workers"] == 2
    config["worker_ips"] = []
    with pytest.raises(Exception, match="worker_ips"):
        util.validate_config(config)


def shell_scripts():
    job = yaml.safe_load(read("skypilot.yaml"))
    yield "slurm.sh", read("slurm.sh")
    yield from (("skypilot.yaml", job[part]) for part in ("setup", "run"))
    commands = yaml.safe_load(read("ray.yaml"))
    for part in ("setup", "head_start_ray", "worker_start_ray"):
        yield "ray.yaml", "\n".join(commands[f"{part}_commands"])


@pytest.mark.parametrize(("name", "script"), list(shell_scripts()))
def test_the_shell_reads_the_scripts(name, script):
    done = subprocess.run(["bash", "-n"], input=script, capture_output=True, text=True)
    assert done.stderr == "", name


def test_skypilot_takes_its_file(tmp_path, monkeypatch):
    """Where it is installed, which needs an environment of its own."""
    job = yaml.safe_load(read("skypilot.yaml"))
    assert set(job) == {"name", "workdir", "num_nodes", "resources", "file_mounts", "setup", "run"}
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".ray").mkdir()
    (tmp_path / ".ray" / "auth_token").touch()
    sky = pytest.importorskip("sky")
    assert sky.Task.from_yaml(str(FOLDER / "skypilot.yaml")).num_nodes == 2


@pytest.mark.parametrize("name", FILES)
def test_their_options_are_those_of_the_command(name):
    told = CliRunner().invoke(workbench(["vet"]), ["vet", "--help"], env={"COLUMNS": "200"}).output
    lines = read(name).replace("\\\n", " ").splitlines()
    commands = [line.partition("spec-o3 vet")[2] for line in lines if "spec-o3 vet " in line]
    options = set(re.findall(r"--[a-z-]+", " ".join(commands)))
    assert "--ray" in options
    assert {each for each in options if each not in told} == set()
