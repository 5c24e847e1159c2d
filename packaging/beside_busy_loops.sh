#!/bin/sh
# beside_busy_loops.sh COUNT COMMAND...: runs it while so many loops keep the processors busy.
set -u
count=$1
shift
loops=""
trap 'kill $loops 2>/dev/null' EXIT
trap 'exit 130' INT TERM
while [ "$count" -gt 0 ]; do
	while :; do :; done &
	loops="$loops $!"
	count=$((count - 1))
done
"$@"
