"""Every note and error of importing is translated, with what is put into it; other texts stay."""

import ast
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import agent
import app
from app.ui.base.translation.data_texts import load_table
from app.ui.base.translation.message_texts import MAX_TEXT, PLACE, translate_message
from tests.app.ui.base.translation.conftest import OTHERS

AGENT, APP = Path(agent.__file__).parent, Path(app.__file__).parent
CORE = APP / "core"
SOURCES = (
    *sorted((APP / "services" / "archives").glob("*.py")),
    *(
        APP / "services" / "catalogues" / f"{name}.py"
        for name in ("dust", "light_curve", "position", "sky_picture", "tap")
    ),
    APP / "services" / "catalogues" / "votable_reply.py",
    *sorted((APP / "services" / "web").glob("*.py")),
    *sorted((CORE / "fetching").glob("*.py")),
    *sorted({*(CORE / "importing").rglob("*.py")} - {CORE / "importing" / "role_names.py"}),
    *sorted((AGENT / "votable").glob("*.py")),
    *sorted((AGENT / "spectra" / "readers").glob("*.py")),
    *(AGENT / "spectra" / "fits" / f"{name}.py" for name in ("fits_file", "fits_table")),
    AGENT / "spectra" / "fits" / "source_file.py",
    AGENT / "spectra" / "spectrum.py",
    *(APP / "worker" / f"{name}.py" for name in ("child", "inspection")),
    *(APP / "worker" / f"{name}.py" for name in ("process", "request", "supervisor")),
    AGENT / "checked_toml.py",
    AGENT / "tasks" / "task_file.py",
    AGENT / "tasks" / "catalogue.py",
    *(
        AGENT / "engines" / "remote" / f"{name}.py"
        for name in ("address", "client", "conversation", "engine")
    ),
    *(AGENT / "engines" / "remote" / f"{name}.py" for name in ("errors", "servers")),
    *(AGENT / "inspection" / f"{name}.py" for name in ("built_in", "episode", "inspector_factory")),
    AGENT / "engines" / "remote" / "kind.py",
    *sorted({*(AGENT / "models").glob("*.py")} - {AGENT / "models" / "wording_source.py"}),
    *sorted((AGENT / "engines" / "gguf").glob("*.py")),
    *sorted((AGENT / "engines" / "hf").glob("*.py")),
    *sorted((AGENT / "engines").glob("*.py")),
    *sorted((CORE / "sharing").glob("*.py")),
    *(
        CORE / "finding" / f"{name}.py"
        for name in ("choice", "found_session", "inputs", "processes", "search")
    ),
    *(CORE / "database" / f"{name}.py" for name in ("database", "error_messages", "session_file")),
    CORE / "errors.py",
    CORE / "progress.py",
    *(CORE / "exporting" / f"{name}.py" for name in ("export", "rows", "spectrum_file")),
    *(CORE / "exporting" / "formats" / f"{name}.py" for name in ("fits_file", "parquet_file")),
    CORE / "inspections" / "batch.py",
    *(CORE / "queue" / f"{name}.py" for name in ("filter_parser", "filters")),
    *(CORE / "session" / f"{name}.py" for name in ("group_acts", "session")),
    *sorted({*(APP / "services" / "samp").glob("*.py")} - {APP / "services" / "samp" / "hub.py"}),
    APP / "ui" / "program" / "samp" / "samp_work.py",
    *(CORE / "spectra" / f"{name}.py" for name in ("packing", "prefetch")),
    AGENT / "spectra" / "spectrum_bytes.py",
)
"""What the window shows of lists, spectra, models, servers, files and filters comes from there."""
A_SENTENCE = re.compile(r"[A-Za-z]{2,}[\w',)]* +[a-zA-Z(]")
NO_MESSAGE = re.compile(
    r"PRAGMA|INSERT|SELECT|\\[wsd]|too long\0|FATAL|^(does not exist|decode to|too many$)"
    r"|^(authentication failed|no password supplied)$|^the database says|\{words\}|^the server"
    r"|^ignored|^no task|^list reader$|^text table$|^Fatal Python"
    r"|^(?=[^_]*_)[a-z_\s]+$|^<|BEGIN IMMEDIATE|cannot be nested|context \(\?:|^byte-by-byte"
    r"|^(FITS image|FITS table|LAMOST LRS|LAMOST MRS|SDSS spSpec)$|^there is a reader named"
    r"|::=|s label|^\| label|<.im_end|<.im_start|^Found missing adapter keys$"
    r"|^SAMP messages$|^Vets spectra of candidates$|^the answer of the hub is"
    r"|^%s|^a result has a|^an event listener failed|^the worker %s|^worker client$"
    r"|^failed to load model$"
    # Of what the window and its worker send one another.
    r"|^a (model|spectrum) must be a JSON|^the spectrum in the message is"
    r"|^the (address|other hashes) of a model must be"
    # Comments of keywords in FITS files.
    r"|^from a survey$|^UTC, "
    r"|^(rows (read|used)|simulated spectra|no value|binary table|bytes in a row)$"
    r"|^(vetted candidates|candidates in the session|of them with a verdict)$|^in the list: "
    r"|^(bytes of long texts after the rows|candidates about which it answered)$"
)
"""Code; what belongs to servers and to the command line; what the window says itself."""
PUT_TOGETHER = {
    "gaia.bp_rp or twomass.j - twomass.h",
    " but a web page",
    " but empty",
    "DESI Legacy Surveys",
    "{} positions in one question; at most {}",
    "that could not be read as spectra",
    "whose names are not valid Unicode: rename them",
    "CSV, TSV, ECSV, FITS, VOTable, Parquet or a folder of spectra",
    "its format is unknown: use {}",
    "compress (.Z)",
    "line {} of the file",
    "its column {}",
    "{} has an unknown type",
    "{} has an invalid arraysize",
    "{} declares {} elements per cell",
    "{} {} spectra outside the folder of the list, in {}",
    "{}: give its folder as the one of the spectra",
    "{}: give its target folder as the one of the spectra",
    "expected a number, found {}",
    "; did you mean {}?",
    ", row {} as its error",
    "\nleft out: {}",
    "there is no model {}; use one of {}, the path of a model folder or .gguf file, or the address "
    "of a server{}",
    "; gave up after {} attempts",
    "; keys are sent only over https",
    "; set {} to your key",
    ": add one to the address as #MODEL ({})",
    "{}; columns of the list: {}",
    "the measured inspector",
    'pip install "spec-o3-workbench[formats]"',
    "the task",
    "the task of {}",
    "the worker {} while it {}",
    "{}; the next request starts a new one",
    "no server answers (",
    " (its last line: {})",
    "{} and was killed",
    "have the wrong shape for",
    "{} has no {}",
    "the weights in {} {} {} and {} more; the download may be broken",
    "{model} is prompted in our words, not in those it was trained on: the accuracy of the "
    "published weights is not guaranteed (spec-o3 models wording {wording} --from ...)",
    "did not load within {} s",
    "did not start within {} s",
    "did not stop within {} s of the request to cancel",
    "gave no sign of life for {} s",
    "was {} s over its deadline of {} s",
    "has another version",
    "of the members (simulated ones, planted)",
    "of the known members given",
    "of these are members (by their p)",
    "the process that read it {}",
    "gave no answer for {} s",
}
"""Parts that the table has together, and the reasons that only a terminal prints."""


