"""Replies that break the rules of HTTP, or keep them to no end."""

from __future__ import annotations

import gzip
import json
import socket
import struct
import zlib

from tests.attacks.servers.replies import (
    ANSWER,
    CHUNKED,
    GIGABYTE,
    JSON_CHUNKED,
    MANY,
    NO_LENGTH,
    SSE,
    Kind,
    chunk,
    delta,
    drip,
    flood,
    head,
    raw,
    redirect,
    said,
    silence,
    whole,
)
from tests.attacks.servers.server import Call, Play


def _bomb(compressed: bytes, encoding: str, kind: str = "application/json") -> Play:
    return whole(compressed, content_encoding=encoding, content_type=kind)


def gzip_bomb() -> bytes:
    return gzip.compress(gzip.compress(bytes(1 << 24)) * 20)


def _brotli_bomb() -> bytes:
    # a stream of one byte repeated: header of a window of 16 MB, then a long copy
    return bytes.fromhex("cfffff7ff825004055aa5500") * 100


def _zstd_bomb() -> bytes:
    # frames of 2 MB each that repeat one byte
    frame = struct.pack("<IB", 0xFD2FB528, 0xA0) + struct.pack("<I", 1 << 21)
    blocks = b"".join(
        struct.pack("<I", (last | 2 | ((1 << 17) << 3)))[:3] + b"a" for last in (*[0] * 15, 1)
    )
    return (frame + blocks) * 500


