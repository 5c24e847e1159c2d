#!/bin/sh
# Programs that tests compare with: a database server, the sqlite3 shell, checkers of FITS and
# VOTable, a display and hands for the window, Chinese letters; by night programs that speak SAMP and
# a TAP server (its program alone: the package gavodachs2-server would start one).
# Installed where we are root on a Debian-like system; elsewhere the tests that need them are
# skipped, and this says with which command they could be had.
set -eu
[ "$(uname -s)" = Linux ] || exit 0

missing=""
ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || missing="$missing postgresql"
command -v sqlite3 >/dev/null 2>&1 || missing="$missing sqlite3"
command -v fitsverify >/dev/null 2>&1 || missing="$missing fitsverify"
command -v stilts >/dev/null 2>&1 || missing="$missing stilts"
command -v Xvfb >/dev/null 2>&1 || missing="$missing xvfb"
command -v xdotool >/dev/null 2>&1 || missing="$missing xdotool"
fc-list :lang=zh 2>/dev/null | grep -q . || missing="$missing fonts-wqy-microhei"
if [ "${SPEC_O3_NIGHTLY:-}" = 1 ]; then
	command -v topcat >/dev/null 2>&1 || missing="$missing topcat"
	[ -f /usr/share/java/jsamp.jar ] || missing="$missing jsamp"
	command -v dachs >/dev/null 2>&1 || missing="$missing python3-gavo postgresql-pgsphere postgresql-q3c"
fi
[ -n "$missing" ] || exit 0

# shellcheck disable=SC2086  # a word for each package
sh "$(dirname "$0")/install_packages.sh" \
	"Some tests are skipped without programs they compare with" $missing ||
	[ $? = 3 ] || echo "not all of:$missing" >&2
