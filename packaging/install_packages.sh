#!/bin/sh
# install_packages.sh WHY PACKAGE...: installs them where we are root on a Debian-like system.
# Elsewhere it says why, with the command that installs them, and ends with status 3.
set -eu
why=$1
shift
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    echo "$why: installing $*"
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@" >/dev/null
else
    echo "$why. On Debian or Ubuntu run:" >&2
    echo "    sudo apt-get install -y --no-install-recommends $*" >&2
    exit 3
fi