def texts_of(node: ast.AST) -> Iterator[str]:
    """The texts below a node that are no docstrings, with {} for what is put into them."""
    match node:
        case ast.Expr(value=ast.Constant()):
            return
        case ast.Constant(value=str(text)):
            yield text
        case ast.JoinedStr(values=values):
            yield "".join(map(_part, values))
            return
    for child in ast.iter_child_nodes(node):
        yield from texts_of(child)


def _part(value: ast.expr) -> str:
    if isinstance(value, ast.Constant):
        return str(value.value)
    assert isinstance(value, ast.FormattedValue)
    inside = ast.unparse(value.value)
    return "" if "near_miss" in inside or inside in ("guess", "more") else "{}"


def plain(text: str) -> str:
    """The text with {} for each place."""
    return re.sub(r'"?(\{\})+"?', "{}", PLACE.sub("{}", text))


def is_known(text: str, table: set[str]) -> bool:
    """Whether the text is in the table, itself or behind the name of its object."""
    parts = text.split(": ")
    return any(": ".join(parts[number:]) in table for number in range(len(parts)))


def said_in_the_sources() -> set[str]:
    found = set()
    for path in SOURCES:
        for text in texts_of(ast.parse(path.read_text(encoding="utf-8"))):
            bare = plain(text)
            if A_SENTENCE.search(bare) and not NO_MESSAGE.search(bare):
                found.add(bare)
    return found


@pytest.mark.parametrize("name", OTHERS)
def test_every_message_is_in_the_table(name):
    said = said_in_the_sources()
    assert len(said) > 150 and said >= PUT_TOGETHER
    table = {plain(each) for each in load_table("messages", name)}
    missing = [each for each in sorted(said - PUT_TOGETHER) if not is_known(each, table)]
    assert not missing, "\n".join(missing)


