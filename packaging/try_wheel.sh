#!/bin/sh
# The wheel and the source archive, made, and each installed into an environment of its own where
# nothing of the checkout is seen; there the program tests itself.
#   sh packaging/try_wheel.sh [FOLDER FOR BOTH]
set -eu
cd "$(dirname "$0")/.."

out=${1:-build/wheel}
python=${PYTHON:-.venv/bin/python}
case $python in /*) ;; */*) python=$PWD/$python ;; esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"
rm -f "$out"/*.whl "$out"/*.tar.gz
out=$(cd "$out" && pwd)
pins=$PWD/packaging/constraints.txt
install() { # PYTHON WHAT...
	installer=$1
	shift
	"$installer" -m pip --disable-pip-version-check -q install -c "$pins" "$@"
}

# From a copy: what is left over from earlier builds must not get in.
mkdir "$work/tree"
git ls-files -z --cached --others --exclude-standard | xargs -0 tar -cf - --ignore-failed-read 2>/dev/null | tar -xf - -C "$work/tree"
# The same sources give the same two files: with one time, one owner and one order (GNU tar).
chmod -R u=rwX,go=rX "$work/tree"
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
"$python" -m venv "$work/maker"
install "$work/maker/bin/python" build
(cd "$work/tree" && "$work/maker/bin/python" -m build -o "$out" . >"$work/log" 2>&1) || {
	cat "$work/log" >&2
	exit 1
}
source=$(echo "$out"/*.tar.gz)
mkdir "$work/again"
tar -xzf "$source" -C "$work/again"
tar -C "$work/again" -cf - --sort=name --mtime="@$SOURCE_DATE_EPOCH" --mode=u=rwX,go=rX --owner=0 \
	--group=0 --numeric-owner "$(ls "$work/again")" | gzip -n >"$source"

for made in "$out"/*.whl "$out"/*.tar.gz; do
	rm -rf "$work/env" "$work/empty"
	mkdir "$work/empty"
	"$python" -m venv "$work/env"
	install "$work/env/bin/python" "$made"
	(cd "$work/empty" && env -i HOME="$work/empty" PATH=/usr/bin:/bin "$work/env/bin/spec-o3" selftest) >"$work/log" 2>&1 || {
		cat "$work/log" >&2
		exit 1
	}
	printf '%s: %s; %s\n' "${made##*/}" "$(du -h "$made" | cut -f1)" "$(tail -n 1 "$work/log")"
done
