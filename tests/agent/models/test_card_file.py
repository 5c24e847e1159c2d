"""Cards: what is written reads back, and a hostile one is refused in words that help."""

import hashlib
import json
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
from agent.models.check_files import check_files, missing_files, remember_files
from agent.models.infer_card import infer_card, make_card
from agent.models.registry import BUNDLED
from agent.rendering.model_image import Sizing
from agent.rendering.render import COMPACT, COMPACT_PANELS, PUBLISHED, Style
from tests.agent.models.model_folders import folder_of, gguf

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


# Cards inferred from a folder or a GGUF header.
def test_a_folder_without_a_card_gets_one_inferred(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "My model!")
    card = infer_card(folder)
    assert (card.name, card.family, card.engine) == ("My-model", "qwen2.5-vl", "transformers")
    assert card.context_length == 4096
    assert card.style == PUBLISHED
    roles = {file.path: file.role for file in card.files}
    assert roles == {
        "config.json": "config",
        "merges.txt": "tokenizer",
        "model.safetensors": "weights",
        "tokenizer.json": "tokenizer",
    }
    assert parse_card(card_text(card)) == card
    assert missing_files(card, folder) == ()


@pytest.mark.parametrize(("settings", "tokens"), [
    ({"min_pixels": 3136, "max_pixels": 12845056}, (8, 1280)),
    ({"min_pixels": 16 * 784, "max_pixels": 100 * 784 + 5}, (16, 100)),
    ({"size": {"shortest_edge": 20 * 784, "longest_edge": 40 * 784}}, (20, 40)),
    ({"min_pixels": "x", "max_pixels": True}, (8, 1280)),
    ({"size": 7}, (8, 1280)),
])  # fmt: skip
def test_picture_limits_come_from_the_preprocessor(
    tmp_path: Path, settings: dict[str, object], tokens: tuple[int, int]
) -> None:
    folder = folder_of(tmp_path / "m")
    (folder / "preprocessor_config.json").write_text(json.dumps(settings))
    assert infer_card(folder).sizing == Sizing.of_tokens(28, *tokens)


def test_what_cannot_inspect_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ResourceError, match=r'type "llama"; only qwen2_5_vl and qwen3_vl'):
        infer_card(folder_of(tmp_path / "a", "llama"))
    with pytest.raises(ResourceError, match=r"neither config\.json nor"):
        infer_card(tmp_path)
    with pytest.raises(ResourceError, match="is neither a model folder nor"):
        infer_card(tmp_path / "absent")
    bad = folder_of(tmp_path / "b")
    for content in (b"[]", b"{", b"[" * 100_000, b"\xff", b" " * 5_000_000):
        (bad / "config.json").write_bytes(content)
        with pytest.raises(ResourceError, match=r"config\.json"):
            infer_card(bad)
    pickled = folder_of(tmp_path / "c")
    (pickled / "model.safetensors").rename(pickled / "pytorch_model.bin")
    with pytest.raises(ResourceError, match="no file has the role weights"):
        infer_card(pickled)


def test_an_adapter_names_its_base(tmp_path: Path) -> None:
    folder = tmp_path / "lora"
    folder.mkdir()
    (folder / "adapter_model.safetensors").write_bytes(b"low rank")
    settings = {"peft_type": "LORA", "base_model_name_or_path": "/home/me/models/spec-o3-3b/"}
    (folder / "adapter_config.json").write_text(json.dumps(settings))
    card = infer_card(folder)
    assert (card.base, card.engine, card.family) == ("spec-o3-3b", "transformers", "qwen2.5-vl")
    assert card.paths("adapter") == ("adapter_model.safetensors",)
    assert missing_files(card, folder) == ()
    (folder / "adapter_config.json").write_text("{}")
    with pytest.raises(ResourceError, match="does not name its base"):
        infer_card(folder)


def test_a_lone_gguf_gets_a_card_with_the_vision_part_beside_it(tmp_path: Path) -> None:
    weights = gguf(tmp_path / "spec-q8_0.gguf", qwen2vl__context_length=2048)
    with pytest.raises(ResourceError, match=r"needs its vision part .* found none"):
        infer_card(weights)
    gguf(tmp_path / "mmproj-spec-f16.gguf", "clip")
    for path, name in ((weights, "spec-q8_0"), (tmp_path, tmp_path.name)):
        card = infer_card(path)
        assert (card.name, card.family, card.engine) == (name, "qwen2.5-vl", "gguf")
        assert card.paths("weights") == ("spec-q8_0.gguf",)
        assert card.paths("mmproj") == ("mmproj-spec-f16.gguf",)
        assert card.context_length == 2048
    other = gguf(tmp_path / "spec-f16.gguf", "qwen3vl")
    assert infer_card(other).family == "qwen3-vl"
    with pytest.raises(ResourceError, match=r"several models: use one of spec-f16\.gguf, spec-q8"):
        infer_card(tmp_path)
    gguf(other, "llama")
    with pytest.raises(ResourceError, match='type "llama"; expected qwen2vl or qwen3vl'):
        infer_card(other)
    other.write_bytes(b"GGUF\3")
    with pytest.raises(ResourceError, match=r"spec-f16\.gguf is not a usable GGUF file"):
        infer_card(other)


