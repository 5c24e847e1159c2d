"""The releases of LAMOST and where they are; the window reads it without what asks them."""

BASE = "https://www.lamost.org"
RELEASE = "dr11/v2.0"
# The last version of each release, newest first: v2.0 is public, dr12 needs an account.
VERSIONS = {"dr12": "v1.1", **dict.fromkeys(("dr11", "dr10", "dr9", "dr8", "dr7"), "v2.0")}