def framing() -> dict[str, Kind]:
    loop = redirect("{here}/chat/completions")
    return {
        "endless_pings": Kind(flood(CHUNKED, chunk(b": ping\n\n" * 500))),
        "endless_text": Kind(flood(CHUNKED, chunk(delta("word ") * 100)), "cut off"),
        "endless_empty_events": Kind(flood(CHUNKED, chunk(b"data: {}\n\n" * 500)), "within"),
        "endless_names_of_events": Kind(flood(CHUNKED, chunk(b"event: x\nid: 7\n" * 500))),
        "endless_line": Kind(flood(CHUNKED, chunk(b"data: " + b"x" * MANY)), "longer than"),
        "endless_data_lines": Kind(flood(CHUNKED, chunk(b"data: x\n" * 8000))),
        "endless_headers": Kind(flood(b"HTTP/1.1 200 OK\r\n", b"x-a: b\r\n" * 1000), "broke"),
        "endless_header_line": Kind(flood(b"HTTP/1.1 200 OK\r\nx: ", b"y" * MANY), "broke"),
        "endless_status_line": Kind(flood(b"HTTP/1.1 200 ", b"OK " * 9000), "broke"),
        "endless_chunk_extension": Kind(flood(CHUNKED + b"5;a=", b"b" * MANY), "broke"),
        "long_chunk_extensions": Kind(flood(CHUNKED, chunk(b"x", b";a=" + b"b" * 16000)), "within"),
        "one_byte_chunks": Kind(flood(JSON_CHUNKED, chunk(b"x") * 1000), "within"),
        "endless_trailers": Kind(flood(CHUNKED + b"0\r\n", b"x-a: b\r\n" * 1000), "broke"),
        "endless_continue": Kind(flood(b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 500), "within"),
        "endless_early_hints": Kind(
            flood(b"", b"HTTP/1.1 103 Hints\r\nlink: <a>\r\n\r\n" * 99), "within"
        ),
        "huge_chunk_size": Kind(raw(CHUNKED, b"ffffffffffffffffffff\r\nx")),
        "negative_chunk_size": Kind(raw(CHUNKED, b"-5\r\nabcde\r\n"), "broke"),
        "gigabyte_declared": Kind(
            flood(head(content_type="application/json", content_length=GIGABYTE), b"{" * MANY),
            "longer than",
        ),
        "gigabyte_in_chunks": Kind(flood(JSON_CHUNKED, chunk(b"[" * MANY)), "longer than"),
        "gigabyte_to_the_end": Kind(flood(NO_LENGTH, b'"' * MANY), "longer than"),
        "gigabyte_of_error": Kind(
            flood(head("400 Bad", content_length=GIGABYTE), b"<p>no</p>" * 7000), "status 400"
        ),
        "gzip_bomb": Kind(_bomb(gzip_bomb(), "gzip"), "compressed"),
        "gzip_bomb_twice": Kind(_bomb(gzip_bomb(), "gzip, gzip"), "compressed"),
        "gzip_bomb_as_stream": Kind(_bomb(gzip_bomb(), "gzip", SSE), "compressed"),
        "gzip_bomb_as_error": Kind(
            whole(gzip_bomb(), "500 Bad", content_encoding="gzip"), "compressed"
        ),
        "deflate_bomb": Kind(_bomb(zlib.compress(bytes(1 << 26)), "deflate"), "compressed"),
        "brotli_bomb": Kind(_bomb(_brotli_bomb(), "br"), "compressed"),
        "zstd_bomb": Kind(_bomb(_zstd_bomb(), "zstd"), "compressed"),
        "slow_headers": Kind(drip(b"HTTP/1.1 200 OK\r\nx: ", b"y"), "within"),
        "slow_body": Kind(drip(JSON_CHUNKED, chunk(b" ")), "within"),
        "slow_line": Kind(drip(CHUNKED, chunk(b"d")), "within"),
        "slow_pings": Kind(drip(CHUNKED, chunk(b": ping\n\n")), "within"),
        "slow_empty_events": Kind(drip(CHUNKED, chunk(b"data: {}\n\n")), "within"),
        "slow_letters": Kind(drip(CHUNKED, chunk(delta("a"))), "within"),
        "slow_continue": Kind(drip(b"", b"HTTP/1.1 100 Continue\r\n\r\n"), "within"),
        "slow_error": Kind(drip(head("500 Bad"), b"<p>"), "within"),
        "slow_chunk_extension": Kind(drip(CHUNKED + b"5;a=", b"b"), "within"),
        "silent": Kind(silence(), "within"),
        "silent_after_headers": Kind(silence(CHUNKED), "within"),
        "silent_between_events": Kind(silence(CHUNKED + chunk(delta("a"))), "within"),
        "silent_in_a_chunk": Kind(silence(CHUNKED + b"ff\r\ndata"), "within"),
        "closes_at_once": Kind(raw(), "broke"),
        "resets": Kind(_reset, "broke"),
        "half_of_headers": Kind(raw(b"HTTP/1.1 200 OK\r\ncontent-ty"), "broke"),
        "closes_in_a_chunk": Kind(raw(CHUNKED, b"ff\r\ndata: "), "broke"),
        "closes_in_an_event": Kind(raw(CHUNKED, chunk(delta("a")[:-9])), "broke"),
        "shorter_than_declared": Kind(raw(head(content_length="500"), b"{}"), "broke"),
        "longer_than_declared": Kind(raw(head(content_length="2"), b"{}" * 5000)),
        "redirect_elsewhere": Kind(redirect("{elsewhere}/v1/chat/completions"), "has moved"),
        "redirect_302": Kind(redirect("{elsewhere}/", "302 Found"), "has moved"),
        "redirect_303": Kind(redirect("{here}/", "303 See Other"), "has moved"),
        "redirect_301_here": Kind(redirect("{here}/", "301 Moved"), "has moved"),
        "redirect_other_port": Kind(redirect("http://127.0.0.1:1/v1"), "has moved"),
        "redirect_other_name": Kind(redirect("http://localhost/v1"), "has moved"),
        "redirect_to_file": Kind(redirect("file:///etc/passwd"), "invalid address"),
        "redirect_to_ftp": Kind(redirect("ftp://127.0.0.2/x"), "invalid address"),
        "redirect_to_data": Kind(redirect("data:application/json,{}"), "invalid address"),
        "redirect_to_script": Kind(redirect("javascript:alert(1)"), "invalid address"),
        "redirect_to_metadata": Kind(
            redirect("http://169.254.169.254/latest/meta-data/"), "has moved"
        ),
        "redirect_with_user": Kind(redirect("http://127.0.0.1@127.0.0.2/"), "invalid address"),
        "redirect_by_slashes": Kind(redirect("//127.0.0.2/v1"), "has moved"),
        "redirect_by_backslashes": Kind(redirect("\\\\127.0.0.2\\v1")),
        "redirect_loop": Kind(loop, "in a loop"),
        "redirect_of_100_kb": Kind(redirect("/" + "a" * 90_000)),
        "redirect_without_end": Kind(
            flood(head("307 Moved", location="/v1/x", content_length=GIGABYTE), b"x" * MANY), "loop"
        ),
        "redirect_nowhere": Kind(whole(b"", "307 Moved")),
        "redirect_split": Kind(raw(b"HTTP/1.1 307 M\r\nlocation: /\x00\x0b\r\n\r\n")),
        "http_0.9": Kind(raw(b"<html>hello</html>"), "broke"),
        "http_2": Kind(raw(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), "broke"),
        "tls_junk": Kind(
            raw(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(500)), "broke"
        ),
        "ssh_banner": Kind(raw(b"SSH-2.0-OpenSSH_9.6\r\n"), "broke"),
        "random_bytes": Kind(raw(bytes(range(256)) * 50), "broke"),
        "status_999": Kind(whole(b"{}", "999 What"), "999"),
        "status_0": Kind(raw(b"HTTP/1.1 000 \r\n\r\n")),
        "status_of_many_digits": Kind(raw(b"HTTP/1.1 " + b"2" * 5000 + b" OK\r\n\r\n"), "broke"),
        "status_negative": Kind(raw(b"HTTP/1.1 -200 OK\r\n\r\n"), "broke"),
        "version_9.9": Kind(raw(b"HTTP/9.9 200 OK\r\ncontent-length: 2\r\n\r\n{}")),
        "no_content": Kind(raw(head("204 No Content")), "204"),
        "not_modified": Kind(raw(head("304 Not Modified"))),
        "partial_content": Kind(whole(b"{}", "206 Partial"), "206"),
        "upgrade": Kind(raw(head("101 Switching", upgrade="websocket", connection="Upgrade"))),
        "length_negative": Kind(raw(head(content_length="-5"), b"{}"), "broke"),
        "length_twice": Kind(
            raw(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 9\r\n\r\n{}")
        ),
        "length_in_words": Kind(raw(head(content_length="two"), b"{}"), "broke"),
        "length_of_many_digits": Kind(raw(head(content_length="9" * 4000), b"{}")),
        "length_and_chunks": Kind(
            raw(head(content_length="2", transfer_encoding="chunked"), chunk(b"{}"), chunk(b""))
        ),
        "coding_unknown": Kind(raw(head(transfer_encoding="gzip, chunked"), chunk(b"{}")), "broke"),
        "nul_in_a_header": Kind(raw(head(x_a="b\x00c", content_length="2"), b"{}"), "broke"),
        "header_without_a_name": Kind(raw(b"HTTP/1.1 200 OK\r\n: a\r\n\r\n"), "broke"),
        "header_with_a_space": Kind(raw(b"HTTP/1.1 200 OK\r\na b : c\r\n\r\n"), "broke"),
        "header_folded": Kind(
            raw(b"HTTP/1.1 200 OK\r\na: b\r\n\tc\r\ncontent-length: 2\r\n\r\n{}")
        ),
        "lone_returns": Kind(raw(b"HTTP/1.1 200 OK\rcontent-length: 2\r\r{}"), "broke"),
        "next_reply_sent_before": Kind(_sends_two),
        "rubbish_after_the_end": Kind(_rubbish_after, answers=True),
        "cookies": Kind(whole(b"{}", set_cookie="a=" + "b" * 4000 + "; Path=/")),
    }


def _reset(call: Call) -> None:
    call.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    call.send(head(content_length="50"))
    call.socket.close()
    raise ConnectionAbortedError


def _sends_two(call: Call) -> None:
    reply = json.dumps(
        {"choices": [{"message": {"content": "Let me see."}, "finish_reason": "stop"}]}
    ).encode()
    one = head(content_type="application/json", content_length=str(len(reply))) + reply
    call.send(one + one + b"HTTP/1.1 307 M\r\nlocation: " + call.server.elsewhere_url.encode())


def _rubbish_after(call: Call) -> None:
    said(ANSWER)(call)
    call.send(b"\x00\xff rubbish" * 100)
    raise ConnectionAbortedError