def test_a_split_gguf_is_one_model(tmp_path: Path) -> None:
    for part in (1, 2):
        gguf(tmp_path / f"big-0000{part}-of-00002.gguf")
    gguf(tmp_path / "mmproj.gguf", "clip")
    card = infer_card(tmp_path)
    assert card.paths("weights") == ("big-00001-of-00002.gguf", "big-00002-of-00002.gguf")


def test_make_card_hashes_every_file(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "m")
    read: list[int] = []
    card = make_card(folder, on_bytes=read.append, name="mine", simulated_only=True)
    assert (card.name, card.simulated_only) == ("mine", True)
    for file in card.files:
        content = (folder / file.path).read_bytes()
        assert file.sha256 == hashlib.sha256(content).hexdigest()
        assert file.size == len(content)


def test_the_hubs_cache_names_large_files_by_their_hash(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agent.models.infer_card.HASHED_AT_ONCE", 3)
    folder = folder_of(tmp_path / "models--a--b" / "snapshots" / "c0ffee")
    blobs = tmp_path / "models--a--b" / "blobs"
    blobs.mkdir()
    (folder / "model.safetensors").rename(blobs / HASH)
    (folder / "model.safetensors").symlink_to(Path("../../blobs") / HASH)
    files = {file.path: file for file in infer_card(folder).files}
    assert files["model.safetensors"].sha256 == HASH
    assert files["config.json"].sha256 == ""
    assert files["merges.txt"].sha256 == hashlib.sha256(b"a b").hexdigest()


# Missing files, and hashes that are checked once.
def test_absent_shards_of_an_index_are_missing(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "m")
    (folder / "model.safetensors").rename(folder / "model-00001-of-00002.safetensors")
    weight_map = {
        "a": "model-00001-of-00002.safetensors",
        "b": "model-00002-of-00002.safetensors",
        "c": "../../outside.safetensors",
        "d": 5,
    }
    index = folder / "model.safetensors.index.json"
    index.write_text(json.dumps({"weight_map": weight_map}))
    (folder / "tokenizer.json").unlink()
    missing = missing_files(infer_card(folder), folder)
    assert missing == ("model-00002-of-00002.safetensors", "tokenizer.json")


@pytest.fixture
def memory(home: Path) -> Path:
    """Where hashes are remembered, apart from the user's."""
    return home / "cache" / "checked-files.json"


def test_files_are_hashed_once_and_again_when_they_changed(tmp_path: Path, memory: Path) -> None:
    folder = folder_of(tmp_path / "m")
    card = make_card(folder)
    read: list[int] = []
    check_files(card, folder, read.append)
    assert sum(read) == card.bytes
    check_files(card, folder, read.append)
    assert sum(read) == card.bytes, "a second time"
    (folder / "model.safetensors").write_bytes(b"WEIGHTS")
    other = r"model\.safetensors is not the file in the model's card"
    with pytest.raises(ResourceError, match=other):
        check_files(card, folder)
    (folder / "model.safetensors").write_bytes(b"short")
    with pytest.raises(ResourceError, match=r"incomplete: model\.safetensors missing or of"):
        check_files(card, folder)


def test_just_hashed_files_are_remembered(tmp_path: Path, memory: Path) -> None:
    folder = folder_of(tmp_path / "m")
    card = make_card(folder)
    remember_files(card, folder)
    check_files(card, folder, on_bytes=lambda count: pytest.fail("read again"))


@pytest.mark.parametrize("content", ["", "[]", "{", '{"a": 1}'])
def test_a_broken_memory_means_hashing_again(tmp_path: Path, memory: Path, content: str) -> None:
    folder = folder_of(tmp_path / "m")
    memory.parent.mkdir()
    memory.write_text(content)
    read: list[int] = []
    check_files(make_card(folder), folder, on_bytes=read.append)
    assert read
    memory.unlink()
    memory.mkdir()  # cannot be written either
    check_files(make_card(folder), folder)
