#!/bin/sh
# Programs that tests compare with: a database server, the sqlite3 shell, checkers of FITS and
# VOTable, a display and hands for the window. Installed where we are root on a Debian-like system; elsewhere the tests that need them
# are skipped, and this says with which command they could be had.
set -eu
[ "$(uname -s)" = Linux ] || exit 0

missing=""
ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || missing="$missing postgresql"
command -v sqlite3 >/dev/null 2>&1 || missing="$missing sqlite3"
command -v fitsverify >/dev/null 2>&1 || missing="$missing fitsverify"
command -v stilts >/dev/null 2>&1 || missing="$missing stilts"
command -v Xvfb >/dev/null 2>&1 || missing="$missing xvfb"
command -v xdotool >/dev/null 2>&1 || missing="$missing xdotool"
[ -n "$missing" ] || exit 0

command="apt-get install -y --no-install-recommends$missing"
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
	echo "installing what tests compare with:$missing"
	apt-get update -qq
	DEBIAN_FRONTEND=noninteractive $command >/dev/null || echo "not all of:$missing" >&2
else
	echo "Some tests are skipped without:$missing. On Debian or Ubuntu:" >&2
	echo "    sudo $command" >&2
fi
