"""Crash reports hold no secrets, and only so many are kept."""

import json
import random
import unicodedata
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import quote

import pytest

from app.ui.base import crash_report
from app.ui.base.crash_report import (
    MAX_CHARACTERS,
    MAX_KEPT,
    cleaned,
    make_report,
    open_folder,
    truncated,
    write_report,
)
from tests.app.ui.program.raised import ATTACKS, raised
from tests.attacks.sandbox import Sandbox
from tests.night import BY_NIGHT, seeds

SECRET = "geheim"
WRITTEN = [
    "password={}", "PASSWORD = {}", "PGPASSWORD={}", "passwd: {}", "pwd={}", "passphrase='{}'",
    "sslpassword={} host=db", "api_key={}", "api-key: {}", "apikey='{}'", "x-api-key: {}",
    "{{'api_key': '{}'}}", '{{"api_key": "{}"}}', '{{\\"api_key\\": \\"{}\\"}}',
    "{{'api_key': b'{}'}}", "('x-api-key', '{}')", "[('authorization', 'Bearer {}')]",
    "(b'authorization', b'Bearer {}')", "Authorization: Token {}", "authorization: Basic {}",
    'Authorization: Digest username="ada", response="{}"', "Cookie: one=1; session={}",
    "access_key => {}", "client_secret: {}", "SPEC_O3_API_KEY={}", "token%3D{}",
    "https://{}@host/v1", "https://ada:{}@host/v1", "postgresql://ada:{}@host/night",
    "postgresql://ada:a/{}@host/night", "postgresql://ada:a@{}@host/night",
    "postgresql://ada:'{}@host/night", "postgresql://@/night?password={}",
    "https://host/v1?key={}#m", "https://host/v1?a=1&sig={}", "hf_{}12345", "sk-proj-{}12345",
    "ghp_{}12345", "glpat-{}12345", "eyJhbGciOi.{}.12345",
    "-----BEGIN RSA PRIVATE KEY-----\nabc{}\nabc\n-----END RSA PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----\nabc{}"
]  # fmt: skip
AROUND = [
    "{}", "refused {} by the server", "RuntimeError('{}')", '"{}"', "line\n{}\nline",
    "(1, {}, 2)", "\u202e{}", "\ud800{}\udfff", "x\0{}\0x", "\x1b[31m{}\x1b[0m"
]  # fmt: skip


def test_no_key_and_no_home_folder_get_into_a_report_of_limited_size(monkeypatch):
    monkeypatch.setenv("SOME_VARIABLE", "not for others")
    for secret in [
        "hf_abcdefghijklmnop1234", "sk-proj-abcdef0123456789",
        "Authorization: Bearer eyJhbGciOi.abc.def",
        "postgresql://ada:geheim99@db.example.org/night", "api_key='geheim99'",
        "SPEC_O3_TOKEN=geheim99", "https://example.org/list?key=geheim99&x=1",
    ]:  # fmt: skip
        text = make_report(*raised(RuntimeError(f"refused {secret} by the server"))).text
        for part in ("abcdef", "geheim99", "eyJhbGciOi", "not for others"):
            assert part not in text
        assert "by the server" in text
    assert cleaned(f"{Path.home()}/lists/night.csv") == "~/lists/night.csv"
    report = make_report(*raised(RuntimeError("long " * 100_000)))
    assert len(report.text) < 70_000 and len(report.summary) <= 400


def test_a_limited_number_is_kept_in_a_folder_that_is_named(tmp_path, monkeypatch):
    report = make_report(*raised(RuntimeError("again")))
    paths = [write_report(report, tmp_path).path for _ in range(MAX_KEPT + 4)]
    assert sorted(tmp_path.glob("crash-*.txt")) == sorted(paths)[4:]
    monkeypatch.setattr("app.ui.base.crash_report.QDesktopServices.openUrl", lambda url: False)
    shown = []
    open_folder(tmp_path / "logs", shown.append)
    assert shown == [f"The reports are in {tmp_path / 'logs'}"] and (tmp_path / "logs").is_dir()


