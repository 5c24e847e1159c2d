"""Crafted text lists: CSV, TSV and ECSV, their encodings and compression."""

import bz2
import codecs
import gzip
import lzma
import zlib

from tests.attacks.lists.case import Case, file, noise, pieces

SMALL = "name,path\na,a.fits\nb,b.fits\n"
GBK = "名称,类型,path\n双星,灾变变星,a.fits\n白矮星,白矮星,b.fits\n"
OUT = "its gzip data"


def ecsv(datatype: str, body: str = "a b\n1 2\n") -> str:
    return f"# %ECSV 1.0\n# ---\n# datatype:\n{datatype}{body}"


def aliases(depth: int) -> str:
    head = "# - {name: n0, unit: &n0 [x, x, x, x, x, x, x, x, x]}\n"
    for number in range(1, depth):
        head += (
            f"# - {{name: n{number}, unit: &n{number} [{', '.join([f'*n{number - 1}'] * 9)}]}}\n"
        )
    return ecsv(head)


def merge_keys(depth: int) -> str:
    head = "# - &m0 {name: a, datatype: int64}\n"
    for number in range(1, depth):
        head += f"# - &m{number} {{<<: [*m{number - 1}, *m{number - 1}], name: b}}\n"
    return ecsv(head)


ALIAS, KEY, YAML = "anchors or aliases", "a key that is no plain text", "not valid YAML"
TAGS = ("!!python/object/apply:os.system [id]", "!!python/name:os.system x", "!!binary YQ==",
        "!!set {a}", "!!timestamp 2020-01-01", "!!omap [a: b]", "!a b", "!!str b")  # fmt: skip
ECSV: dict[str, Case] = {
    **{f"aliases, {n} deep": file(aliases(n), ALIAS) for n in (4, 8, 12, 200)},
    **{f"merge keys, {n} deep": file(merge_keys(n), ALIAS) for n in (4, 18, 30, 200)},
    **{f"a unit {tag}": file(ecsv(f"# - {{name: a, unit: {tag}}}\n# - {{name: b}}\n"), "no plain")
       for tag in TAGS},
    **{f"a name {tag}": file(ecsv(f"# - {{name: {tag}}}\n"), "column without a name")
       for tag in TAGS},
    **{f"{mark} without end": file(ecsv("# - " + mark * 100_000 + "\n"), "ECSV header")
       for mark in ("[", "{", "- ", "? ", "{a: ", "[[", "!!a ", "&a ", "*a ", "'", '"', "|\n# ")},
    "an alias of itself": file(ecsv("# - &a {name: *a}\n"), ALIAS),
    "a merge key alone": file(ecsv("# - {name: a, <<: {unit: m}}\n"), KEY),
    "a unit of colons": file(
        ecsv(f"# - {{name: name, unit: {'1' + ':1' * 100_000}}}\n", "name\nx\n"), 1
    ),
    "a unit of digits": file(ecsv(f"# - {{name: name, unit: {'9' * 9000}}}\n", "name\nx\n"), 1),
    "a name of 200 KB": file(ecsv(f"# - {{name: {'a' * 200_000}}}\n"), "no column was recognized"),
    "a name out of range": file(ecsv('# - {name: "\\UFFFFFFFF"}\n'), YAML),
    "a name that is half a character": file(ecsv('# - {name: "\\uD800", unit: name}\n')),
    "a version without end": file(f"# %ECSV 1.0\n# %YAML 1.{'1' * 9000}\n# ---\na\n", "no columns"),
    "two documents": file(ecsv("# - {name: a}\n# --- \n# - {name: b}\n"), "ECSV header"),
    "too many columns": file(ecsv("# - {name: a}\n" * 2001), "describes no columns"),
    "2,000 columns": file(
        ecsv("".join(f"# - {{name: name{n}}}\n" for n in range(2000)), ""), "no column was"
    ),
    "another delimiter": file("# %ECSV 1.0\n# delimiter: '|'\n# datatype: [{name: a}]\na\n", "del"),
    "a header without end": pieces((b"# %ECSV 1.0\n", 1), (b"#\n", 9_000_000), expected="100,000"),
    "meta without end": pieces(
        (b"# %ECSV 1.0\n# datatype: [{name: name}]\n# meta:\n", 1),
        (b"#   - " + b"x" * 990 + b"\n", 9000), (b"name\nstar\n", 1), expected=1,
    ),
    "a datatype of 1 MB": pieces(
        (b"# %ECSV 1.0\n# datatype:\n", 1), (b"# - {name: aaaaaaaaaa}\n", 40_000), expected="256 KB"
    ),
}  # fmt: skip