TRANSLATED = {
    "a: b.csv: none of its 1,200 rows can be used; row 3: line 4 of the file: 1 cell instead of "
    "5": ("a: b.csv：其中 1,200 行都不能使用；第 3 行：文件第 4 行：有 1 个单元格，而应有 5 个"),
    'b.csv: it has no column "snrr"; did you mean "snr"?': (
        'b.csv：没有名为 "snrr" 的列；是否指 "snr"？'
    ),
    "skipped 1 array column": "跳过了 1 个数组列",
    "skipped 2 files that could not be read as spectra": "跳过了 2 个文件，因为无法作为光谱读取",
    "x.csv: 5 rows name spectra outside the folder of the list, in /a, /b, /c and 2 more": (
        "x.csv：5 行所指的光谱在列表的文件夹之外，位于 /a, /b, /c 及另外 2 个文件夹"
    ),
    "q.bin: it cannot be read: Permission denied": "q.bin：无法读取：没有权限",
    "q.bin: it cannot be read: Text file busy": "q.bin：无法读取：Text file busy",
    "the process that read it was killed by SIGKILL (as when memory runs out); it may be damaged: "
    "save it again, if possible as CSV": (
        "读取它的进程被 SIGKILL 终止（与内存耗尽时一样）；文件可能已损坏：请重新保存，最好存为 CSV"
    ),
    "3 lines not in UTF-8, read as GB18030 (Chinese)": ("3 行不是 UTF-8，按 GB18030（中文）读取"),
    "x.vot: it is a damaged VOTable: unclosed token: line 1, column 16": (
        "x.vot：这是损坏的 VOTable：记号没有闭合：第 1 行，第 16 列"
    ),
    "x.fits: no reader knows this file (LAMOST MRS, LAMOST LRS: its primary header does not name "
    "LAMOST; SDSS: its HDU 1 is not a table; text table: not a text table)": (
        "x.fits：没有读取器认识该文件（LAMOST MRS, LAMOST LRS：其主文件头没有提到 LAMOST；"
        "SDSS：其 HDU 1 不是表；text table：不是文本表）"
    ),
    "x.fits: its data end too soon; download the file again; it has no HDU 2": (
        "x.fits: its data end too soon; download the file again; it has no HDU 2"
    ),
    "x.fits: it holds 3 spectra (rows 0 to 2); there is no row 7": (
        "x.fits：其中有 3 条光谱（第 0 至 2 行）；没有第 7 行"
    ),
    "the worker was killed by SIGKILL (as when memory runs out) while it was inspecting J1 (its "
    "last line: Killed); the next request starts a new one": (
        "工作进程检查 J1时被 SIGKILL 终止（与内存耗尽时一样）（其最后一行：Killed）；"
        "下一个请求会启动新的进程"
    ),
    "/m/nano.gguf is not a usable GGUF file: it has version 1; supported are 2 to 3; download it "
    "again": "/m/nano.gguf 不是可用的 GGUF 文件：其版本为 1；支持 2 至 3；请重新下载",
    "/m/nano.gguf is not a usable GGUF file: it claims 9,000,000 items in one array; download it "
    "again": "/m/nano.gguf 不是可用的 GGUF 文件：它声称有 9,000,000 项的单个数组；请重新下载",
    "not enough memory for a conversation of 4,096 tokens; try a shorter context": (
        "内存不足以容纳 4,096 个标记的对话；请尝试更短的上下文"
    ),
    "the weights in /m have the wrong shape for lm_head.weight and 3 more; the download may be "
    "broken": "/m 中的权重对 lm_head.weight 及另外 3 项形状不对；下载可能不完整",
    "huggingface.co does not respond (timed out); try again later": (
        "huggingface.co 没有响应（timed out）；请稍后再试"
    ),
    "the other session is damaged: it has no line of the log 7": (
        "另一会话已损坏：其中没有记录中的行 7"
    ),
    "host:8000: it cannot be reached; gave up after 4 attempts": (
        "host:8000：无法连接；尝试 4 次后放弃"
    ),
    "/a/out.fits could not be written: the disk is full. No existing file was changed": (
        "无法写入 /a/out.fits：磁盘已满。没有改动任何已有文件"
    ),
    "/a/cv.toml: windows[2].range: expected a number from 500 to 1e+06 Å, found 5": (
        "/a/cv.toml: windows[2].range：应为 500 至 1e+06 Å 的数，实为 5"
    ),
}


def test_names_and_numbers_are_put_in_and_what_is_not_known_stays(language):
    for english in TRANSLATED:
        assert translate_message(english) == TRANSLATED[english]
    own = "a model's own words"
    for text in ["", own, "none of its many rows can be used", "x" * (MAX_TEXT + 1)]:
        assert translate_message(text) == text
    for number in (2, 5, 13, 21, 24, 28, 30, 36, 40):
        english = os.strerror(number)
        assert translate_message(english) != english, english
    for word in ["it is ", "a: ", "it cannot be read: ", "x cannot be read: "]:
        text = word * (MAX_TEXT // len(word))
        assert translate_message(text).endswith(word[-3:])


def test_english_needs_no_table(qapp):
    assert translate_message("it is empty") == "it is empty"
