#!/bin/sh
# Shared libraries that Qt and llama.cpp load and pip cannot bring. Installed where we are root on a
# Debian-like system, otherwise named with the command that installs them. Quiet when nothing is
# missing.
set -eu
[ "$(uname -s)" = Linux ] || exit 0

missing=""
while read -r library package; do
    ldconfig -p 2>/dev/null | grep -q "$library" || missing="$missing $package"
done <<'LIST'
libgomp.so.1 libgomp1
libEGL.so.1 libegl1
libGL.so.1 libgl1
libxkbcommon.so.0 libxkbcommon0
libdbus-1.so.3 libdbus-1-3
libfontconfig.so.1 libfontconfig1
libglib-2.0.so.0 libglib2.0-0
libxcb-cursor.so.0 libxcb-cursor0
libxcb-icccm.so.4 libxcb-icccm4
libxcb-image.so.0 libxcb-image0
libxcb-keysyms.so.1 libxcb-keysyms1
libxcb-render-util.so.0 libxcb-render-util0
libxcb-shape.so.0 libxcb-shape0
libxcb-xkb.so.1 libxcb-xkb1
libxkbcommon-x11.so.0 libxkbcommon-x11-0
LIST
[ -n "$missing" ] || exit 0

# shellcheck disable=SC2086  # a word for each package
sh "$(dirname "$0")/install_packages.sh" \
    "The window and the models need system libraries that are missing here" $missing || [ $? = 3 ]
