from __future__ import annotations

import pytest

from agent.spectra.urls import MAX_URL, is_url, url_folder, url_problem


@pytest.mark.parametrize(
    ("url", "folder"),
    [
        ("s3://bucket/night/1.fits", "s3://bucket/night"),
        ("S3://Bucket/1.fits.gz", "s3://Bucket"),
        ("gs://a-b.c_d/x/y/z.csv", "gs://a-b.c_d/x/y"),
        ("memory://box/1.csv", "memory://box"),
        ("HTTPS://Archive.Example:8443/A/b.fits?id=3", "https://archive.example:8443/A"),
        ("http://[::1]:80/x.fits", "http://[::1]:80"),
        ("http://host/get?file=a/b/c.fits", "http://host"),
        ("http://host/a/", "http://host/a"),
    ],
)
def test_an_address_and_its_folder(url, folder):
    assert is_url(url)
    assert url_problem(url) == ""
    assert url_folder(url) == folder


@pytest.mark.parametrize(
    "text", ["/data/1.fits", "1.fits", "file:///etc/passwd", "ftp://a/b", "C:/1.fits", "s3:/a", ""]
)
def test_what_is_no_address(text):
    assert not is_url(text)
    assert url_problem(text)
    assert url_folder(text) == ""


@pytest.mark.parametrize(
    "url",
    [
        "http://me:secret@host/1.fits",
        "http://allowed.example@evil.example/1.fits",
        "s3://bucket/a/../other/1.fits",
        "s3://bucket/./1.fits",
        "http://host/a/%2e%2e/b/1.fits",
        "http://host/a\\..\\1.fits",
        "http://host/%5c%00/1.fits",
        "s3://bucket/1.fits::file:///etc/passwd",
        "memory://a/b::simplecache::s3://c/d",
        "http://host/x?u=file:///etc/passwd",
        "http://host:99999/1.fits",
        "http://host:port/1.fits",
        "http:///1.fits",
        "s3:///1.fits",
        "http://[::1/1.fits",
        "http://ho st/1.fits",
        "http://host/1\n.fits",
        "http://hоst/1.fits",  # a Cyrillic o
        "http://host/" + "x" * MAX_URL,
    ],
)
def test_tricks_are_refused(url):
    assert is_url(url)
    assert url_problem(url)
    assert url_folder(url) == ""
