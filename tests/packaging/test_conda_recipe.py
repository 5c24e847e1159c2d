"""The recipe for conda-forge asks for what pyproject.toml asks for."""

import tomllib
from pathlib import Path

import yaml
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
NAMES = {
    "pyside6-essentials": "pyside6",
    "astropy": "astropy-base",
    "matplotlib": "matplotlib-base",
    "xllamacpp": "llama-cpp-python",
}
"""What conda-forge names otherwise, or has in another's place."""


def test_version_requirements_and_commands_are_the_same():
    whole = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    recipe = yaml.safe_load((ROOT / "packaging" / "conda" / "recipe.yaml").read_text("utf-8"))
    project = whole["project"]
    assert recipe["context"]["version"] == project["version"]
    assert recipe["about"]["summary"] == project["description"]
    commands = [f"{name} = {call}" for name, call in project["scripts"].items()]
    assert recipe["build"]["python"]["entry_points"] == commands

    def asked(texts):
        found = [Requirement(text.replace(" ", "", 1)) for text in texts]
        return {NAMES.get(each.name.lower(), each.name): str(each.specifier) for each in found}

    engine, *_ = project["optional-dependencies"]["gguf"]
    ours = asked(project["dependencies"]) | asked([engine])
    assert asked(recipe["requirements"]["run"][1:]) == ours
    assert recipe["requirements"]["host"][1:] == ["pip", "setuptools >=77"]
