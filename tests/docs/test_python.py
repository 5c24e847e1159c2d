"""The notebook and the Python of the README and the guide run, and the stable names are listed."""

import json
import re
import runpy
import shutil

import pytest

import agent
import app
from agent import api
from app import finding_api, session_api
from tests.app.cli.commands import MEASURED, SAMPLE, run
from tests.docs.pages import HELP, LANGUAGES, PAIRS, ROOT, blocks, prose, relative

NOTEBOOK = HELP / "examples" / "first-steps.ipynb"
EXAMPLES = [page for page, _ in PAIRS if any(each.kind == "python" for each in blocks(page))]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the resources beside it and a vetted session, as a reader of the page has."""
    found = tmp_path_factory.mktemp("python")
    (found / "resources").symlink_to(ROOT / "resources")
    rows = (SAMPLE / "candidates.csv").read_text("utf-8").splitlines()
    (found / "few.csv").write_text("\n".join(rows[:4]) + "\n", encoding="utf-8")
    session, by = found / "night.speco3", ("--reviewer", "Ada")
    run("new", session, found / "few.csv", "--task", "CV", "--spectra", SAMPLE, *by)
    run("vet", session, *MEASURED, *by)
    # The README's reader has that of `spec-o3 demo --out my-demo`.
    (found / "my-demo").mkdir()
    shutil.copy(session, found / "my-demo" / "sample.speco3")
    return found


@pytest.mark.parametrize("page", EXAMPLES, ids=relative)
def test_python_of_a_page_runs(page, folder, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    for number, block in enumerate(each for each in blocks(page) if each.kind == "python"):
        script = tmp_path / f"block_{number}.py"
        script.write_text(block.text, encoding="utf-8")
        runpy.run_path(str(script))
    said = "the 10 likeliest of 60 spectra; " if page.name == "finding.md" else "YES"
    assert said in capsys.readouterr().out


def test_pages_have_python():
    pages = ("README.md", "resources/help/en/finding.md", "resources/help/en/python.md")
    assert tuple(map(relative, EXAMPLES)) == pages


def test_the_notebook_runs(tmp_path, monkeypatch, capsys):
    notebook = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    cells = [each for each in notebook["cells"] if each["cell_type"] == "code"]
    assert [each["outputs"] for each in cells] == [[]] * len(cells)
    assert len({each["id"] for each in notebook["cells"]}) == len(notebook["cells"])
    script = tmp_path / "notebook.py"
    text = "\n\n".join("".join(each["source"]) for each in cells)
    script.write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    found = runpy.run_path(str(script))
    assert found["record"].verdict == "YES"
    assert len(found["table"]) == 60
    assert set(found["verdicts"]["reviewer"]) == {"script of Ada"}
    assert sorted(path.name for path in tmp_path.glob("*.speco3")) == ["first-steps.speco3"]
    assert "H_alpha" in capsys.readouterr().out


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_stable_names_are_listed(language):
    page = prose(HELP / language / "python.md")
    functions = [name for name in api.__all__ if name[0].islower()]
    assert [name for name in functions if not re.search(rf"`{name}\(", page)] == []
    methods = [name for name in vars(session_api.OpenSession) if name[0] != "_"]
    told = ["candidates", "verdicts", "history", "iterate", "spectrum", "add_verdict"]
    told += ["undo", "redo", "vet", "merge"]
    assert set(told) <= set(methods)
    assert [name for name in told if not re.search(rf"session\.{name}\(", page)] == []


def test_names_are_found_where_the_page_says():
    assert sorted(agent.__all__) == sorted(api.__all__)
    assert sorted(app.__all__) == sorted([*session_api.__all__, *finding_api.__all__])
    for package, module in ((agent, api), (app, session_api), (app, finding_api)):
        for name in module.__all__:
            assert getattr(package, name) is getattr(module, name)
            assert name in dir(package)
            assert getattr(module, name).__doc__
        with pytest.raises(AttributeError, match="no attribute 'nothing'"):
            _ = package.nothing
