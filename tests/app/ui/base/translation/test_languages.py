"""Every text of the window is translated into every language."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest
from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QTranslator

import app.ui
import train.review.window
from app.ui.base.actions.actions import ACTIONS
from app.ui.base.actions.key_names import label
from app.ui.base.translation.languages import install_translators, language_of, translations_folder
from tests.app.ui.base.translation.conftest import OTHERS
from tests.app.ui.steps import speaking

SOURCES = [Path(each.__file__).parent for each in (app.ui, train.review.window)]
PLACEHOLDERS = re.compile(r"\{\w+\}")
Text = tuple[str, str]
"""Translation context and text."""


def texts_of(path: Path) -> Iterator[Text]:
    """The texts that a file marks for translation; a text that tools cannot find is a mistake."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for context, call in _calls(tree, ""):
        name, arguments = _name(call), call.args
        if name == "tr":
            yield context, _literal(arguments[0], path)
        elif name in ("translate", "QT_TRANSLATE_NOOP") and _is_pair(arguments):
            yield _literal(arguments[0], path), _literal(arguments[1], path)


def _calls(node: ast.AST, context: str) -> Iterator[tuple[str, ast.Call]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Call):
            yield context, child
        yield from _calls(child, child.name if isinstance(child, ast.ClassDef) else context)


def _name(call: ast.Call) -> str:
    return getattr(call.func, "attr", getattr(call.func, "id", ""))


def _is_literal(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _is_pair(arguments: list[ast.expr]) -> bool:
    """Whether a call names context and text; QPainter has a `translate` as well."""
    return len(arguments) >= 2 and _is_literal(arguments[1])


def _literal(node: ast.AST, path: Path) -> str:
    assert _is_literal(node), f"{path.name}:{node.lineno}: tools find only literal texts"
    return node.value


def all_texts() -> set[Text]:
    return {text for top in SOURCES for path in top.rglob("*.py") for text in texts_of(path)}


def messages(language: str) -> dict[Text, ElementTree.Element]:
    tree = ElementTree.parse(translations_folder() / f"spec_o3_{language}.ts")
    return {
        (context.findtext("name", ""), message.findtext("source", "")): message.find("translation")
        for context in tree.getroot().findall("context")
        for message in context.findall("message")
    }


def test_every_text_is_known_translated_and_has_its_places():
    # If this fails, run `python packaging/translations.py`.
    for language in OTHERS:
        known = messages(language)
        assert sorted(text for text in all_texts() if text not in known) == []
        open_ones = [text for text, said in known.items() if said.get("type") or not said.text]
        assert sorted(open_ones) == []
        for (_, source), said in known.items():
            places = [sorted(PLACEHOLDERS.findall(each)) for each in (source, said.text)]
            assert places[0] == places[1] and source.count(";;") == said.text.count(";;")
            assert source.startswith(" ") == said.text.startswith(" ")


@pytest.mark.parametrize("language", OTHERS)
def test_what_the_window_loads_is_what_was_written(language):
    """The compiled file is not older than its source."""
    translator = QTranslator()
    assert translator.load(str(translations_folder() / f"spec_o3_{language}.qm"))
    said = {text: each.text for text, each in messages(language).items() if not each.get("type")}
    stale = [text for text, words in said.items() if translator.translate(*text) != words]
    assert stale == []


def test_the_window_speaks_chinese_and_english_needs_nothing(qapp):
    assert install_translators(qapp, "en") == [] and ACTIONS["accept"].title == "Accept"
    with speaking("zh") as translators:
        assert len(translators) == 1 + _has_qt("zh")
        assert ACTIONS["accept"].title == "接受" and label("Return") == "回车"
        assert QCoreApplication.translate("SettingsDialog", "Settings") == "设置"


@pytest.mark.parametrize(
    ("chosen", "system", "language"),
    [
        ("zh", "en_GB", "zh"), ("en", "zh_CN", "en"), ("system", "zh_CN", "zh"),
        ("system", "zh_TW", "zh"), ("system", "en_US", "en"), ("system", "de_DE", "en"),
        ("nonsense", "C", "en"),
    ]
)  # fmt: skip
def test_the_setting_or_the_system_chooses(chosen, system, language):
    assert language_of(chosen, QLocale(system)) == language


def _has_qt(language):
    folder = Path(QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath))
    return (folder / f"qtbase_{language}_CN.qm").is_file()