ENCODINGS: dict[str, Case] = {
    **{f"Chinese in {each}": file(GBK.encode(each), 2)
       for each in ("gb18030", "gbk", "utf-8", "utf-8-sig", "utf-16", "gb2312")},
    **{f"a list in {each}": file(SMALL.encode(each), None)
       for each in ("utf-16-le", "utf-16-be", "utf-32", "utf-7", "cp037")},
    **{f"western text in {each}": file("name,path\nétoile,a.fits\n".encode(each), 1)
       for each in ("latin-1", "cp1252", "utf-8", "utf-16", "mac-roman")},
    **{f"Japanese in {each}": file("name,path\n星の名前,a.fits\n".encode(each), 1)
       for each in ("shift-jis", "euc-jp", "big5")},
    "half a character of UTF-16": file(SMALL.encode("utf-16") + b"\n", 2),
    "halves of pairs in UTF-16": file(codecs.BOM_UTF16_LE + b"\x00\xd8" * 999, None),
    "UTF-16 without rows": file(codecs.BOM_UTF16_LE, None),
    "two marks of byte order": file(codecs.BOM_UTF8 * 2 + SMALL.encode(), 2),
    "mixed encodings": file("name,path\né,a\n".encode("latin-1") + "星,b\n".encode("gbk"), 2),
    "overlong UTF-8": file(b"name,path\nx\xc0\xaf,a.fits\n", 1),
    "surrogates in UTF-8": file(b"name,path\nx\xed\xa0\x80,a.fits\n", 1),
    "text from right to left": file("name,path\nab\u202egnp.exe\u202c,a.fits\n", 1),
    "a header from right to left": file("\u202ename\u202c,path\na,a.fits\n", None),
    "invisible characters": file("na\u200bme,path\u2060\na\u200b,a.fits\n", None),
    "a tower of accents": file("name,path\na" + "\u0301" * 150 + ",a.fits\n", 1),
    "line ends of other kinds": file("name,path\na\u2028b,a.fits\nc\x85d\x0be\x0cf,b.fits\n", 2),
    "escapes for a terminal": file("name,path\n\x1b[2J\x1b]0;x\x07,a.fits\n", 1),
    "control characters": file(b"name,path\n" + bytes(range(1, 9)) * 4 + b",a.fits\n", "unknown"),
    "NUL in a cell": file("name,path\na\0b,a.fits\nc,c.fits\n", 1),
    "NUL in the header": file("na\0me,path\nc,c.fits\n" + "d,d.fits\n" * 9, None),
    "only NUL": file(b"\0" * 100_000, "unknown"),
    "noise": file(noise(100_000), None),
    "bytes above ASCII": file(b"name,path\n" + b"\xff\xfe" * 50_000 + b"\n", None),
    "12 MB that are not UTF-8": pieces((b"name,path\n", 1), (b"\xe9,\xe9\n", 3_000_000),
                                       name="list.csv.gz"),
}  # fmt: skip

SHAPES: dict[str, Case] = {
    "an endless line": pieces((b"name,path\n", 1), (b"x,", 60_000_000), expected="can be used"),
    "an endless first line": pieces((b"name,", 30_000_000), expected="longer than 1 MB"),
    "an endless comment": pieces((b"#", 60_000_000), (b"\nname,path\na,b.fits\n", 1)),
    "an endless quote": pieces((b'name,path\n"', 1), (b"x\n", 200_000), expected="can be used"),
    "quotes without end": pieces((b"name,path\n", 1), (b'"a,b\n', 100_000), expected=1),
    "only quotes": pieces((b"name,path\n", 1), (b'"', 20_000_000)),
    "cells of 10 MB": pieces((b"name,path\n", 1), (b"a," + b"x" * 900_000 + b"\n", 40),
                             expected="can be used"),
    "cells at the limit": pieces((b"name,path,n\n", 1), (b"a,a.fits," + b"x" * 32_767 + b"\n", 300),
                                 expected=1),
    "too many columns": file("name" + ",c" * 2000 + "\n", "more than 2,000"),
    "as many columns as allowed": pieces((b"name", 1), (b",c", 1999), (b"\na" + b"," * 1999, 400),
                                         expected=1),
    "columns of one name": file("name," + "x," * 1500 + "\na" + "," * 1501 + "\n", 1),
    "columns without names": file("name" + "," * 1500 + "\na" + "," * 1500 + "\n", 1),
    "names of columns of 1 MB": file("name," + "x" * 900_000 + "\na,b\n", 1),
    "only a header": file("name,path\n", "no rows"),
    "only delimiters": pieces((b",,,,,,,,\n", 1_000_000), expected=None),
    "only carriage returns": file(SMALL.replace("\n", "\r"), 2),
    "all kinds of line ends": file("name,path\r\na,a.fits\nb,b.fits\rc,c.fits\r\r\n", 3),
    "45 MB of comments": pieces((b"#\n", 22_500_000), (SMALL.encode(), 1), expected="no rows"),
    "45 MB of comments among rows": pieces((SMALL.encode(), 1), (b"#\n", 22_500_000), expected=2),
    "30 MB of blank lines": pieces((b"\n", 30_000_000), (SMALL.encode(), 1), expected="no rows"),
    "30 MB of blank lines among rows": pieces((SMALL.encode(), 1), (b"\n", 30_000_000), expected=2),
    "blanks and comments in turn": pieces((b" \n#\n", 4_000_000), (SMALL.encode(), 1), expected=2),
    "comments around each row": pieces((b"name,path\n", 1), (b"#\n" * 9 + b"a,a.fits\n", 200_000),
                                       expected=1),
    "many bad rows": pieces((SMALL.encode(), 1), (b"x\n", 200_000), expected=2),
    "numbers out of range": file("name,score\na,1e999\nb,-1e999\nc,nan\nd," + "9" * 9000 + "\n", 4),
    "numbers with underscores": file("name,score\na,1_0\nb,0x1F\nc,1e-400\n", 3),
    "angles without end": file("name,ra,dec\na," + "1:" * 15_000 + "," + "1 " * 9000 + "\n", 1),
    "angles that are none": file("name,ra,dec\na,1:2:3,-91\nb,25h,0\nc,-0:0:-1,0\nd,5e9,5e9\n", 4),
    "dates": file("name,score\na,2020-01-01\nb,99999-99-99\n", 2),
    "formulas": file("name,note\na,=cmd|'/C calc'!A0\nb,@SUM(A1)\nc,+1\nd,-1\n", 4),
    "names for templates": file("name,%s,{0},${x},%(a)s\na,%s,{},$x,%d\n", 1),
    "names of the program": file("id,own,path,row,line\na,{},a.fits,0,9\n", 1),
    "names of 400 characters": file("name,path\n" + "x" * 400 + ",a.fits\n", "longer than 200"),
    "rows out of range": file("path,row\na.fits,4\nb.fits,9223372036854775807\n", 2),
    "rows that are no numbers": file("path,row\na.fits,9223372036854775808\n", 1),
    "rows below zero": file("path,row\na.fits,-1\nb.fits,4\n", 1),
    "a rounded TARGETID": file("path,targetid\na.fits,39627652591521000.0\n", "was rounded"),
    "markup": file('name,path\n"<img src=""file:///dev/zero"">",a.fits\n', 1),
    "a web page": file("<html><body>Please log in</body></html>", "a web page"),
    "JSON": file('[{"name": "a", "path": "a.fits"}]', None, "list.json"),
    "pickled objects": file(b"\x80\x04cos\nsystem\n(S'id'\ntR.", None, "list.pkl"),
}  # fmt: skip


