#!/bin/sh
# @title@ @version@ in one file. Started for the first time it unpacks itself, some seconds, into
# ~/.cache/spec-o3-workbench/program (SPEC_O3_PROGRAM names another folder); after that it is there
# at once. What is unpacked may be deleted at any time: it comes back.
set -eu

say() { # where somebody reads it: in the terminal, else in a window of the desktop
	printf 'spec-o3: %s\n' "$1" >&2
	[ -t 2 ] && return 0
	for box in "zenity --error --no-markup --text" "kdialog --error" "xmessage" "notify-send"; do
		if command -v "${box%% *}" >/dev/null 2>&1; then
			$box "$1" >/dev/null 2>&1 || :
			return 0
		fi
	done
}

fail() {
	say "$1"
	exit 1
}

self=$0
[ -f "$self" ] || self=$(command -v -- "$0") || fail "it cannot find itself: start it by its path"

home=${SPEC_O3_PROGRAM:-${XDG_CACHE_HOME:-${HOME:-}/.cache}/@folder@/program}
place=$home/@version@-@digest@
needed_kb=@needed_kb@

unpack() {
	mkdir -p "$home" 2>/dev/null ||
		fail "there is no room for the program: $home cannot be made. Name another folder in SPEC_O3_PROGRAM"
	free=$(df -Pk "$home" | awk 'NR == 2 { print $4 }')
	if [ "${free:-0}" -lt "$needed_kb" ]; then
		fail "there is no room for the program: $home has $((free / 1024)) MB free and it takes $((needed_kb / 1024)). Free some, or name another folder in SPEC_O3_PROGRAM"
	fi
	part=$(mktemp -d "$home/.part.XXXXXX" 2>/dev/null) ||
		fail "there is no room for the program: nothing can be written to $home. Name another folder in SPEC_O3_PROGRAM"
	trap 'rm -rf "$part"' EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM HUP
	[ -t 2 ] && printf 'spec-o3: unpacking itself once, into %s\n' "$home" >&2
	tail -n +@lines@ -- "$self" | tar -xzf - -C "$part" 2>"$part/why" ||
		fail "it could not be unpacked into $home ($(tail -n 1 "$part/why" 2>/dev/null)). Is the disk full, or the file not whole? Fetch it again, or name another folder in SPEC_O3_PROGRAM"
	# Two may be at it at once: the second finds the place taken by its like.
	mv -T "$part/@folder@" "$place" 2>/dev/null || [ -x "$place/@command@" ] ||
		fail "it could not be put in its place, $place"
	rm -rf "$part"
	trap - EXIT INT TERM HUP
}

[ -x "$place/@command@" ] || unpack
exec "$place/@command@" "$@"
exit 1
