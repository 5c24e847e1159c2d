#!/bin/sh
# step.sh WHAT COMMAND...: runs a step of the set-up. Says each minute that it goes on, as a silent
# one looks like a hang, and at the end how long it took.
set -u
what=$1
shift
began=$(date +%s)
minutes() {
	while sleep 60 >/dev/null 2>&1; do
		echo "  $what: $((($(date +%s) - began) / 60)) min so far"
	done
}
minutes &
telling=$!
trap 'kill "$telling" 2>/dev/null' EXIT
trap 'exit 130' INT TERM
echo "$what"
"$@"
status=$?
[ "$status" = 0 ] && echo "  $what: $(($(date +%s) - began)) s"
exit "$status"