def stored(content: bytes) -> bytes:
    return gzip.compress(content, 0, mtime=0)


PACKED: dict[str, Case] = {
    "a gzip bomb": pieces((b"name,path\n", 1), (b"a,a.fits\n", 4_000_000),
                          expected="300 times", name="list.csv.gz"),
    "zeros in gzip": pieces((b"\0", 60_000_000), expected="unknown", name="list.csv.gz"),
    "spaces in gzip": pieces((b" ", 60_000_000), expected="200 times", name="list.csv.gz"),
    "gzip in gzip": file(gzip.compress(gzip.compress(SMALL.encode())), "unknown"),
    "members of nothing": file(gzip.compress(b"") * 9000 + gzip.compress(SMALL.encode()), 2),
    "very many members of nothing": file(gzip.compress(b"") * 200_000, "10000 gzip members"),
    "members of a byte": file(b"".join(stored(bytes([each])) for each in SMALL.encode()), 2),
    "a member of a damaged start": file(gzip.compress(SMALL.encode()) + b"\x1f\x8a\x08" * 9, OUT),
    "zeros behind a member": file(gzip.compress(SMALL.encode()) + b"\0" * 3_000_000, 2),
    "noise behind a member": file(gzip.compress(SMALL.encode()) + noise(999), OUT),
    "a header without end": file(b"\x1f\x8b\x08\x08" + b"\0" * 6 + b"x" * 9_000_000, OUT),
    "all flags": file(b"\x1f\x8b\x08\xff" + noise(9000), OUT),
    "a false check sum": file(gzip.compress(SMALL.encode())[:-8] + b"\0" * 8, OUT),
    "half of a file": file(gzip.compress(SMALL.encode() + noise(9000).hex().encode())[:4000], OUT),
    "only two bytes": file(b"\x1f\x8b", OUT),
    "only one byte": file(b"\x1f", "unknown"),
    "zlib": file(zlib.compress(SMALL.encode()), "no column was"),
    "bzip2": file(bz2.compress(SMALL.encode()), "packed with bzip2"),
    "xz": file(lzma.compress(SMALL.encode()), "packed with xz"),
    "zip": file(b"PK\x03\x04" + noise(900), "packed with zip"),
    "zip that is a spreadsheet": file(b"PK\x03\x04" + noise(900), "spreadsheet", "list.xlsx"),
    "zstd": file(b"\x28\xb5\x2f\xfd" + noise(900), "packed with zstd"),
    "compress": file(b"\x1f\x9d" + noise(900), "packed with compress"),
    "SQLite": file(b"SQLite format 3\0" + noise(900), "a SQLite database"),
    "HDF5": file(b"\x89HDF\r\n\x1a\n" + noise(900), "HDF5"),
    "PDF": file(b"%PDF-1.7\n" + noise(900), "a PDF"),
}  # fmt: skip