def test_every_error_has_a_report(tmp_path):
    """However its text is made; the report itself takes no memory, and ends before the sandbox
    ends it."""
    with Sandbox("tests.app.ui.program.raised:report_of") as sandbox:
        for attack in ATTACKS:
            outcome = sandbox.run(attack, str(tmp_path))
            assert (outcome.error, outcome.output) == ("", ""), attack
            summary, text, is_written = outcome.value
            assert 0 < len(summary) <= 400 and is_written, attack
            assert "Traceback" in text and len(text) < 70_000, attack
            assert outcome.peak_mb <= 600, (attack, outcome.peak_mb)


def test_a_full_disk_leaves_no_half_of_a_report(tmp_path, monkeypatch):
    def write_half(path, text, **more):
        path.write_bytes(text.encode()[:100])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", write_half)
    report = make_report(*raised(RuntimeError("again")))
    assert write_report(report, tmp_path) == report and report.path is None
    assert list(tmp_path.iterdir()) == []


def test_a_key_however_it_is_written(monkeypatch):
    for written in WRITTEN:
        for around in AROUND:
            for length in (1, 20):
                text = around.replace("{}", written.format(SECRET * length))
                assert SECRET not in cleaned(text), text
    monkeypatch.setenv("MY_SERVICE_TOKEN", "correct horse")
    monkeypatch.setenv("SHORT_TOKEN", "no")
    assert cleaned("said no to correct horse") == "said no to [left out]"


def test_a_key_at_a_cut_is_not_left_without_its_name():
    # The part of a long text that is left out may end anywhere in `api_key=...`.
    for longest in [MAX_CHARACTERS, 4 * MAX_CHARACTERS]:
        for written in WRITTEN if BY_NIGHT else WRITTEN[::6]:
            text = written.format(SECRET)
            tail = longest - longest // 4
            for shift in range(-2, len(text) + 2, 1 if BY_NIGHT else 12):
                whole = "x" * 400_000 + "\n" + text + "\n" + "y" * (tail - shift)
                assert SECRET[2:] not in truncated(cleaned(whole)), shift


HOMES = (
    "/home/ada", "/home/Ádá L", "/home/名前", "/home/\udce9ric", "/Users/ada’s", r"C:\Users\Ádá"
)  # fmt: skip


@pytest.mark.parametrize("home", HOMES)
def test_the_home_folder_however_it_is_written(home, monkeypatch):
    monkeypatch.setattr(crash_report, "Path", SimpleNamespace(home=lambda: home))
    path = home + ("\\" if "\\" in home else "/") + "night.csv"
    raw = path.encode("utf-8", "surrogateescape")
    written = [path, ascii(path), repr(path), repr(raw), json.dumps(path), quote(raw)]
    written += [quote(raw, safe=""), quote(raw).lower(), repr(repr(path)), json.dumps(repr(path))]
    written += [unicodedata.normalize(form, path) for form in ("NFC", "NFD")]
    written += [path.upper(), path.replace("\\", "/"), f"file://{quote(raw)}"]
    for text in written:
        left = cleaned(f"cannot read {text}!")
        assert "~" in left and "sers" not in left.lower(), text
        assert "home" not in left.lower(), text
        assert "ight.csv" in left.lower()


def test_without_a_home_folder(monkeypatch):
    def home():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(crash_report, "Path", SimpleNamespace(home=home))
    assert cleaned("/home/ada password=x") == "/home/ada password=[left out]"


PIECES = [
    "://", "@", "password=", "token", "-", "a", "'", '"', "\\", " ", "\n", ":", "=", ",", "eyJ"
]  # fmt: skip
PIECES += ["-----BEGIN PRIVATE KEY-----", "authorization:", "cookie=", "basic ", "?key=", "A" * 99]
LONG = pytest.mark.timeout(60)
"""Some hundred times what the longest takes."""


@LONG
@pytest.mark.parametrize("seed", seeds(2, 40))
def test_no_text_takes_long(seed):
    """Texts on which a search that starts again at every character takes minutes."""
    random.seed(seed)
    few = random.sample(PIECES, random.randint(1, 3))
    for text in ("".join(random.choices(few, k=2000)) * 300, few[0] * 200_000):
        assert len(cleaned(text)) < 20 * len(text)


@LONG
@pytest.mark.parametrize("piece", PIECES)
def test_no_repeated_piece_takes_long(piece):
    assert len(cleaned(piece * 300_000)) < 20 * len(piece) * 300_000
