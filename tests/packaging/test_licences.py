"""The licences beside the bundle: of all that is in it, and of nothing else."""

import gguf
import matplotlib
import numpy
import PySide6.QtCore
import pytest
import rich

from tests.packaging.conftest import scripts


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """As for a program that took one file of each of these packages."""
    made = tmp_path_factory.mktemp("licences")
    files = [each.__file__ for each in (numpy, rich, PySide6.QtCore, gguf, matplotlib)]
    (made / "sources.txt").write_text("\n".join(files) + "\n", encoding="utf-8")
    with scripts() as script:  # which looks at each file of the environment
        script("licences").collect(made / "licences", made / "sources.txt")
    return made / "licences"


def lines_of(folder):
    return (folder / "README.txt").read_text(encoding="utf-8").splitlines()


def test_each_part_is_named_with_its_licence(folder):
    lines = lines_of(folder)
    named = {line.split(" ")[0]: line.partition(": ")[2] for line in lines if ": " in line}
    assert "LGPL-3.0" in named["PySide6_Essentials"]
    assert named["rich"] == "MIT"
    assert named["Python"] == "PSF-2.0"
    assert "BSD-3-Clause" in named["numpy"]
    assert "BSD-3-Clause" in named["spec-o3-workbench"]
    assert not {"pytest", "scipy", "pip"} & set(named)


def test_texts_of_one_name_do_not_replace_each_other(folder):
    assert "NumPy Developers" in (folder / "numpy" / "LICENSE.txt").read_text("utf-8")
    assert len(list((folder / "numpy").rglob("LICENSE*"))) > 5
    assert (folder / "rich" / "LICENSE").is_file()
    assert "PYTHON SOFTWARE FOUNDATION" in (folder / "Python" / "LICENSE.txt").read_text("utf-8")


def test_a_whole_text_is_no_name(script):
    class Package:
        def __init__(self, **said):
            self.metadata = FakeMetadata(said)

    class FakeMetadata(dict):
        def get_all(self, key):
            return self.get(key)

    licence_of = script("licences").licence_of
    kinds = ["Topic :: Scientific/Engineering", "License :: OSI Approved :: BSD License"]
    whole = Package(License="Copyright (c) 2001\n\nRedistribution", Classifier=kinds)
    assert licence_of(whole) == "BSD License"
    assert licence_of(Package(License="ISC")) == "ISC"
    assert licence_of(Package()) == "see its folder"


def test_fonts_and_llama_cpp_come_with_what_carries_them(folder):
    assert "Bitstream" in (folder / "DejaVu fonts" / "LICENSE_DEJAVU").read_text("utf-8")
    assert "MIT License" in (folder / "llama.cpp" / "LICENSE").read_text("utf-8")
    assert "llama.cpp, of the ggml authors: MIT" in lines_of(folder)
