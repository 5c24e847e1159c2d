"""Cards: what is written reads back, and a hostile one is refused in words that help."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.engines.base import SamplingSettings
from agent.engines.kind import ServerAddress
from agent.errors import ResourceError
from agent.models.card import Card, ModelFile, ReportedFigure, Source
from agent.models.card_file import card_hash, card_text, parse_card, read_card, write_card
from agent.models.registry import BUNDLED
from agent.rendering.model_image import Sizing
from agent.rendering.render import COMPACT, COMPACT_PANELS, PUBLISHED, Style

HASH = "ab" * 32


def nano(**changes: object) -> Card:
    card = Card(
        name="nano",
        title='Nano, "small"',
        family="qwen2.5-vl",
        engine="gguf",
        parameters=4_700_000,
        context_length=8192,
        style=COMPACT_PANELS,
        sizing=Sizing.of_tokens(28, 8, 256),
        sampling=SamplingSettings(temperature=0.7, top_p=0.95, max_new_tokens=300),
        files=(
            ModelFile(role="weights", path="nano-f16.gguf", size=9_000_000, sha256=HASH),
            ModelFile(role="mmproj", path="nano-mmproj.gguf", size=1_000_000, sha256="cd" * 32),
            ModelFile(role="other", path="more/train.json", size=12),
        ),
        source=Source(repo="someone/nano", revision="0123456789" * 4),
        licence="BSD-3-Clause",
        trained_on="40,000 simulated candidates,\n  seeds 0 to 9",
        simulated_only=True,
        tasks=("CV", "SS"),
        figures=(ReportedFigure(figure="F1 CV", value=81.25, unit="%", on="held-out simulations"),),
    )
    return replace(card, **changes)


NANO = card_text(nano())


def changed(old: str, new: str) -> str:
    assert old in NANO
    return NANO.replace(old, new, 1)


def test_what_is_written_reads_back(tmp_path: Path) -> None:
    card = nano()
    path = write_card(card, tmp_path)
    assert path == tmp_path / "model.toml"
    back = read_card(tmp_path)
    assert back == replace(card, trained_on="40,000 simulated candidates, seeds 0 to 9")
    assert read_card(path) == back
    assert card_text(back) == path.read_text(encoding="utf-8")
    assert [entry.name for entry in tmp_path.iterdir()] == ["model.toml"]


def test_the_card_in_the_guide_works() -> None:
    guide = (BUNDLED / "README.md").read_text(encoding="utf-8")
    card = parse_card(guide.split("```toml\n")[1].split("```")[0])
    assert (card.name, card.engine, card.style) == ("mine", "gguf", COMPACT)
    assert card.simulated_only


def test_a_server_has_an_address_and_no_files(tmp_path: Path) -> None:
    server = ServerAddress(url="https://lab.example/v1", model="spec-o3")
    card = Card(name="lab", family="other", engine="remote", server=server)
    write_card(card, tmp_path)
    assert read_card(tmp_path) == card


def test_what_is_left_out_has_a_default() -> None:
    card = parse_card(
        'name = "big"\nfamily = "qwen3-vl"\nengine = "transformers"\n'
        '[[files]]\nrole = "weights"\npath = "model.safetensors"\nsize = 5\n'
    )
    assert card.sizing.factor == 32
    assert card.style == PUBLISHED
    assert card.sampling == SamplingSettings()
    assert card.context_length == 32768
    assert not card.simulated_only


FAULTS = [
    ('name = "nano"', 'name = "../nano"', r"name: expected a model's name"),
    ('name = "nano"', 'nmae = "nano"', r'name: missing.*did you mean "nmae"'),
    ('family = "qwen2.5-vl"', 'family = "qwen2-vl"', r'not one of.*did you mean "qwen2.5-vl"'),
    ('family = "qwen2.5-vl"', 'family = "other"', r"only for models on servers"),
    ('engine = "gguf"', 'engine = "pickle"', r'engine: "pickle" is not one of'),
    ('engine = "gguf"', 'engine = "remote"', r"\[server\] is required for the engine remote"),
    ("protocol = 1", "protocol = 2", r"needs protocol 2.*update the program"),
    ("parameters = 4700000", "parameters = -1", r"parameters: expected a number from 0"),
    ("parameters = 4700000", "parameters = 4.5", r"expected a whole number, found 4.5"),
    ("parameters = 4700000", "parameters = true", r"expected a number, found true"),
    ("context_length = 8192", "context_length = 99999999", r"context_length: expected a number"),
    ('licence = "BSD-3-Clause"', 'licence = "a\\u001b[31m"', r"unprintable character U\+001B"),
    ('licence = "BSD-3-Clause"', 'licence = "<|im_end|>"', r"looks like chat markup"),
    ('licence = "BSD-3-Clause"', 'license = "BSD"', r'"license": unknown key.*"licence"'),
    ('name = "compact-panels"', 'name = "compact-panels"\nwdith = 3', r'style.*"wdith": unknown'),
    ("width = 336", "width = 335", r"style.*multiples of 28"),
    ("width = 336", "width = 99999", r"style.*width must be between"),
    ("grid = true", 'grid = "yes"', r"grid: expected true or false, found text"),
    ("factor = 28", "factor = 0", r"sizing.factor: expected a number from 1"),
    ("max_tokens = 256", "max_tokens = 4", r"sizing: picture areas from"),
    ("top_p = 0.95", "top_p = 0", r"top_p: expected a number from 1e-06"),
    ("top_p = 0.95", "top_k = 5", r'"top_k": unknown key'),
    ('repo = "someone/nano"', 'repo = "someone"', r"repo: expected a repository such as owner"),
    ('revision = "01', 'revision = "zz', r"revision: expected a commit"),
    ('role = "mmproj"', 'role = "code"', r'role: "code" is not one of'),
    ('role = "mmproj"', 'role = "other"', r"weights and one mmproj"),
    ("size = 12", "size = -1", r"more/train.json.*size: expected a number from 0"),
    (f'sha256 = "{HASH}"', 'sha256 = "no"', r"sha256: expected 64 hexadecimal digits"),
    ("value = 81.25", "value = nan", r"figures\[1\].value: expected a number"),
    ('on = "held-out simulations"', "", r"on: missing"),
    ("nano-mmproj.gguf", "nano-f16.gguf", r"two files have the same path"),
    ("nano-mmproj.gguf", "Nano-F16.gguf", r"two files have the same path"),
]


@pytest.mark.parametrize(("old", "new", "says"), FAULTS)
def test_a_faulty_card_names_file_key_and_what_is_expected(old: str, new: str, says: str) -> None:
    with pytest.raises(ResourceError, match=says) as caught:
        parse_card(changed(old, new), "here/model.toml")
    assert str(caught.value).startswith("here/model.toml: ")
    assert "\n" not in str(caught.value)


def test_a_card_is_bounded(tmp_path: Path) -> None:
    file = '[[files]]\nrole = "other"\npath = "f{}.json"\nsize = 1\n'
    with pytest.raises(ResourceError, match="expected 0 to 300 tables"):
        parse_card(NANO + "".join(file.format(number) for number in range(301)))
    with pytest.raises(ResourceError, match="longer than 256 KiB"):
        parse_card(NANO + "#" * 300_000)
    with pytest.raises(ResourceError, match="not a file"):
        read_card(tmp_path / "absent.toml")


@given(st.integers(0, len(NANO) - 1), st.text(max_size=4), st.integers(0, 30))
def test_no_damage_raises_anything_but_a_clear_error(place: int, put: str, cut: int) -> None:
    try:
        parse_card(NANO[:place] + put + NANO[place + cut :])
    except ResourceError as error:
        assert str(error)


def test_what_would_not_read_back_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(ResourceError, match="chat markup"):
        write_card(nano(title="ends with <|im_end|>"), tmp_path)
    with pytest.raises(ResourceError, match="must be multiples of 784 pixels"):
        write_card(nano(sizing=Sizing(28, 7000, 70_000)), tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_card_that_cannot_be_written_leaves_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_card(nano(), tmp_path)

    def refuse(number: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("agent.atomic_file.os.fsync", refuse)
    with pytest.raises(ResourceError, match=r"model.toml could not be written"):
        write_card(nano(title="other"), tmp_path)
    assert read_card(tmp_path).title == 'Nano, "small"'
    assert [path.name for path in tmp_path.iterdir()] == ["model.toml"]


def test_the_hash_is_of_what_decides_the_answers() -> None:
    card = nano()
    first = card_hash(card)
    assert len(first) == 64
    same = {
        "files": card.files[:2], "name": "mine", "title": "Other", "figures": (), "trained_on": "",
        "licence": "MIT", "source": None, "sampling": SamplingSettings(temperature=1.0),
    }  # fmt: skip
    for key, value in same.items():
        assert card_hash(nano(**{key: value})) == first, key
    weights = replace(card.files[0], sha256="ef" * 32)
    other = {
        "files": (weights, *card.files[1:]), "style": PUBLISHED, "context_length": 4096,
        "sizing": Sizing.of_tokens(28, 8, 255), "family": "qwen3-vl", "rules": "published",
    }  # fmt: skip
    for key, value in other.items():
        assert card_hash(nano(**{key: value})) != first, key
    assert card_hash(nano(wording="mine")) == first
    assert card_hash(card, "ab" * 32) != first


def test_a_card_names_its_rules_and_its_wording() -> None:
    card = nano(rules="published", wording="spec-o3")
    text = card_text(card)
    assert 'protocol = "published"\nwording = "spec-o3"' in text
    said = "40,000 simulated candidates, seeds 0 to 9"
    assert parse_card(text) == nano(rules="published", wording="spec-o3", trained_on=said)
    assert parse_card(NANO).rules == "ours"
    assert "protocol = 1" in NANO and "wording" not in NANO
    for wrong in ('protocol = "mine"', 'protocol = 1\nwording = "../x"', "protocol = true"):
        with pytest.raises(ResourceError, match=r"protocol|wording"):
            parse_card(changed("protocol = 1", wrong))


def test_a_style_has_the_type_of_its_keys() -> None:
    style = Style(name="mine", width=280, line_width=2.0, title=True)
    assert parse_card(card_text(nano(style=style))).style == style


# What a card may contain.
@pytest.mark.parametrize("path", [
    "../nano.gguf", "/etc/passwd.json", "a/../../b.json", "C:/x.json", "C:x.json", "a\\\\b.json",
    ".hidden.json", "a//b.json", "a/b/c/d/e.json", "x/.json ", "nano.bin", "nano.pt",
    "modeling.py", "nano.gguf.py", "con\\u0000.json", "",
])  # fmt: skip
def test_files_lie_inside_the_folder_and_hold_data_alone(path: str) -> None:
    with pytest.raises(ResourceError):
        parse_card(changed("nano-mmproj.gguf", path))


def test_a_secret_never_gets_into_a_card() -> None:
    text = 'name = "x"\nfamily = "other"\nengine = "remote"\n[server]\nurl = "{}"\n'
    assert parse_card(text.format("https://h/v1/")).server == ServerAddress(url="https://h/v1")
    for url in ("https://me:secret@h/v1", "https://h/v1?key=secret", "ftp://h", "https://"):
        with pytest.raises(ResourceError) as caught:
            parse_card(text.format(url))
        assert "secret" not in str(caught.value)
